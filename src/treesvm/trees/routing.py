"""Send rows down a flat tree.

A node tests one number of the row and sends it left when ``value <= threshold``. In an
axis-parallel tree the number is a feature; in an oblique tree it is ``weights[j] @ x``.

Axis-parallel features are compared as float32 with float64 thresholds, whatever the
type of X: that is scikit-learn's own comparison, so both route every row alike. Oblique
values are summed in float64. A sparse row adds its products in another order than a
dense one, so the two may differ by rounding in rows that lie on a hyperplane.
"""

import numpy as np

from treesvm.inputs.row_access import n_rows_of, row_dot, row_entry
from treesvm.kernels.compiling import compiled, inner

LEAF = -1


@compiled
def route(rows, feature, threshold, left, right, start, out):
    """Write to `out` the leaf that each row reaches from node `start`."""
    for i in range(n_rows_of(rows)):
        k = start
        while left[k] != LEAF:
            # A select instead of a branch: which side a row takes is unpredictable.
            value = np.float32(row_entry(rows, i, feature[k]))
            k = left[k] if value <= threshold[k] else right[k]
        out[i] = k


@compiled
def route_oblique(rows, weights, plane, threshold, left, right, start, out):
    """Write to `out` the leaf that each row reaches in an oblique tree.

    Two rows walk side by side: a processor computes the sums of both in the time that
    it waits for those of one.
    """
    n = n_rows_of(rows)
    for i in range(0, n, 2):
        j = i + 1 if i + 1 < n else i
        k, m = start, start
        while left[k] != LEAF and left[m] != LEAF:
            value = row_dot(rows, i, weights[plane[k]])
            other = row_dot(rows, j, weights[plane[m]])
            k = left[k] if value <= threshold[k] else right[k]
            m = left[m] if other <= threshold[m] else right[m]
        out[i] = _leaf_below(rows, i, k, weights, plane, threshold, left, right)
        out[j] = _leaf_below(rows, j, m, weights, plane, threshold, left, right)


@inner
def _leaf_below(rows, i, k, weights, plane, threshold, left, right):
    """Return the leaf that a row reaches from node k."""
    while left[k] != LEAF:
        value = row_dot(rows, i, weights[plane[k]])
        k = left[k] if value <= threshold[k] else right[k]
    return k


@compiled
def projections_of(rows, chosen, w, out):
    """Write to `out` the values w @ x of the chosen rows."""
    for t in range(len(chosen)):
        out[t] = row_dot(rows, chosen[t], w)


@compiled
def write_paths(leaf_ids, parent, indptr, indices):
    """Fill the CSR arrays of a decision path: the nodes above and at each row's leaf.

    `indptr` already holds the running sums of path lengths; the ids come out ascending,
    because a parent is numbered before its children.
    """
    for i in range(len(leaf_ids)):
        k = leaf_ids[i]
        for t in range(indptr[i + 1] - 1, indptr[i] - 1, -1):
            indices[t] = k
            k = parent[k]
