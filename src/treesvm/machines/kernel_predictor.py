"""Answers of a kernel machine without validation."""

import numpy as np

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


class KernelPredictor:
    """Compiled answers of a `KernelSVC`: nothing is checked but the width.

    Called with a 1-D row it returns the label, with a 2-D array an array of labels.
    """

    def __init__(self, machine, classes, n_features, shape, break_ties):
        self._machine, self._classes = machine, classes
        self._n_features, self._shape = n_features, shape
        self._break_ties = break_ties
        self._decide = machine.row_decider()

    def __call__(self, x):
        """Return the label of a row, or the labels of an array of rows."""
        x = np.asarray(x)
        codes = winners(self._decisions(x), self._machine, self._break_ties)
        labels = self._classes[codes]
        return labels[0] if x.ndim == 1 else labels

    def decision(self, x):
        """Return the decision value of a row, or those of an array of rows."""
        x = np.asarray(x)
        values = decision_values(self._decisions(x), self._machine, self._shape)
        return values[0] if x.ndim == 1 else values

    def _decisions(self, x):
        if x.shape[-1] != self._n_features:
            raise ValueError(
                f"the rows have {x.shape[-1]} features; the model was trained on "
                f"{self._n_features}."
            )
        if x.ndim == 1:
            return self._decide(x[None, :])[None, :]
        return self._machine.reliable_decisions(x)
