"""Sums of weights with the signs of differences: gradients of Manhattan distances.

    out[i, j] = sum_s weights[i, s] sign(x_ij - z_sj),   with sign(0) = 0

As for the distances, the inner loop runs over a tile, here of rows `i`, for four
vectors at a time, and the weights of a pass stay in the first level cache.
"""

import numpy as np

from treesvm.kernels.compiling import compiled
from treesvm.kernels.manhattan import tiles_of

_GROUP = 4  # vectors of one pass, the group that tiles are filled up to
_VECTORS = 64  # of a tile of weights, at once: 32 KB of float32


def sign_sums(X, vectors, weights):
    """Return the sums for dense rows, of one type.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    vectors : ndarray of shape (n_vectors, n_features)
    weights : ndarray of shape (n, n_vectors)

    Returns
    -------
    ndarray of shape (n, n_features)
    """
    tiles, rows = tiles_of(weights), tiles_of(X)
    filled = np.zeros((tiles.shape[1], X.shape[1]), X.dtype)
    filled[: len(vectors)] = vectors
    sums = np.zeros((len(tiles), X.shape[1], tiles.shape[2]), X.dtype)
    _add_signs(rows, filled, tiles, sums)
    joined = sums.transpose(0, 2, 1).reshape(-1, X.shape[1])
    return joined[: len(X)]


@compiled
def _add_signs(rows, vectors, weights, sums):
    """Add to `sums`, all but the vectors in tiles of rows.

    A weight counts where its vector is below the row, less where it is above.
    """
    n_vectors, columns, zero = vectors.shape[0], sums.shape[2], vectors.dtype.type(0)
    for t in range(len(sums)):
        for start in range(0, n_vectors, _VECTORS):
            stop = start + _VECTORS
            stop = stop if stop < n_vectors else n_vectors
            for f in range(sums.shape[1]):
                x, total = rows[t, f], sums[t, f]
                for s in range(start, stop, _GROUP):
                    a, b = vectors[s, f], vectors[s + 1, f]
                    c, d = vectors[s + 2, f], vectors[s + 3, f]
                    p, q = weights[t, s], weights[t, s + 1]
                    r, u = weights[t, s + 2], weights[t, s + 3]
                    for i in range(columns):
                        v = x[i]
                        low = (p[i] if v > a else zero) - (p[i] if v < a else zero)
                        low += (q[i] if v > b else zero) - (q[i] if v < b else zero)
                        high = (r[i] if v > c else zero) - (r[i] if v < c else zero)
                        high += (u[i] if v > d else zero) - (u[i] if v < d else zero)
                        total[i] += low + high
