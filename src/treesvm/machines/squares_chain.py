"""The machines of one Gram matrix by least squares, for one C after the other.

The counterpart of `path.GramChain`: the same coefficients, biases and records.
"""

import numpy as np

from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.machines.path import RECORD
from treesvm.solvers import smo
from treesvm.solvers.least_squares import (
    FACTORISED_ROWS,
    solve_by_products,
    solve_factorised,
)
from treesvm.solvers.solution import Solution

_LEAST_RIDGE = 1e-8  # of what is as good as no ridge; equal rows have a singular kernel
_COARSE_RIDGE = 1e-3  # above, the rounding of float32 kernel values does not matter
_BLOCK_BYTES = 32 * 2**20


class SquaresChain:
    """Least squares machines; parameters are those of `path.GramChain`."""

    def __init__(self, K, machines, weight, *, exact=None, tol=1e-3, max_iter=None):
        self.machines, self._weight = machines, weight
        self._K, self._exact = K, exact
        self._tol, self._max_iter = tol, max_iter
        self.beta = np.zeros(len(machines.rows))
        self.records = np.zeros(machines.n_machines, RECORD)

    def solve(self, C):
        """Solve every machine at `C`; return their records."""
        machines, n = self.machines, len(self._weight)
        starts = machines.starts
        if (np.diff(starts) == n).all():  # one against the rest: the same rows
            signs = machines.signs.reshape(machines.n_machines, n).T
            rows = machines.rows[:n]
            self._note(slice(None), self._solved(rows, signs, C))
            return self.records
        for m in range(machines.n_machines):
            own = slice(starts[m], starts[m + 1])
            rows, signs = machines.rows[own], machines.signs[own, None]
            self._note(slice(m, m + 1), self._solved(rows, signs, C))
        return self.records

    def _solved(self, rows, signs, C):
        """Solve machines of the same rows."""
        ridge = _ridge(C * self._weight[rows])
        # Threads of BLAS would change the last digits.
        with one_blas_thread():
            if len(rows) <= FACTORISED_ROWS:
                return solve_factorised(self._block(rows, ridge.min()), signs, ridge)
            K = self._cut(rows)
            return solve_by_products(
                lambda beta: _with_one(K @ beta.astype(K.dtype), beta),
                K.diagonal() + 1.0,
                signs,
                ridge,
                tol=self._tol,
                max_iter=self._max_iter,
            )

    def _block(self, rows, least):
        """Return the kernel of rows, plus what makes it definite."""
        if self._exact is not None and least < _COARSE_RIDGE:
            return self._exact(rows, rows) + 1.0
        return self._cut(rows) + np.float32(1.0)

    def _cut(self, rows):
        """Return the Gram matrix of rows."""
        if len(rows) == len(self._K):
            return self._K
        return smo.gathered(self._K, rows, np.empty(len(rows) ** 2, self._K.dtype))

    def _note(self, own, found):
        """Keep what was solved for the machines `own`, a slice."""
        starts = self.machines.starts
        first, last, _ = own.indices(self.machines.n_machines)
        self.beta[starts[first] : starts[last]] = found.coefficients.T.ravel()
        record = self.records[own]
        record["bias"], record["violation"] = found.biases, found.residuals
        record["gap"] = found.residuals
        record["norm"] = np.linalg.norm(found.coefficients, axis=0)
        record["n_iter"] = found.n_iter
        record["converged"] = found.residuals <= self._tol


def solve_squares_alone(block, signs, box, *, tol=1e-3, max_iter=None):
    """Solve one machine without holding its kernel.

    Parameters
    ----------
    block : callable
        ``block(rows)`` returns kernel values of some rows with all.
    signs : ndarray of shape (n,)
        Or targets that are numbers.
    box : ndarray of shape (n,)
        C times the weight of each row.

    Returns
    -------
    Solution
    """
    n = len(signs)
    step = max(1, _BLOCK_BYTES // (4 * n))
    slices = [np.arange(k, min(k + step, n)) for k in range(0, n, step)]

    def product(beta):
        K_beta = np.concatenate(
            [block(rows) @ beta.astype(np.float32) for rows in slices]
        )
        return _with_one(K_beta, beta)

    diagonal = np.concatenate(
        [block(rows)[np.arange(len(rows)), rows] for rows in slices]
    )
    with one_blas_thread():
        found = solve_by_products(
            product,
            diagonal + 1.0,
            signs[:, None],
            _ridge(box),
            tol=tol,
            max_iter=max_iter,
        )
    left = float(found.residuals[0])
    beta, bias = found.coefficients[:, 0], float(found.biases[0])
    return Solution(beta, bias, left, left, found.n_iter, left <= tol)


def _ridge(box):
    return np.maximum(1.0 / box, _LEAST_RIDGE)


def _with_one(K_beta, beta):
    """Return the product with K + 1.

    Gram matrices are given up to a constant.  As coefficients sum to zero, none changes
    the solution, but k - 1 is not positive definite, and k is.
    """
    return K_beta + beta.sum(axis=0)
