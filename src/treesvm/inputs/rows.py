"""Training rows as every algorithm takes them: checked, with numbers for targets."""

from typing import Any, NamedTuple

import numpy as np


class Rows(NamedTuple):
    """Rows with weight, and what is known of them.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    target : ndarray of shape (n_rows,)
        Class codes 0 … n_classes - 1, or numbers.
    weight : ndarray of shape (n_rows,) or None
        Positive; trees take None where all rows weigh one.
    n_classes : int or None
        None where targets are numbers.
    """

    X: Any
    target: np.ndarray
    weight: Any
    n_classes: int | None

    @property
    def total_weight(self) -> float:
        """What all rows weigh."""
        return len(self.target) if self.weight is None else self.weight.sum()

    def with_weight(self) -> "Rows":
        """Return the rows whose weight is not zero."""
        return self.take(np.flatnonzero(self.weight > 0.0))

    def take(self, chosen) -> "Rows":
        """Return some of the rows, given ascending; without a copy if it is all."""
        if len(chosen) == len(self.target):
            return self
        return Rows(
            self.X[chosen], self.target[chosen], self.weight[chosen], self.n_classes
        )

    def drawn(self, most, seed) -> "Rows":
        """Return at most so many of the rows, of each class at least one."""
        n_rows = len(self.target)
        if n_rows <= most:
            return self
        order = np.random.default_rng(seed).permutation(n_rows)
        if self.n_classes is not None:
            firsts = np.unique(self.target[order], return_index=True)[1]
            order = np.concatenate([order[firsts], np.delete(order, firsts)])
        return self.take(np.sort(order[:most]))
