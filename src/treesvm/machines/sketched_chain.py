"""Least squares machines of at most `MOST_VECTORS` vectors, one C after the other.

The counterpart of `squares_chain.SquaresChain` for many rows: the same interface, but
kernel values of rows with a few of them, evenly spaced in each class, are all it needs.
"""

from functools import cache

import numpy as np

from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.machines.path import RECORD
from treesvm.solvers.sketched_squares import sketch, solve_sketched

MOST_VECTORS = 2000


class SketchedChain:
    """Sketched machines; parameters are those of `path.GramChain`, and

    block : callable, optional
        ``block(rows, others)`` returns kernel values of sorted rows, where no Gram
        matrix `K` is held.
    """

    def __init__(
        self, K, machines, weight, *, exact=None, tol=1e-3, max_iter=None, block=None
    ):
        self.machines, self._weight, self._tol = machines, weight, tol
        self._block = block or (lambda rows, others: K[np.ix_(rows, others)])
        self.beta = np.zeros(len(machines.rows))
        self.records = np.zeros(machines.n_machines, RECORD)
        self._sketch_of = cache(self._sketched)

    def solve(self, C):
        """Solve every machine at `C`; return their records."""
        starts, n_machines = self.machines.starts, self.machines.n_machines
        is_shared = bool((np.diff(starts) == len(self._weight)).all())
        for first in range(0, n_machines, n_machines if is_shared else 1):
            last = n_machines if is_shared else first + 1
            vectors, found = self._sketch_of(first, last)
            solved = solve_sketched(found, C)
            beta = np.zeros((starts[first + 1] - starts[first], last - first))
            beta[vectors] = solved.coefficients
            self.beta[starts[first] : starts[last]] = beta.T.ravel()
            record = self.records[first:last]
            record["bias"], record["violation"] = solved.biases, solved.residuals
            record["gap"], record["n_iter"] = solved.residuals, solved.n_iter
            record["norm"] = np.linalg.norm(solved.coefficients, axis=0)
            record["converged"] = solved.residuals <= self._tol
        return self.records

    def _sketched(self, first, last):
        """Return the places of the vectors and the sketch of machines of equal rows."""
        starts, n_machines = self.machines.starts, last - first
        rows = self.machines.rows[starts[first] : starts[first + 1]]
        signs = self.machines.signs[starts[first] : starts[last]]
        n = len(rows)
        vectors = np.unique(np.linspace(0, n - 1, min(n, MOST_VECTORS)).astype(np.intp))
        chosen = rows[vectors]
        # Threads of BLAS would change the last digits.
        with one_blas_thread():
            return vectors, sketch(
                lambda own: self._block(rows[own], chosen),
                self._block(chosen, chosen),
                signs.reshape(n_machines, n).T,
                self._weight[rows],
            )
