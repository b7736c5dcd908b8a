"""All scales on a path fitted together.

For the columns A of a path (rows of a node x p, and a constant), find coefficients B
that minimise, for each output,

    sum_i dist(a_i'b, [lower_i, upper_i])^2 + (b - s)'D(b - s)

Every target is an interval. With lower = upper it is least squares; with [1, inf] and
[-inf, -1] it is the quadratic hinge of the labels; a row that does not concern an
output has [-inf, inf]. The second term draws the values to those of the parent node's
coefficients s: with D = (w / n) A'A of the parent's n rows it weighs as much as w rows
of the parent, whatever the scales of the columns. A node with few rows keeps what its
parent knew.

The quadratic hinge is majorized by a parabola with the Hessian A'A + D, the same for
all outputs and steps, so a step costs two products, and the loss never rises (Groenen,
Nalbantov and Bioch 2008, section 4.2). Nesterov's extrapolation speeds the steps up.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

_LIFT = 1e-10  # of the diagonal: columns may be multiples of each other


class PathFit(NamedTuple):
    """Coefficients of a path and what they leave."""

    coefficients: np.ndarray  # (p, n_outputs)
    offsets: np.ndarray  # (n_outputs,)
    residual: np.ndarray  # (n, n_outputs)


def interval_residual(values, lower, upper):
    """Return what must be added to `values` to bring them into their intervals."""
    return np.minimum(np.maximum(values, lower), upper) - values


def fit_path(A, lower, upper, start, offsets, ridge, *, tol=1e-4, max_iter=30):
    """Fit a path's coefficients.

    Parameters
    ----------
    A : ndarray of shape (n, p)
    lower, upper : ndarray of shape (n, n_outputs)
    start : ndarray of shape (p, n_outputs)
        The parent's coefficients, zero for a new column.
    offsets : ndarray of shape (n_outputs,)
        The parent's constants.
    ridge : ndarray of shape (p + 1, p + 1)
        D, the constant last.
    tol : float
        Stop when a step changes no value by more than this share of the largest
        residual.
    max_iter : int

    Returns
    -------
    PathFit
    """
    A = np.column_stack([A, np.ones(len(A))])
    prior = np.vstack([start, offsets])
    solve = _solver(_lifted(A.T @ A + ridge))
    B, values = prior, A @ prior
    residual = interval_residual(values, lower, upper)
    if np.array_equal(lower, upper):  # a parabola already: one step ends it
        B = prior + solve(A.T @ residual)
        return PathFit(B[:-1], B[-1], lower - A @ B)
    previous, previous_values, momentum = B, values, 1.0
    scale = np.abs(residual).max(initial=0.0)
    for _ in range(max_iter):
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = (momentum - 1) / following
        at = B + ahead * (B - previous)
        # Values are linear in the coefficients: extrapolated, not multiplied again.
        at_values = values + ahead * (values - previous_values)
        gradient = A.T @ interval_residual(at_values, lower, upper)
        gradient -= ridge @ (at - prior)
        previous, previous_values, momentum = B, values, following
        B = at + solve(gradient)
        values = A @ B
        if np.abs(values - previous_values).max(initial=0.0) <= tol * scale:
            break
    return PathFit(B[:-1], B[-1], interval_residual(values, lower, upper))


def weighted_gram(A, weight):
    """Return ``weight / n`` times the Gram matrix of the columns and a constant."""
    A = np.column_stack([A, np.ones(len(A))])
    return A.T @ A * (weight / len(A))


def _lifted(gram):
    """Add a little to the diagonal, so that it can be factorised."""
    diagonal = gram.diagonal()
    return gram + np.diag(_LIFT * diagonal + (diagonal == 0.0))


def _solver(matrix):
    """Return ``b -> matrix^-1 b`` by Cholesky; LAPACK itself, as matrices are small."""
    factor, info = dpotrf(matrix)
    if info != 0:
        raise np.linalg.LinAlgError(f"Cholesky stopped at column {info}")
    return lambda values: dpotrs(factor, values)[0]
