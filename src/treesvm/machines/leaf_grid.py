"""A grid of (gamma, C) on one leaf, with answers for the leaf's validation rows."""

from typing import NamedTuple

import numpy as np

from treesvm.kernels.distances import LeafDistances
from treesvm.kernels.exponential import exp_minus_one
from treesvm.machines.compilation import announce_compilation
from treesvm.machines.layout import build_machines, decisions
from treesvm.machines.path import leaf_path
from treesvm.machines.voting import chunked_codes


class GridPoint(NamedTuple):
    """One solved grid point of a leaf.

    ``coefficients`` and ``records`` belong to the leaf's machines, see `path`.
    """

    gamma: float
    C: float
    predicted: np.ndarray  # class codes of the validation rows
    rows: np.ndarray  # sorted row of every coefficient
    coefficients: np.ndarray
    records: np.ndarray


class LeafGrid:
    """What all grid points of a leaf share: distances, machines, validation rows.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    codes : ndarray of shape (n,)
        Classes 0 .. n_classes - 1.
    n_classes : int
    weight : ndarray of shape (n,)
    X_val : ndarray or CSR matrix of shape (n_val, n_features), optional
    """

    def __init__(self, X, codes, n_classes, weight, X_val=None, *, multi_class="ovo"):
        announce_compilation()
        self.machines = build_machines(codes, n_classes, multi_class)
        order = self.machines.order
        self._weight = weight[order]
        self._distances = LeafDistances(X[order])
        self._n_val = 0 if X_val is None else X_val.shape[0]
        self._to_val = self._distances.to_queries(X_val) if self._n_val else None

    def points(self, gammas, Cs, *, tol=1e-3, max_iter=None):
        """Yield a `GridPoint` for every gamma and, ascending, every C."""
        kernel_of, K_val = None, np.zeros((0, len(self._weight)))
        for point in leaf_path(
            self._distances,
            self.machines,
            self._weight,
            gammas,
            Cs,
            tol=tol,
            max_iter=max_iter,
        ):
            if self._n_val and point.gamma != kernel_of:
                kernel_of = point.gamma
                K_val = exp_minus_one(self._to_val * point.gamma)
            yield GridPoint(
                point.gamma,
                point.C,
                self._predict(K_val, point),
                self.machines.rows,
                point.coefficients,
                point.records,
            )

    def _predict(self, K_val, point):
        """Answer the validation rows from their kernel block."""
        if len(K_val) == 0:
            return np.zeros(0, np.intp)
        machines, biases = self.machines, point.records["bias"]

        def decide(rows):
            return decisions(machines, K_val[rows], point.coefficients, biases)

        return chunked_codes(decide, len(K_val), machines.pairs, machines.n_classes)
