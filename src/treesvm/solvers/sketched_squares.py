"""Least squares machines of few vectors, taught by many rows.

Solves, for targets y, weights w_i > 0 and vectors z_1 .. z_m,

    min_{c, b}  c'Kc + C sum_i w_i (y_i - f(x_i))^2,   f(x) = sum_j c_j k(x, z_j) + b,

K being the kernel of the vectors.  With every row a vector this is the machine of
`least_squares`.  In the features phi(x) = L^-1 k(x, z), K = L L', it is a ridge
regression: n rows cost n m^2, and what is kept is of size m^2 (Rudi, Carratino and
Rosasco, "FALKON", NeurIPS 2017: vectors in the order of sqrt(n) lose little).

Symbols used below: ``moments`` is sum_i w_i phi_i phi_i' about the mean of phi.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular

from treesvm.solvers.least_squares import Equations

_JITTER = 1e-4  # of the mean diagonal: equal vectors have a singular kernel
_BLOCK_ROWS = 2048  # in float32 at a time; their sums are added up in float64
_MORE = 10.0  # of the ridge, where rounding leaves the equations indefinite


class Sketch(NamedTuple):
    """What rows say to machines of the same vectors, whatever their C."""

    root: np.ndarray  # L
    moments: np.ndarray  # (m, m)
    goals: np.ndarray  # (m, n_machines), sum_i w_i phi_i y_i about the means
    centre: np.ndarray  # (m,), the mean of phi
    means: np.ndarray  # (n_machines,), of the targets


def sketch(block, K, targets, weight):
    """Return the sketch of rows.

    Parameters
    ----------
    block : callable
        ``block(rows)`` returns kernel values, float32, of the rows of a slice with the
        vectors.
    K : ndarray of shape (m, m)
        Of the vectors.
    targets : ndarray of shape (n, n_machines)
    weight : ndarray of shape (n,)
    """
    m, n_machines = len(K), targets.shape[1]
    A = K.astype(np.float64)
    A[np.diag_indices(m)] += _JITTER * max(A.diagonal().mean(), np.finfo(float).tiny)
    root = np.linalg.cholesky(A)
    moments, goals = np.zeros((m, m)), np.zeros((m, n_machines))
    sums, small_root = np.zeros(m), root.astype(np.float32)
    for start in range(0, len(weight), _BLOCK_ROWS):
        own = slice(start, start + _BLOCK_ROWS)
        phi = solve_triangular(small_root, block(own).T, lower=True, check_finite=False)
        heavy = phi * weight[own].astype(np.float32)
        moments += heavy @ phi.T
        goals += heavy @ targets[own].astype(np.float32)
        sums += heavy.sum(axis=1, dtype=np.float64)
    total = weight.sum()
    centre, means = sums / total, weight @ targets / total
    moments -= total * np.outer(centre, centre)
    goals -= total * np.outer(centre, means)
    return Sketch(root, moments, goals, centre, means)


def solve_sketched(found, C):
    """Return the `Equations` of a sketch at `C`.

    Residuals are of the equations of the features, relative to their goals.
    """
    ridge, m = 1.0 / C, len(found.moments)
    while True:
        A = found.moments + ridge * np.eye(m)
        try:
            inner = cho_solve(cho_factor(A, check_finite=False), found.goals)
            break
        except LinAlgError:
            ridge *= _MORE
    left = np.abs(A @ inner - found.goals).max(axis=0)
    size = np.maximum(np.abs(found.goals).max(axis=0), np.finfo(float).tiny)
    coefficients = solve_triangular(found.root, inner, lower=True, trans="T")
    biases = found.means - found.centre @ inner
    return Equations(coefficients, biases, left / size, 1)
