"""Least squares kernel machines: linear equations instead of a quadratic program.

For targets y and a ridge d_i = 1 / (C weight_i) on every row, the machine minimises

    1/2 |w|^2 + 1/2 sum_i (y_i - f(x_i))^2 / d_i,    f(x) = sum_i beta_i K(x_i, x) + b,

which is solved by the equations

    (K + diag(d)) beta + 1 b = y,      1'beta = 0

(J. Suykens, J. Vandewalle, "Least squares support vector machine classifiers", Neural
Processing Letters 9, 1999).  The hinge only asks on which side of its margin a row is;
squares pull every value to the mean of the labels around it, so that values far from
the border tell likely rows from unlikely ones.  The price: every row is a vector.

With A = K + diag(d), A e = 1 and A h = y give b = 1'h / 1'e and beta = h - b e.  A is
factorised where rows are few, and conjugate gradients solve it where they are many:
what is left of the equations bounds the error of the values, since |K A^-1| < 1.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

FACTORISED_ROWS = 6000  # above, some hundred products are cheaper than the factors
_MOST_STEPS = 1000


class Equations(NamedTuple):
    """Solved equations of several machines over the same rows.

    Attributes
    ----------
    coefficients : ndarray of shape (n, n_machines)
    biases : ndarray of shape (n_machines,)
    residuals : ndarray of shape (n_machines,)
        Largest absolute value of y - A beta - b.
    n_iter : int
        Steps of conjugate gradients; 1 where A was factorised.
    """

    coefficients: np.ndarray
    biases: np.ndarray
    residuals: np.ndarray
    n_iter: int


def solve_factorised(K, targets, ridge):
    """Solve the equations by the factors of A, in the precision of `K`.

    Half the digits cost half the time; a second solution, of what the first
    one leaves of the equations, brings the digits back.

    Parameters
    ----------
    K : ndarray of shape (n, n), float32 or float64
    targets : ndarray of shape (n, n_machines)
    ridge : ndarray of shape (n,)
        Positive.
    """
    A, dtype = K.copy(), K.dtype
    A[np.diag_indices_from(A)] += ridge.astype(dtype)
    # The transpose of a symmetric matrix is it, in the order that LAPACK wants.
    factor = cho_factor(A.T, lower=True, overwrite_a=True, check_finite=False)
    goals = np.column_stack([np.ones(len(K)), targets])

    def solved(goals):
        found = cho_solve(factor, goals.astype(dtype), check_finite=False)
        return found.astype(np.float64)

    def product(beta):
        return (K @ beta.astype(dtype)).astype(np.float64)

    found = solved(goals)
    found += solved(goals - product(found) - ridge[:, None] * found)
    return _joined(found, targets, product, ridge, 1)


def solve_by_products(product, diagonal, targets, ridge, *, tol=1e-3, max_iter=None):
    """Solve the equations by conjugate gradients, which never hold A.

    Parameters
    ----------
    product : callable
        From an array of shape (n, m) to K times it.
    diagonal : ndarray of shape (n,)
        Of K.
    targets : ndarray of shape (n, n_machines)
    ridge : ndarray of shape (n,)
        Positive.
    tol : float
        Of the largest residual; values are then off by less, in the mean over rows.
    max_iter : int, optional
        Cap on the steps.
    """
    goals = np.column_stack([np.ones(len(ridge)), targets])
    scale = 1.0 / (diagonal + ridge)[:, None]  # weights make rows of A differ in size
    found = np.zeros_like(goals)
    left = goals.copy()
    ahead = scale * left
    along, strength = ahead.copy(), np.einsum("ij,ij->j", left, ahead)
    n_iter, most = 0, min(_MOST_STEPS, max_iter or _MOST_STEPS)
    while n_iter < most and np.abs(left).max() > tol:
        image = product(along) + ridge[:, None] * along
        curvature = np.einsum("ij,ij->j", along, image)
        step = _ratio(strength, curvature)
        found += step * along
        left -= step * image
        ahead = scale * left
        before, strength = strength, np.einsum("ij,ij->j", left, ahead)
        along = ahead + _ratio(strength, before) * along
        n_iter += 1
    return _joined(found, targets, product, ridge, n_iter)


def _ratio(above, below):
    """Return above / below, zero for columns that are solved."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _joined(found, targets, product, ridge, n_iter):
    """Return the machines of the solutions for 1 and for the targets."""
    ones, own = found[:, :1], found[:, 1:]
    biases = own.sum(axis=0) / ones.sum()
    beta = own - biases * ones
    left = targets - product(beta) - ridge[:, None] * beta - biases
    return Equations(beta, biases, np.abs(left).max(axis=0), n_iter)
