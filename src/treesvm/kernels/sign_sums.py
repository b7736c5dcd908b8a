"""Sums of weights with the signs of differences: gradients of Manhattan distances.

    out[i, j] = sum_s weights[i, s] sign(x_ij - z_sj),   with sign(0) = 0

As for the distances, the inner loop runs over a tile, here of rows `i`, for four
vectors at a time, and the weights of a pass stay in the first level cache.
"""

import numpy as np

from treesvm.kernels.compiling import compiled, inner
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
    """Add to `sums`, all but the vectors in tiles of rows."""
    for t in range(len(sums)):
        for start in range(0, len(vectors), _VECTORS):
            stop = min(start + _VECTORS, len(vectors))
            for f in range(sums.shape[1]):
                for s in range(start, stop, _GROUP):
                    _add_group(rows[t], vectors, weights[t], f, s, sums[t])


@inner
def _add_group(rows, vectors, weights, f, s, sums):
    """Add the weights of four vectors where they are below, less those above."""
    a, b, c, d = vectors[s, f], vectors[s + 1, f], vectors[s + 2, f], vectors[s + 3, f]
    for i in range(sums.shape[1]):
        x = rows[f, i]
        low = _signed(weights[s, i], x, a) + _signed(weights[s + 1, i], x, b)
        high = _signed(weights[s + 2, i], x, c) + _signed(weights[s + 3, i], x, d)
        sums[f, i] += low + high


@inner
def _signed(weight, x, z):
    """The weight with the sign of x - z."""
    zero = type(weight)(0)
    return (weight if x > z else zero) - (weight if x < z else zero)
