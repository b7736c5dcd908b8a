"""Inner products with rows that are mostly zeros, at the price of what is not zero.

The other rows are laid out in tiles, feature by feature, so that each stored entry of a
row is one pass of vector instructions over the columns of a tile.  A matrix product
would do the same for the zeros, and a product of two sparse matrices looks for pairs:
between the two shares of stored entries below this is several times faster than either.
"""

import numpy as np
from scipy import sparse

from treesvm.kernels.compiling import compiled
from treesvm.kernels.row_products import squared_norms

_LEAST_SHARE, _LARGEST_SHARE = 0.02, 0.3  # of entries that are not zero
_MOST_BYTES = 512 * 2**20  # of tiles
_TILE, _LANES = 512, 16  # columns of a tile, at most, and of a vector register
_SAMPLE = 1000  # rows whose zeros are counted


def is_mostly_zero(X):
    """Whether rows, dense or sparse, have few enough entries to go one by one."""
    n_rows, width = X.shape
    if 4 * n_rows * width > _MOST_BYTES:
        return False
    if sparse.issparse(X):
        share = X.nnz / max(1, n_rows * width)
    else:
        some = X[:: max(1, n_rows // _SAMPLE)]
        share = np.count_nonzero(some) / max(1, some.size)
    return _LEAST_SHARE <= share <= _LARGEST_SHARE


class SparseExponents:
    """Exponents -gamma |a - b|^2 of rows `a` with fixed rows `b`, in float32.

    Parameters
    ----------
    B : ndarray or CSR matrix of shape (n, n_features)
    gamma : float
    """

    def __init__(self, B, gamma):
        self._tiles = _tiles_of(B)
        self._norms = _exponent_norms(B, gamma)

    def __len__(self):
        return len(self._norms)

    def of(self, rows, picked=None):
        """Return the exponents of some of the `SparseRows`, or of all of them."""
        starts, ends, norms = rows.starts, rows.ends, rows.norms
        if picked is not None:
            starts, ends, norms = starts[picked], ends[picked], norms[picked]
        out = np.empty((len(starts), len(self)), np.float32)
        entries = rows.features, rows.entries
        _add_products(starts, ends, *entries, norms, self._tiles, self._norms, out)
        return out


class SparseRows:
    """Rows as `SparseExponents` reads them: entries times 2 gamma, and norms."""

    def __init__(self, A, gamma):
        A = sparse.csr_array(A)
        if not A.has_canonical_format:
            A = A.copy()
            A.sum_duplicates()
        self.starts = A.indptr[:-1].astype(np.int64)
        self.ends = A.indptr[1:].astype(np.int64)
        self.features = A.indices.astype(np.int32, copy=False)
        self.entries = (2.0 * gamma * A.data).astype(np.float32)
        self.norms = _exponent_norms(A, gamma)


def _exponent_norms(X, gamma):
    """-gamma |x|^2, rounded once."""
    return (-gamma * squared_norms(X, np.float64)).astype(np.float32)


def _tiles_of(B):
    """Lay rows out as tiles of columns, (n_tiles, n_features, columns)."""
    n_rows, width = B.shape
    columns = min(_TILE, _LANES * -(-n_rows // _LANES))
    tiles = np.zeros((-(-n_rows // max(1, columns)), width, columns), np.float32)
    for k in range(len(tiles)):
        part = B[k * columns : (k + 1) * columns]
        part = part.toarray() if sparse.issparse(part) else part
        tiles[k, :, : len(part)] = part.T
    return tiles


# A product and its sum may be rounded once instead of twice.
@compiled(fastmath={"contract"})
def _add_products(starts, ends, features, entries, norms, tiles, other_norms, out):
    """Write norms and products to `out`, four entries of a row in a pass."""
    columns = tiles.shape[2]
    for k in range(len(tiles)):
        tile, first = tiles[k], k * columns
        others = other_norms[first : first + columns]
        for i in range(len(out)):
            sums, norm = out[i, first : first + columns], norms[i]
            for t in range(sums.shape[0]):
                sums[t] = norm + others[t]
            e, whole = starts[i], ends[i] - (ends[i] - starts[i]) % 4
            while e < whole:
                a, b, c, d = entries[e], entries[e + 1], entries[e + 2], entries[e + 3]
                p, q = tile[features[e]], tile[features[e + 1]]
                r, s = tile[features[e + 2]], tile[features[e + 3]]
                for t in range(sums.shape[0]):
                    sums[t] += (a * p[t] + b * q[t]) + (c * r[t] + d * s[t])
                e += 4
            for e in range(whole, ends[i]):
                a, p = entries[e], tile[features[e]]
                for t in range(sums.shape[0]):
                    sums[t] += a * p[t]
