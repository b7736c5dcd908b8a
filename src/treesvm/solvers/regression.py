"""Epsilon-insensitive regression as a doubled problem of `smo`.

    min 1/2 b'Kb - z'b + epsilon sum|b|     s.t.  sum(b) = 0,  -u <= b <= u

Every row becomes two variables on the same kernel row: a positive part with linear term
z - epsilon in the box [0, u], and a negative part with z + epsilon in [-u, 0].  Their
sum is the row's coefficient.
"""

import numpy as np

from treesvm.solvers import conditions, interior_point, smo
from treesvm.solvers.blocked import solve_blocked
from treesvm.solvers.solution import Solution

_GRAM_ROWS = 2000  # beyond this a doubled Gram matrix costs more than working sets
_PATIENCE = 40  # pair steps per variable before interior points take over


def solve_regression(
    kernel,
    X,
    targets,
    sizes,
    epsilon,
    *,
    tol=1e-3,
    max_iter=None,
    max_bytes=500 * 2**20,
    gram=None,
):
    """Fit an epsilon-SVR.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray or CSR matrix of shape (n, n_features)
        For a precomputed kernel, the Gram matrix.
    targets : ndarray of shape (n,)
    sizes : ndarray of shape (n,)
        Box size C * weight of every row.
    epsilon : float
        Half width of the tube without loss.
    gram : Gram, optional
        Of the rows, if it serves more machines than this one.

    Returns
    -------
    Solution
        With one coefficient for each row.
    """
    n = len(targets)
    p = np.concatenate([targets - epsilon, targets + epsilon])
    lower = np.concatenate([np.zeros(n), -sizes])
    upper = np.concatenate([sizes, np.zeros(n)])
    if n <= _GRAM_ROWS and 16 * n * n <= max_bytes:
        solution = _solve_in_memory(kernel, X, p, lower, upper, tol, max_iter, gram)
    else:
        solution = solve_blocked(
            kernel,
            X,
            p,
            lower,
            upper,
            max_bytes=max_bytes,
            tol=tol,
            max_iter=smo.STALL_CAP if max_iter is None else max_iter,
            twin=np.tile(np.arange(n), 2),
        )
    beta = solution.coefficients
    return solution._replace(coefficients=beta[:n] + beta[n:])


def _solve_in_memory(kernel, X, p, lower, upper, tol, max_iter, gram=None):
    """Pair steps on the doubled Gram matrix, finished by interior points."""
    is_own, n = gram is None, X.shape[0]
    gram = kernel.gram(X) if is_own else gram
    K = np.tile(gram.matrix(kernel, is_last=is_own), (2, 2))
    beta, F = np.zeros(2 * n), -p
    cap = _PATIENCE * len(p) if max_iter is None else max_iter
    memory = smo.descent_memory(2 * n, K.dtype)
    n_iter, (violation, gap, bias) = smo.descend(
        K, p, lower, upper, beta, F, tol, tol / 10, cap, memory
    )
    if max_iter is None and not conditions.is_solved(violation, gap, tol, tol / 10):
        n_iter += interior_point.finish(
            K,
            p,
            lower,
            upper,
            beta,
            F,
            tol=tol,
            gap_tol=tol / 10,
            exact=lambda a, b: gram.exact(kernel, a % n, b % n),
        )
        violation, gap, bias = conditions.state_of(F, beta, p, lower, upper)
    converged = bool(conditions.is_solved(violation, gap, tol, tol / 10))
    return Solution(beta, bias, float(violation), float(gap), int(n_iter), converged)
