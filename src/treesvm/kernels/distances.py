"""Distances inside one part, computed once and used for every gamma.

Squared distances are formed in float64 from centred rows and kept in float32: relative
errors of 6e-8, where a float32 product would be off by 3e-6 of the squared norms, which
is 2 % of K at gamma = 10^4.  Identical rows have distance exactly zero.
"""

import numpy as np
from scipy import sparse

from treesvm.kernels.compiling import compiled
from treesvm.kernels.row_products import inner_products, squared_norms
from treesvm.kernels.sparse_products import is_mostly_zero

_WHOLE_ROWS = 3000  # larger parts are done in chunks, to hold no n^2 of float64
_CHUNK_ROWS = 512
_TILE = 32  # rows copied to columns at once
_ROUNDING = 1e-13  # float64 distances below this share of the norms are noise


class Distances:
    """Distances among the rows of a part; a subclass says which, by its `block`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)

    Attributes
    ----------
    matrix : ndarray of shape (n, n), float32
    """

    def __init__(self, X):
        self._rows = X
        self.matrix = self.block(X, X, np.float32)

    @staticmethod
    def block(A, B, dtype):
        """Return the distances of every row of `A` to every row of `B`, contiguous."""
        raise NotImplementedError

    @staticmethod
    def sizes(X):
        """Return the size of every row, in units of the distance.

        Rounding errors of the distance between two rows are of their sizes' order.
        """
        raise NotImplementedError

    def exact(self, rows, columns):
        """Return a float64 block of distances between rows of the part."""
        return self.block(self._rows[rows], self._rows[columns], np.float64)

    def to_queries(self, Q):
        """Return float64 distances of the rows of `Q` to the part's rows."""
        return self.block(Q, self._rows, np.float64)


class SquaredDistances(Distances):
    """Squared Euclidean distances."""

    def __init__(self, X):
        self._rows, self._norms, self._mean = _centred(X)
        self.matrix = _squared_distances(self._rows, self._norms)

    @staticmethod
    def block(A, B, dtype):
        """Return the distances of every row of `A` to every row of `B`."""
        products = inner_products(A, B, dtype)
        products *= -2
        products += squared_norms(A, dtype)[:, None]
        products += squared_norms(B, dtype)
        return np.maximum(products, 0, out=products)

    @staticmethod
    def sizes(X):
        """Return the squared distance of every row from the mean, or from zero.

        Rows that are sparse, or mostly zeros, are not centred.
        """
        is_centred = not (sparse.issparse(X) or is_mostly_zero(X))
        return squared_norms(X - X.mean(axis=0) if is_centred else X, np.float64)

    def exact(self, rows, columns):
        """Return a float64 block of distances between rows of the part."""
        A, B = self._rows[rows], self._rows[columns]
        block = inner_products(A, B, np.float64)
        block *= -2
        block += self._norms[rows][:, None]
        block += self._norms[columns]
        scale = self._norms.max(initial=0.0)
        block[block <= _ROUNDING * scale] = 0.0
        return block

    def to_queries(self, Q):
        """Return float64 distances of the rows of `Q` to the part's rows."""
        Q = Q if self._mean is None else Q - self._mean
        return self.block(Q, self._rows, np.float64)


def _centred(X):
    """Return float64 rows moved to their mean, their squared norms, and the mean.

    Sparse rows stay where they are: centring would fill them.
    """
    if sparse.issparse(X):
        rows = X.astype(np.float64)
        return rows, np.asarray(rows.multiply(rows).sum(axis=1)).ravel(), None
    rows = np.array(X, dtype=np.float64, order="C")
    mean = rows.mean(axis=0)
    rows -= mean
    return rows, np.einsum("ij,ij->i", rows, rows), mean


def _squared_distances(rows, norms):
    """All pairwise squared distances in float32, symmetric with a zero diagonal."""
    n, floor = len(norms), _ROUNDING * norms.max(initial=0.0)
    out = np.empty((n, n), np.float32)
    if n <= _WHOLE_ROWS and not sparse.issparse(rows):
        # NumPy sees that this is symmetric, and half the work; unlike SciPy's dsyrk it
        # lets other threads run.
        _fill_distances(rows @ rows.T, norms, 0, floor, out)
    else:
        for start in range(0, n, _CHUNK_ROWS):
            part = rows[start : start + _CHUNK_ROWS]
            products = inner_products(part, rows[: start + _CHUNK_ROWS], np.float64)
            _fill_distances(products, norms, start, floor, out)
    mirror(out)
    return out


@compiled
def _fill_distances(products, norms, start, floor, out):
    """Fill the lower triangle of `out` from the row `start` on."""
    for k in range(len(products)):
        i = start + k
        row, norm, target = products[k], norms[i], out[i]
        for j in range(i):
            d = norm + norms[j] - 2.0 * row[j]
            target[j] = np.float32(d if d > floor else 0.0)
        target[i] = np.float32(0.0)


def mirror(out):
    """Copy the lower triangle to the upper one, tile by tile for the cache's sake."""
    above = ~np.tri(_TILE, dtype=bool)
    for start in range(0, len(out), _TILE):
        own = slice(start, start + _TILE)
        out[:start, own] = out[own, :start].T
        corner = out[own, own]
        n = len(corner)
        np.copyto(corner, corner.T.copy(), where=above[:n, :n])
