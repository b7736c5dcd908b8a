"""A grid of (gamma, C) on a leaf whose distances do not fit in memory.

With many classes every machine sees only the rows of two of them: its own distances are
small, though those of all rows are not.  Each machine goes through the whole grid by
itself, in threads; `LeafGrid` serves leaves whose distances can be held at once.
"""

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.machines.compilation import announce_compilation
from treesvm.machines.grid import GridPoint
from treesvm.machines.layout import build_machines
from treesvm.machines.losses import CHAINS
from treesvm.machines.path import leaf_path
from treesvm.machines.training import assemble
from treesvm.machines.voting import chunked_codes


class PairGrid:
    """What all grid points of a leaf share: the layout of its machines.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    codes : ndarray of shape (n,)
        Classes 0 .. n_classes - 1.
    n_classes : int
    weight : ndarray of shape (n,)
    kernel : Kernel
        Its gamma comes from the grid.
    X_val : ndarray or CSR matrix of shape (n_val, n_features)
    multi_class : {"ovo", "ovr"}
    answer, loss
        As in `LeafGrid`.
    n_jobs : int, optional
        Threads; the points do not depend on it.
    """

    def __init__(
        self,
        X,
        codes,
        n_classes,
        weight,
        kernel,
        X_val,
        *,
        multi_class="ovo",
        answer=chunked_codes,
        loss="hinge",
        n_jobs=None,
    ):
        announce_compilation()
        self._chain_of = CHAINS[loss]
        self.machines = build_machines(codes, n_classes, multi_class)
        self._X, self._X_val, self._n_jobs = X, X_val, n_jobs
        self._weight, self._kernel, self._answer = weight, kernel, answer

    def points(self, gammas, Cs, *, tol=1e-3, max_iter=None):
        """Yield a `GridPoint` for every gamma and, ascending, every C."""
        n_workers = min(effective_n_jobs(self._n_jobs), self.machines.n_machines)
        with one_blas_thread():  # the blocks are too small for more
            paths = Parallel(n_jobs=n_workers, require="sharedmem")(
                delayed(self._machine_path)(m, gammas, Cs, tol, max_iter)
                for m in range(self.machines.n_machines)
            )
        before, predicted = None, None
        for same_point in zip(*paths, strict=True):
            gamma, C = same_point[0][:2]
            coefficients = np.concatenate([point[2] for point in same_point])
            records = np.concatenate([point[3] for point in same_point])
            # Above some C no coefficient is at its bound: the same machines again.
            if before is None or not _same(before, (gamma, coefficients)):
                predicted = self._predict(gamma, coefficients, records)
            before = gamma, coefficients
            rows = self.machines.rows
            yield GridPoint(gamma, C, predicted, rows, coefficients, records)

    def _machine_path(self, m, gammas, Cs, tol, max_iter):
        """All points of one machine, its coefficients in the order of its rows."""
        own = slice(self.machines.starts[m], self.machines.starts[m + 1])
        rows = self.machines.order[self.machines.rows[own]]
        alone = build_machines((self.machines.signs[own] > 0).astype(np.intp), 2, "ovo")
        rows = rows[alone.order]
        path = leaf_path(
            self._kernel.gram(self._kernel.take(self._X, rows)),
            self._kernel,
            alone,
            self._weight[rows],
            gammas,
            Cs,
            chain_of=self._chain_of,
            tol=tol,
            max_iter=max_iter,
        )
        points = []
        for gamma, C, solved, records in path:
            coefficients = np.empty(len(rows))
            coefficients[alone.order] = solved
            points.append((gamma, C, coefficients, records))
        return points

    def _predict(self, gamma, coefficients, records):
        """Answer the validation rows."""
        kernel, X_val = self._kernel.with_gamma(gamma), self._X_val
        machine = assemble(self._X, self.machines, kernel, coefficients, records)

        def decide(rows):
            return machine.reliable_decisions(X_val[rows])

        return self._answer(decide, X_val.shape[0], machine.pairs, machine.n_classes)


def _same(one, other):
    """Whether two points have the same kernel and the same coefficients."""
    return one[0] == other[0] and np.array_equal(one[1], other[1])


def rows_of_largest_machine(codes, multi_class):
    """Rows of the machine that sees the most of them."""
    counts = np.sort(np.bincount(codes))[::-1]
    return len(codes) if multi_class == "ovr" else int(counts[:2].sum())
