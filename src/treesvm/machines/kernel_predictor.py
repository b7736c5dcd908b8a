"""Answers of a kernel machine without validation."""

import numpy as np

from treesvm.inputs.predictor import Predictor
from treesvm.machines.voting import class_scores, votes_and_confidence


def decision_values(decisions, machine, shape):
    """Return `decision_function`'s values from those of the machines."""
    if machine.n_classes == 2:
        return decisions[:, 0]
    if shape == "ovo":
        return decisions
    return class_scores(decisions, machine.pairs, machine.n_classes)


def winners(decisions, machine, break_ties):
    """Return the class code of every row.

    Without `break_ties` the first class among those with most votes wins, as in LIBSVM.
    """
    if machine.n_classes == 2:
        return (decisions[:, 0] > 0).astype(np.intp)
    if break_ties or (machine.pairs[:, 1] < 0).any():
        scores = class_scores(decisions, machine.pairs, machine.n_classes)
        return scores.argmax(axis=1)
    votes, _ = votes_and_confidence(decisions, machine.pairs, machine.n_classes)
    return votes.argmax(axis=1)


class KernelPredictor(Predictor):
    """Compiled answers of a `KernelSVC`: nothing is checked but the width.

    Its scores are the decision values of the binary machines.
    """

    def __init__(self, machine, classes, n_features, shape, break_ties, scaling=None):
        super().__init__(classes, n_features)
        self._machine, self._shape, self._break_ties = machine, shape, break_ties
        self._scaling, self._decider = scaling, machine.row_decider(scaling)

    def label_of_row(self, x):
        """Return the label of one row of the right width."""
        code = self._decider.sure_code(x)
        return super().label_of_row(x) if code < 0 else self.classes[code]

    def scores_of_rows(self, X):
        """Return the values of all machines; one row has code of its own."""
        if len(X) == 1:
            return self._decider.of_array(X[0])[None, :]
        return self._machine.reliable_decisions(X, self._scaling)

    def codes_of(self, decisions):
        """Return the class code of every row."""
        return winners(decisions, self._machine, self._break_ties)

    def values_of(self, decisions):
        """Return what `decision_function` makes of the machines' values."""
        return decision_values(decisions, self._machine, self._shape)
