"""Rows near a cut, to be trained on both sides of it.

A machine trained in a leaf knows nothing of the rows just outside. Here the rows of a
node that lie nearest its cut also enter the child on the other side and go on from
there by the ordinary rule. A copy crosses one cut only, so a row gets at most as many
copies as there are tests on its path. Prediction does not change.
"""

import numpy as np

from treesvm.solvers.row_access import row_matrix
from treesvm.trees.leaf_rows import rows_by_leaf


def border_rows(tree, X, share, *, leaf_ids=None):
    """Find for each leaf the rows of other leaves that lie near its cuts.

    Parameters
    ----------
    tree : Tree
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        The training rows.
    share : float in [0, 1)
        In each inner node at most this share of its rows, the nearest to the cut,
        crosses it. Rows at equal distance cross together or not at all, so the answer
        does not depend on the order of rows, and a cut between two values only (a
        binary feature) is crossed by nobody.
    leaf_ids : ndarray of shape (n_rows,), optional
        ``tree.apply(X)``, if the caller has it.

    Returns
    -------
    LeafRows
        By node number: the extra rows of each leaf, ascending and without duplicates;
        a leaf's own rows are not among them.
    """
    X = row_matrix(X)
    leaf_ids = tree.apply(X) if leaf_ids is None else leaf_ids
    rows, leaves = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for node, inside in _rows_of_inner_nodes(tree, X):
        distance = tree.tested_values(X, inside, node) - tree.threshold[node]
        near = _nearest(np.abs(distance), share)
        for goes_left, other in ((True, tree.right[node]), (False, tree.left[node])):
            crossing = inside[near & ((distance <= 0.0) == goes_left)]
            if len(crossing):
                rows.append(crossing)
                leaves.append(tree.apply(X[crossing], start=other))
    return _grouped(np.concatenate(rows), np.concatenate(leaves), tree.n_nodes)


def _rows_of_inner_nodes(tree, X):
    """Yield (inner node, its rows) from the root down."""
    waiting = {0: np.arange(X.shape[0])}
    for node in np.flatnonzero(~tree.is_leaf):
        inside = waiting.pop(node)
        yield node, inside
        goes_left = tree.tested_values(X, inside, node) <= tree.threshold[node]
        waiting[tree.left[node]] = inside[goes_left]
        waiting[tree.right[node]] = inside[~goes_left]


def _nearest(distance, share):
    """Mask the rows nearer than the first one beyond the share."""
    n_near = int(share * len(distance))
    if n_near == 0:
        return np.zeros(len(distance), bool)
    return distance < np.partition(distance, n_near)[n_near]


def _grouped(rows, leaves, n_nodes):
    """Group by leaf after sorting out rows that came to a leaf over two cuts."""
    pairs = np.unique(np.stack([leaves.astype(np.int64), rows], axis=1), axis=0)
    groups = rows_by_leaf(pairs[:, 0], n_nodes)
    return groups._replace(order=pairs[:, 1])
