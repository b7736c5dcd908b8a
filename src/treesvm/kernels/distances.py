"""Squared distances inside one leaf, computed once and used for every gamma.

Distances are formed in float64 from centred rows and kept in float32: relative errors
of 6e-8, where a float32 product would be off by 3e-6 of the squared norms, which is
2 % of K at gamma = 10^4.  Identical rows have distance exactly zero.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import blas

from treesvm.kernels.compiling import compiled
from treesvm.kernels.exponential import exp_minus_one
from treesvm.kernels.kernel import inner_products

# Below this value of gamma * distance a Taylor series of exp(-t) - 1 is exact to
# float32 and keeps its leading digits, which exp(-t) - 1 computed as written loses.
_SERIES_REACH = 0.5
_WHOLE_ROWS = 3000  # larger leaves are done in chunks, to hold no n^2 of float64
_CHUNK_ROWS = 512
_ROUNDING = 1e-13  # float64 distances below this share of the norms are noise


class LeafDistances:
    """Squared distances between the rows of a leaf.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    """

    def __init__(self, X):
        self._rows, self._norms, self._mean = _centred(X)
        self.squared = _squared_distances(self._rows, self._norms)

    def rbf_minus_one(self, gamma, out=None):
        """Return exp(-gamma d) - 1 in float32.

        An SVM dual does not change when a constant is added to its Gram matrix, and
        minus one keeps the digits of small gammas.
        """
        out = np.empty_like(self.squared) if out is None else out
        return rbf_minus_one(self.squared, gamma, out)

    def exact_rbf_minus_one(self, gamma, rows, columns):
        """Return a float64 block of exp(-gamma d) - 1, from float64 distances."""
        A, B = self._rows[rows], self._rows[columns]
        block = inner_products(A, B, np.float64)
        block *= -2
        block += self._norms[rows][:, None]
        block += self._norms[columns]
        scale = self._norms.max(initial=0.0)
        block[block <= _ROUNDING * scale] = 0.0
        block *= gamma
        return exp_minus_one(block)

    def to_queries(self, Q):
        """Return float64 squared distances of the rows of `Q` to the leaf's rows."""
        Q = Q.astype(np.float64) if sparse.issparse(Q) else np.asarray(Q, np.float64)
        if sparse.issparse(self._rows):
            norms = np.asarray(Q.multiply(Q).sum(axis=1)).ravel()
        else:
            Q = Q - self._mean
            norms = np.einsum("ij,ij->i", Q, Q)
        squared = inner_products(Q, self._rows, np.float64)
        squared *= -2
        squared += norms[:, None]
        squared += self._norms
        return np.maximum(squared, 0.0, out=squared)


def rbf_minus_one(squared, gamma, out):
    """Write exp(-gamma d) - 1 to `out`, all float32."""
    largest = float(squared.max(initial=0.0)) if squared.size else 0.0
    if gamma * largest <= _SERIES_REACH:
        _series(squared.reshape(-1), np.float32(gamma), out.reshape(-1))
        return out
    np.multiply(squared, np.float32(-gamma), out=out)
    np.exp(out, out=out)
    out -= np.float32(1)
    return out


@compiled
def _series(squared, gamma, out):
    """exp(-t) - 1 by its series to t^7, for t <= 1/2."""
    one = np.float32(1.0)
    for k in range(squared.shape[0]):
        t = gamma * squared[k]
        s = one - t * np.float32(1.0 / 7.0)
        s = one - t * np.float32(1.0 / 6.0) * s
        s = one - t * np.float32(1.0 / 5.0) * s
        s = one - t * np.float32(1.0 / 4.0) * s
        s = one - t * np.float32(1.0 / 3.0) * s
        s = one - t * np.float32(1.0 / 2.0) * s
        out[k] = -t * s


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
        # The lower triangle is enough: half the work of a full product.
        products = blas.dsyrk(1.0, rows.T, trans=1, lower=0).T
        _fill_distances(products, norms, 0, floor, out)
    else:
        for start in range(0, n, _CHUNK_ROWS):
            part = rows[start : start + _CHUNK_ROWS]
            products = inner_products(part, rows[: start + _CHUNK_ROWS], np.float64)
            _fill_distances(products, norms, start, floor, out)
    _mirror(out)
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


@compiled
def _mirror(out):
    """Copy the lower triangle to the upper one, tile by tile for the cache's sake."""
    n, tile = len(out), 32
    for a in range(0, n, tile):
        for b in range(0, a + 1, tile):
            for i in range(a, min(a + tile, n)):
                for j in range(b, min(b + tile, i)):
                    out[j, i] = out[i, j]
