"""Manhattan distances, sums of absolute differences: no matrix product gives them.

Columns are held in tiles, feature by feature, so that the inner loop runs over the
columns of a tile and compiles to vector instructions.  A pass takes four features, for
one load and store of the sums, and the features of a pass over a tile stay in the first
level cache.  Rows in float32 are centred first where that is free: distances are then
off by about 1e-7 of the size of a row, and those of identical rows are exactly zero.
"""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from treesvm.kernels.compiling import compiled
from treesvm.kernels.distances import Distances, mirror
from treesvm.kernels.row_products import as_rows, centred_float32

_TILE = 128  # columns, at most
_LANES = 16  # columns of a tile are a multiple of this: float32 in a vector register
_GROUP = 4  # features of one pass
_FEW = 2**17  # distances in float64 that nothing needs to be compiled for
_FEATURES = 64  # of a tile, at once: 32 KB of float32


class ManhattanDistances(Distances):
    """Sums of absolute differences."""

    def __init__(self, X):
        self._rows = X
        rows = centred_float32(X)
        if sparse.issparse(rows):
            self.matrix = _sparse_block(rows, rows, np.float32, lower_only=True)
        else:
            self.matrix = tile_distances(rows, tiles_of(rows), len(rows), True)
        mirror(self.matrix)

    @staticmethod
    def block(A, B, dtype):
        """Return the distances of every row of `A` to every row of `B`, contiguous."""
        A, B = as_rows(A, dtype), as_rows(B, dtype)
        if sparse.issparse(A) or sparse.issparse(B):
            return _sparse_block(A, B, dtype)
        if dtype == np.float64 and len(A) * len(B) <= _FEW:
            return cdist(A, B, "cityblock")
        return tile_distances(A, tiles_of(B), len(B))

    @staticmethod
    def sizes(X):
        """Return the distance of every row from the mean, or from zero.

        Sparse rows are not centred.
        """
        sizes = abs(X) if sparse.issparse(X) else np.abs(X - X.mean(axis=0))
        return np.asarray(sizes.sum(axis=1), np.float64).ravel()


def tiles_of(B):
    """Lay dense rows out as tiles of columns, (n_tiles, n_features, columns).

    Places without a row, and features up to a whole pass, hold zeros.
    """
    n_tiles = max(1, -(-len(B) // _TILE))
    columns = _LANES * max(1, -(-len(B) // (n_tiles * _LANES)))
    width = _GROUP * -(-B.shape[1] // _GROUP)
    tiles = np.zeros((n_tiles, width, columns), B.dtype)
    for t in range(n_tiles):
        own = B[t * columns : (t + 1) * columns]
        tiles[t, : B.shape[1], : len(own)] = own.T
    return tiles


def tile_distances(A, tiles, n_columns, lower_only=False):
    """Return the distances of dense rows `A` to those laid out in `tiles`.

    With `lower_only`, both are the same rows, and entries above the diagonal are left
    to `mirror`.
    """
    out = np.empty((len(A), n_columns), A.dtype)
    _, width, columns = tiles.shape
    filled = np.zeros((len(A), width), A.dtype)
    filled[:, : A.shape[1]] = A
    sums = np.empty(columns, A.dtype)
    _add_differences(filled, tiles, lower_only, sums, out)
    return out


# Memory comes from Python, and comparisons stand where `min` would: each NumPy call in
# a compiled function is compiled too.
@compiled
def _add_differences(A, tiles, lower_only, sums, out):
    """Write the distances of the rows `A` to `out`, tile by tile.

    `A` is as wide as the tiles; `sums` is memory for the columns of a tile.
    """
    width, columns = tiles.shape[1], tiles.shape[2]
    for t in range(len(tiles)):
        tile, first = tiles[t], t * columns
        n_own = out.shape[1] - first
        n_own = n_own if n_own < columns else columns
        for start in range(0, width if width > 0 else 1, _FEATURES):
            stop = start + _FEATURES
            stop = stop if stop < width else width
            for i in range(first if lower_only else 0, len(A)):
                x, row = A[i], out[i, first : first + n_own]
                for j in range(n_own):
                    sums[j] = 0 if start == 0 else row[j]
                for f in range(start, stop, _GROUP):
                    a, b, c, d = x[f], x[f + 1], x[f + 2], x[f + 3]
                    for j in range(columns):
                        low = abs(a - tile[f, j]) + abs(b - tile[f + 1, j])
                        high = abs(c - tile[f + 2, j]) + abs(d - tile[f + 3, j])
                        sums[j] += low + high
                for j in range(n_own):
                    row[j] = sums[j]


def _sparse_block(A, B, dtype, lower_only=False):
    """The same for rows of which some are sparse."""
    out = np.empty((A.shape[0], B.shape[0]), dtype)
    _add_stored(*_stored(A), *_stored(B), np.zeros(A.shape[1]), lower_only, out)
    return out


def _stored(X):
    """Entries, features and starts of rows, sorted, each feature once."""
    X = sparse.csr_array(X, dtype=np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)


@compiled
def _add_stored(a, a_features, a_starts, b, b_features, b_starts, x, lower_only, out):
    """Write distances to `out`; `x` is zeros, as many as there are features.

    What a row has at features where the other has nothing is its sum without those at
    the other's features.  Both sums go up the features: of identical rows they are the
    same number.
    """
    for i in range(len(a_starts) - 1):
        size = 0.0
        for k in range(a_starts[i], a_starts[i + 1]):
            x[a_features[k]] = a[k]
            size += abs(a[k])
        for j in range(i + 1 if lower_only else len(b_starts) - 1):
            total, shared = 0.0, 0.0
            for k in range(b_starts[j], b_starts[j + 1]):
                value = x[b_features[k]]
                total += abs(value - b[k])
                shared += abs(value)
            out[i, j] = total + max(size - shared, 0.0)
        for k in range(a_starts[i], a_starts[i + 1]):
            x[a_features[k]] = 0.0
