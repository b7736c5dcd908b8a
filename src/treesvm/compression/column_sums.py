"""Sums over the rows of a node, for all columns at once.

A node of a support vector tree holds a run of rows of the term matrix K (n x m). For
residuals E (rows x outputs), each column k has the best scale c = K_k'E / K_k'K_k and
the gain |K_k'E|^2 / K_k'K_k, by which it lowers the sum of squared residuals
(support vector trees, section 4.3). For one output both come from one compiled pass
over the rows; for several, numerators come from BLAS.
"""

from typing import NamedTuple

import numpy as np

from treesvm.kernels.compiling import compiled

_BLOCK_ROWS = 32  # as many rows of terms as stay in a processor's cache


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
    if residual.shape[1] > 1:
        return ColumnSums(K.T @ residual, squares_of(K))
    products, squares = np.zeros((K.shape[1], 1)), np.zeros(K.shape[1])
    _add_sums(K, residual[:, 0], products[:, 0], squares)
    return ColumnSums(products, squares)


def squares_of(K):
    """Return the sum of squares of every column."""
    squares = np.zeros(K.shape[1])
    _add_squares(K, squares)
    return squares


@compiled
def _add_sums(K, residual, products, squares):
    """Add the sums of every column, four rows at a time: sums are loaded less often."""
    n_fours = len(K) // 4
    for four in range(n_fours):
        i = 4 * four
        a, b, c, d = K[i], K[i + 1], K[i + 2], K[i + 3]
        p, q, r, s = residual[i], residual[i + 1], residual[i + 2], residual[i + 3]
        for k in range(K.shape[1]):
            products[k] += (a[k] * p + b[k] * q) + (c[k] * r + d[k] * s)
            squares[k] += (a[k] * a[k] + b[k] * b[k]) + (c[k] * c[k] + d[k] * d[k])
    for i in range(4 * n_fours, len(K)):
        row, p = K[i], residual[i]
        for k in range(K.shape[1]):
            products[k] += row[k] * p
            squares[k] += row[k] * row[k]


@compiled
def _add_squares(K, out):
    """Add the squares of every column to `out`; whole rows are read in order."""
    for i in range(K.shape[0]):
        row = K[i]
        for k in range(out.shape[0]):
            out[k] += row[k] * row[k]


def best_column(sums, least, taken=(), scales=None):
    """Return the `BestColumn` of some sums.

    Parameters
    ----------
    sums : ColumnSums
    least : ndarray of shape (m,)
        Columns with no more squares than this are passed over: they are next to zero on
        the rows at hand and would need a huge scale.
    taken : sequence of int
        Columns that must not be chosen.
    scales : ndarray of shape (m, n_outputs), optional
        Instead of their best scales, those of all columns; then any column may be
        chosen, again and even if the residuals grow, since the least harm is the best.
    """
    products, squares = sums
    if scales is not None:
        gains = ((2.0 * products - scales * squares[:, None]) * scales).sum(axis=1)
        k = int(gains.argmax())
        return BestColumn(k, scales[k], float(gains[k]))
    k, gain = _largest_gain(products, squares, least, np.asarray(taken, np.intp))
    if k < 0:
        return BestColumn(-1, np.zeros(products.shape[1]), 0.0)
    return BestColumn(k, products[k] / squares[k], gain)


@compiled
def _largest_gain(products, squares, least, taken):
    """Return the first column with the largest gain, -1 if none may be chosen."""
    is_taken = np.zeros(len(squares), np.bool_)
    is_taken[taken] = True
    best, best_gain = -1, -1.0
    for k in range(len(squares)):
        if squares[k] > least[k] and not is_taken[k]:
            gain = 0.0
            for j in range(products.shape[1]):
                gain += products[k, j] * products[k, j]
            gain /= squares[k]
            if gain > best_gain:
                best, best_gain = k, gain
    return best, best_gain


@compiled
def errors_of(K, residual, column, scale):
    """Return what a column with its scale leaves of every row's squared residuals."""
    errors = np.zeros(len(K))
    for i in range(len(K)):
        term = K[i, column]
        for j in range(len(scale)):
            errors[i] += (residual[i, j] - term * scale[j]) ** 2
    return errors


@compiled
def best_cut(left_errors, right_errors, cuts):
    """Return the cut with the least cost, and that cost, by prefix sums.

    Parameters
    ----------
    left_errors, right_errors : ndarray of shape (n,)
        Squared error of each row, sorted by the node's column, if it goes left or
        right.
    cuts : ndarray of int
        Allowed numbers of rows on the left, between 1 and n - 1, ascending.
    """
    cost, at = right_errors.sum(), 0
    best, best_cost = cuts[0], np.inf
    for cut in cuts:
        for i in range(at, cut):
            cost += left_errors[i] - right_errors[i]
        at = cut
        if cost < best_cost:
            best, best_cost = cut, cost
    return best, best_cost


@compiled
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
    """Return ``K - basis (basis'K)``, block by block: no third matrix is needed."""
    shares = basis.T @ K
    out = np.empty_like(K)
    for first in range(0, len(K), _BLOCK_ROWS):
        rows = slice(first, first + _BLOCK_ROWS)
        np.matmul(basis[rows], shares, out=out[rows])
        np.subtract(K[rows], out[rows], out=out[rows])
    return out
