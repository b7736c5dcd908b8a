"""Send rows down a flat tree.

A node tests one number of the row and sends it left when ``value <= threshold``. In an
axis-parallel tree the number is a feature; in an oblique tree it is ``weights[j] @ x``.

Axis-parallel features are compared as float32 with float64 thresholds, whatever the
type of X: that is scikit-learn's own comparison, so both route every row alike. Oblique
values are summed in float64. A sparse row adds its products in another order than a
dense one, so the two may differ by rounding in rows that lie on a hyperplane.
"""

import numpy as np
from numba import njit

LEAF = -1


@njit(cache=True, nogil=True)
def route_dense(X, feature, threshold, left, right, start, out):
    """Write to `out` the leaf that each row reaches from node `start`."""
    for i in range(X.shape[0]):
        k = start
        while left[k] != LEAF:
            # A select instead of a branch: which side a row takes is unpredictable.
            k = left[k] if np.float32(X[i, feature[k]]) <= threshold[k] else right[k]
        out[i] = k


@njit(cache=True, nogil=True)
def route_sparse(data, indices, indptr, feature, threshold, left, right, start, out):
    """Write to `out` the leaf that each CSR row (indices sorted) reaches."""
    for i in range(len(indptr) - 1):
        k = start
        while left[k] != LEAF:
            value = np.float32(entry(data, indices, indptr, i, feature[k]))
            k = left[k] if value <= threshold[k] else right[k]
        out[i] = k


@njit(cache=True, nogil=True)
def route_dense_oblique(X, weights, plane, threshold, left, right, start, out):
    """Write to `out` the leaf that each row reaches in an oblique tree."""
    for i in range(X.shape[0]):
        k = start
        while left[k] != LEAF:
            k = left[k] if dot(weights[plane[k]], X[i]) <= threshold[k] else right[k]
        out[i] = k


@njit(cache=True, nogil=True)
def route_sparse_oblique(
    data, indices, indptr, weights, plane, threshold, left, right, start, out
):
    """Write to `out` the leaf that each CSR row reaches in an oblique tree."""
    for i in range(len(indptr) - 1):
        k = start
        while left[k] != LEAF:
            value = sparse_dot(weights[plane[k]], data, indices, indptr, i)
            k = left[k] if value <= threshold[k] else right[k]
        out[i] = k


# Reassociation lets the sum run in vector lanes. It is safe here: finite inputs, and
# every caller sums through this one function, so equal rows always get equal values.
@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def dot(w, x):
    """Return w @ x, summed in float64."""
    total = 0.0
    for j in range(len(w)):
        total += w[j] * np.float64(x[j])
    return total


@njit(cache=True, nogil=True)
def sparse_dot(w, data, indices, indptr, i):
    """Return w @ x for row i of a CSR matrix, summed in float64."""
    total = 0.0
    for t in range(indptr[i], indptr[i + 1]):
        total += w[indices[t]] * np.float64(data[t])
    return total


@njit(cache=True, nogil=True)
def entry(data, indices, indptr, i, j):
    """Return entry (i, j) of a CSR matrix with sorted indices, by bisection."""
    low, high = indptr[i], indptr[i + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    if low < indptr[i + 1] and indices[low] == j:
        return data[low]
    return data.dtype.type(0)


@njit(cache=True, nogil=True)
def sparse_column(data, indices, indptr, rows, j, out):
    """Write to `out` the entries of column j in the given CSR rows."""
    for t in range(len(rows)):
        out[t] = entry(data, indices, indptr, rows[t], j)


@njit(cache=True, nogil=True)
def dense_projection(X, rows, w, out):
    """Write to `out` the values w @ x of the given rows."""
    for t in range(len(rows)):
        out[t] = dot(w, X[rows[t]])


@njit(cache=True, nogil=True)
def sparse_projection(data, indices, indptr, rows, w, out):
    """Write to `out` the values w @ x of the given CSR rows."""
    for t in range(len(rows)):
        out[t] = sparse_dot(w, data, indices, indptr, rows[t])


@njit(cache=True, nogil=True)
def node_depths(left, right, out):
    """Write to `out` the number of tests above each node; parents come first."""
    out[0] = 0
    for k in range(len(left)):
        if left[k] != LEAF:
            out[left[k]] = out[k] + 1
            out[right[k]] = out[k] + 1


@njit(cache=True, nogil=True)
def surviving_nodes(left, right, is_cut, new_id):
    """Number the nodes that remain when the nodes in `is_cut` become leaves.

    Writes to `new_id` for each node the new number of the node that holds its rows:
    its own, or that of the ancestor where the branch was cut. Returns how many remain.
    """
    inside = np.zeros(len(left), np.bool_)  # strictly below a cut
    n_kept = 0
    for k in range(len(left)):
        if not inside[k]:
            new_id[k] = n_kept
            n_kept += 1
        if left[k] != LEAF:
            for child in (left[k], right[k]):
                if inside[k] or is_cut[k]:
                    inside[child] = True
                    new_id[child] = new_id[k]
    return n_kept


@njit(cache=True, nogil=True)
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
