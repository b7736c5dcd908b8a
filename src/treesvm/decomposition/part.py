"""One part of the space: its machine, how that sees rows, and what training took."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from treesvm.machines.scaling import LeafScaling
from treesvm.machines.voting import class_evidence

_SURE = 1.0  # decision value of a part with one class


class Part(NamedTuple):
    """What one part of the space answers, and what training it took."""

    code: int  # class code of a one-class part; the majority in others
    machine: Any  # KernelMachine or CompressedMachine, None where there is one class
    scaling: LeafScaling | None  # from rows as given to rows as the machine sees them
    n_rows: int
    n_classes: int
    seconds: float

    @property
    def n_vectors(self) -> int:
        """Distinct support vectors."""
        return 0 if self.machine is None else self.machine.n_vectors

    @property
    def converged(self) -> bool:
        """Whether every binary machine was solved to its tolerance."""
        if self.machine is None:
            return True
        return bool(self.machine.records["converged"].all())

    def in_units(self, unit):
        """Return a regressor of targets divided by `unit` as one of the targets."""
        machine = self.machine
        numbers = {
            "coefficients": unit * machine.coefficients,
            "biases": unit * machine.biases,
        }
        return self._replace(machine=replace(machine, **numbers))

    def seen(self, X):
        """Return rows as the machine sees them."""
        return X if self.scaling is None else self.scaling.apply(X)

    def decisions(self, X) -> np.ndarray:
        """Return reliable decision values of rows as they were given."""
        return self.machine.reliable_decisions(X, self.scaling)

    def scores(self, X) -> np.ndarray:
        """Return one score for each class and row as given."""
        return self.said(self.decisions(X))

    def evidence(self, X) -> np.ndarray:
        """Return what probabilities of rows as given are made of."""
        return self.said(self.decisions(X), of_evidence=True)

    def said(self, decisions, of_evidence=False) -> np.ndarray:
        """Return the scores, or the evidence, of rows with such decision values."""
        machine = self.machine
        if of_evidence:
            return class_evidence(decisions, machine.pairs, machine.n_classes)
        return machine.scores(decisions)

    def values(self, X) -> np.ndarray:
        """Return what a regressor says of rows as given."""
        return self.machine.decisions(self.seen(X))[:, 0]

    def row_decider(self):
        """Return an object that gives the decision values of one row as given.

        Its ``of_array(x)`` takes an array of shape (n_features,).
        """
        return self.machine.row_decider(self.scaling)


def certain_scores(code: int, n_classes: int) -> np.ndarray:
    """Scores of a part that knows one class only."""
    scores = np.full(n_classes, -_SURE)
    scores[code] = _SURE
    return scores
