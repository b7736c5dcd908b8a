"""Relative support distances of rows (Ryu and Lee 2020, section 3.2).

For a leaf with majority-class centroid m and a distinct neighbour with centroid m',

    W = m - m',  M = (m + m') / 2,  r = |x - m|,  h = |W (x - M)| / |W|,
    T = 1 / ((1 + e^-r) h),

over the leaf's rows x of its majority class, r and h scaled to [0, 1] over them first.
A row's score is its largest T over the neighbours. As r does not depend on the
neighbour, that is T at the smallest scaled h, so e^-r is taken once for each row.

With z = x - m the signed distance is (W z + |W|^2 / 2) / |W|: one product for each
feature, and no digits lost to a common offset. Sums run over the features in order, for
many rows at once, so that they vectorise and yet equal the plain loop's to the last
bit.
"""

import numpy as np

from treesvm.kernels.compiling import compiled
from treesvm.trees.adjacency import neighbour_blocks
from treesvm.trees.leaf_rows import rows_by_leaf

H_FLOOR = 1e-12  # h = 0 at the nearest row of every pair; r then decides


def support_scores(X, codes, partition):
    """Return the score of every row, -inf where it has none.

    Parameters
    ----------
    X : ndarray of float64, shape (n_rows, n_features)
    codes : ndarray of int, shape (n_rows,)
    partition : Partition

    Returns
    -------
    ndarray of float64, shape (n_rows,)
        Rows that are not of their leaf's majority class, and rows of leaves without a
        distinct neighbour, have no score.
    """
    radius, nearest = np.zeros(len(codes)), np.full(len(codes), np.inf)
    groups = majority_rows(codes, partition)
    centroids = majority_centroids(X, groups)
    for block in neighbour_blocks(partition.tree, partition.majority):
        _measure(
            X, groups.order, groups.starts, centroids, *block, radius, nearest
        )  # fmt: skip
    scored = nearest < np.inf
    scores = np.full(len(codes), -np.inf)
    h = np.maximum(nearest[scored], H_FLOOR)
    scores[scored] = 1.0 / ((1.0 + np.exp(-radius[scored])) * h)
    return scores


def majority_rows(codes, partition):
    """Group the rows that have their leaf's majority class by leaf."""
    n_leaves = partition.tree.n_leaves
    is_major = codes == partition.majority[partition.leaf]
    # Other rows go to one more group at the end, which nobody reads.
    return rows_by_leaf(np.where(is_major, partition.leaf, n_leaves), n_leaves + 1)


def majority_centroids(X, groups):
    """Return the centroid of each leaf's majority class."""
    centroids = np.zeros((len(groups.starts) - 2, X.shape[1]))
    _average(X, groups.order, groups.starts, centroids)
    return centroids


@compiled
def _average(X, order, starts, centroids):
    """Write the mean row of each group."""
    for k in range(len(centroids)):
        n = starts[k + 1] - starts[k]
        for t in range(starts[k], starts[k + 1]):
            for j in range(X.shape[1]):
                centroids[k, j] += X[order[t], j]
        for j in range(X.shape[1]):
            centroids[k, j] /= max(n, 1)


@compiled
def _measure(
    X, order, starts, centroids, first, pair_starts, neighbours, radius, nearest
):
    """Write scaled r and the smallest scaled h of the rows of a block of leaves."""
    n_features = X.shape[1]
    for t in range(len(pair_starts) - 1):
        leaf = first + t
        begin, n = starts[leaf], starts[leaf + 1] - starts[leaf]
        if n == 0 or pair_starts[t] == pair_starts[t + 1]:
            continue
        m = centroids[leaf]
        z = np.empty((n_features, n))
        r, side = np.zeros(n), np.empty(n)
        for i in range(n):
            row = X[order[begin + i]]
            for j in range(n_features):
                z[j, i] = row[j] - m[j]
                r[i] += z[j, i] * z[j, i]
        closest = np.full(n, np.inf)
        for pair in range(pair_starts[t], pair_starts[t + 1]):
            length2 = _project(z, m, centroids[neighbours[pair]], side)
            if length2 == 0.0:
                continue  # equal centroids part nothing
            length = np.sqrt(length2)
            for i in range(n):
                side[i] = abs(side[i] + 0.5 * length2) / length
            _scale(side)
            for i in range(n):
                closest[i] = min(closest[i], side[i])
        for i in range(n):
            r[i] = np.sqrt(r[i])
        _scale(r)
        for i in range(n):
            radius[order[begin + i]] = r[i]
            nearest[order[begin + i]] = closest[i]


@compiled
def _project(z, m, other, side):
    """Write W z for every row to `side`; return |W|^2."""
    length2 = 0.0
    side[:] = 0.0
    for j in range(len(m)):
        w = m[j] - other[j]
        length2 += w * w
        if w != 0.0:  # adding w z = 0 would change nothing
            column = z[j]
            for i in range(len(side)):
                side[i] += w * column[i]
    return length2


@compiled
def _scale(values):
    """Scale to [0, 1] in place; equal values become 0."""
    low, high = values[0], values[0]
    for value in values:
        low, high = min(low, value), max(high, value)
    for i in range(len(values)):
        values[i] = (values[i] - low) / (high - low) if high > low else 0.0
