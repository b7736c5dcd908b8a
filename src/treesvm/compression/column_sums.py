"""Sums over the rows of a node, for all columns at once.

A node of a support vector tree holds a run of rows of the term matrix K (n x m). For
residuals E (rows x outputs), each column k has the best scale c = K_k'E / K_k'K_k and
the gain |K_k'E|^2 / K_k'K_k, by which it lowers the sum of squared residuals
(support vector trees, section 4.3). Numerators come from BLAS, denominators from one
pass over the rows.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.linalg.blas import dgemm


class ColumnSums(NamedTuple):
    """K'E and K'K (its diagonal) over some rows."""

    products: np.ndarray  # (m, n_outputs)
    squares: np.ndarray  # (m,)

    def __add__(self, other):
        return ColumnSums(self.products + other.products, self.squares + other.squares)

    def __sub__(self, other):
        return ColumnSums(self.products - other.products, self.squares - other.squares)


class BestColumn(NamedTuple):
    """The column that lowers the squared residuals most."""

    column: int
    scale: np.ndarray  # (n_outputs,)
    gain: float


def column_sums(K, residual):
    """Return the sums over all rows of `K`, a slice of rows of a C-ordered array."""
    squares = np.zeros(K.shape[1])
    _add_squares(K, squares)
    return ColumnSums(K.T @ residual, squares)


@njit(cache=True, nogil=True)
def _add_squares(K, out):
    """Add the squares of every column to `out`; whole rows are read in order."""
    for i in range(K.shape[0]):
        row = K[i]
        for k in range(out.shape[0]):
            out[k] += row[k] * row[k]


def best_column(sums, least, taken=()):
    """Return the `BestColumn` of some sums.

    Parameters
    ----------
    sums : ColumnSums
    least : ndarray of shape (m,)
        Columns with no more squares than this are passed over: they are next to zero on
        the rows at hand and would need a huge scale.
    taken : sequence of int
        Columns that must not be chosen.
    """
    products, squares = sums
    usable = squares > least
    usable[list(taken)] = False
    if not usable.any():
        return BestColumn(-1, np.zeros(products.shape[1]), 0.0)
    safe = np.where(usable, squares, 1.0)
    gains = np.einsum("km,km->k", products, products) / safe
    gains[~usable] = -1.0
    k = int(gains.argmax())
    return BestColumn(k, products[k] / safe[k], float(gains[k]))


def best_cut(left_errors, right_errors, cuts):
    """Return the cut with the least cost, and that cost, by prefix sums.

    Parameters
    ----------
    left_errors, right_errors : ndarray of shape (n,)
        Squared error of each row, sorted by the node's column, if it goes left or
        right.
    cuts : ndarray of int
        Allowed numbers of rows on the left, between 1 and n - 1.
    """
    costs = np.cumsum(left_errors - right_errors)[cuts - 1]
    k = int(costs.argmin())
    return int(cuts[k]), float(costs[k] + right_errors.sum())


@njit(cache=True, nogil=True)
def permute_rows(K, order):
    """Put row ``order[i]`` of `K` in place i, in place: no second matrix is needed."""
    done = np.zeros(len(order), np.bool_)
    held = np.empty(K.shape[1], K.dtype)
    for start in range(len(order)):
        if done[start] or order[start] == start:
            continue
        held[:] = K[start]
        i = start
        while order[i] != start:
            K[i] = K[order[i]]
            done[i] = True
            i = order[i]
        K[i] = held
        done[i] = True


def without_span(K, basis):
    """Return ``K - basis (basis'K)`` with one matrix more, not two."""
    shares = K.T @ basis
    out = K.copy()
    # BLAS thinks in columns: the transposed matrix is updated in its place.
    dgemm(-1.0, shares, basis, 1.0, out.T, trans_b=True, overwrite_c=True)
    return out
