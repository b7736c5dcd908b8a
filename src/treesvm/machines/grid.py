"""A grid of (gamma, C) on one set of rows, with answers for its validation rows."""

from typing import NamedTuple

import numpy as np

from treesvm.machines.compilation import announce_compilation
from treesvm.machines.layout import build_machines, decisions
from treesvm.machines.losses import CHAINS
from treesvm.machines.path import leaf_path
from treesvm.machines.voting import chunked_codes

# Distances or kernel values in float64, and in float32 twice.
_BYTES_PER_PAIR = 16


class GridPoint(NamedTuple):
    """One solved grid point of a leaf.

    ``coefficients`` and ``records`` belong to the leaf's machines, see `path`.
    """

    gamma: float
    C: float
    predicted: np.ndarray  # what is said of the validation rows
    rows: np.ndarray  # sorted row of every coefficient
    coefficients: np.ndarray
    records: np.ndarray


class LeafGrid:
    """What all grid points of a leaf share: its Gram, machines, validation rows.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
        For a precomputed kernel, the Gram matrix.
    codes : ndarray of shape (n,)
        Classes 0 .. n_classes - 1.
    n_classes : int
    weight : ndarray of shape (n,)
    kernel : Kernel
        Its gamma comes from the grid.
    X_val : ndarray or CSR matrix of shape (n_val, n_features), optional
    multi_class : {"ovo", "ovr"}
    answer : callable
        What is said of validation rows: `chunked_codes` or `chunked_evidence`.
    loss : {"hinge", "squared"}
    """

    def __init__(
        self,
        X,
        codes,
        n_classes,
        weight,
        kernel,
        X_val=None,
        *,
        multi_class="ovo",
        answer=chunked_codes,
        loss="hinge",
    ):
        announce_compilation()
        self._chain_of = CHAINS[loss]
        self.machines = build_machines(codes, n_classes, multi_class)
        order = self.machines.order
        self._weight, self._kernel, self._answer = weight[order], kernel, answer
        self._gram = kernel.gram(kernel.take(X, order))
        has_val = X_val is not None and X_val.shape[0] > 0
        facing = kernel.facing(X_val, order) if has_val else None
        self._to_val = self._gram.to_queries(facing) if has_val else None

    def points(self, gammas, Cs, *, tol=1e-3, max_iter=None):
        """Yield a `GridPoint` for every gamma and, ascending, every C."""
        kernel_of, K_val = None, np.zeros((0, len(self._weight)))
        for point in leaf_path(
            self._gram,
            self._kernel,
            self.machines,
            self._weight,
            gammas,
            Cs,
            chain_of=self._chain_of,
            tol=tol,
            max_iter=max_iter,
        ):
            if self._to_val is not None and point.gamma != kernel_of:
                kernel_of = point.gamma
                K_val = self._to_val(self._kernel.with_gamma(point.gamma))
            yield GridPoint(
                point.gamma,
                point.C,
                self._predict(K_val, point),
                self.machines.rows,
                point.coefficients,
                point.records,
            )

    def _predict(self, K_val, point):
        """Answer the validation rows, if there are any, from their kernel block."""
        machines, biases = self.machines, point.records["bias"]

        def decide(rows):
            return decisions(machines, K_val[rows], point.coefficients, biases)

        return self._answer(decide, len(K_val), machines.pairs, machines.n_classes)


def grid_points(
    X,
    codes,
    n_classes,
    weight,
    kernel,
    gammas,
    Cs,
    X_val=None,
    *,
    multi_class="ovo",
    tol=1e-3,
    max_iter=None,
    max_bytes=500 * 2**20,
):
    """Yield a `GridPoint` for every gamma and, ascending, every C.

    Parameters are those of `training.train_machine`, with lists of gammas and of Cs and
    the rows to be answered at every point.
    """
    needed = _BYTES_PER_PAIR * len(codes) ** 2
    if needed > max_bytes:
        raise ValueError(
            f"a path on {len(codes)} rows holds {needed / 2**20:.0f} MB of kernel "
            f"values, more than cache_size={max_bytes / 2**20:.0f} MB; raise "
            "cache_size, or search with DTSVMClassifierCV, which solves small leaves."
        )
    grid = LeafGrid(X, codes, n_classes, weight, kernel, X_val, multi_class=multi_class)
    yield from grid.points(gammas, Cs, tol=tol, max_iter=max_iter)


class PathRecord(NamedTuple):
    """One point of `KernelSVC.path`."""

    C: float
    gamma: float
    score: float  # accuracy on the validation rows, NaN without them
    n_support: int  # distinct support vectors
    n_iter: int  # steps, over all machines
    gap: float  # largest relative duality gap of a machine
    converged: bool  # whether every machine converged


def path_record(point, y_val, classes):
    """Summarise one grid point."""
    score = np.nan
    if y_val is not None:
        score = float(np.mean(classes[point.predicted] == y_val))
    n_support = len(np.unique(point.rows[point.coefficients != 0]))
    return PathRecord(
        float(point.C),
        float(point.gamma),
        score,
        n_support,
        int(point.records["n_iter"].sum()),
        float(point.records["gap"].max()),
        bool(point.records["converged"].all()),
    )
