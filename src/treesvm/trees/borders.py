"""Rows near a cut, to be trained on both sides of it.

A machine trained in a leaf knows nothing of the rows just outside. Here the rows of a
node that lie nearest its cut also enter the child on the other side and go on from
there by the ordinary rule. A copy crosses one cut only, so a row gets at most as many
copies as there are tests on its path, each in another leaf. Prediction does not change.

How near is near enough, the width of a node, needs the rows of the whole node
(`border_widths`). Who crosses then needs the widths only (`crossing_rows`), so that it
can be told block by block.
"""

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from treesvm.kernels.compiling import compiled
from treesvm.solvers.row_access import (
    n_rows_of,
    row_arrays,
    row_dot,
    row_entry,
    row_matrix,
)
from treesvm.trees.axis import plan_sample
from treesvm.trees.leaf_rows import rows_by_leaf
from treesvm.trees.routing import LEAF


class Crossings(NamedTuple):
    """Copies of rows, by row and from the root down."""

    rows: np.ndarray  # place of the row, int64
    leaves: np.ndarray  # node number of the leaf that the copy reaches, int32


def border_rows(tree, X, share, sample=None):
    """Find for each leaf the rows of other leaves that lie near its cuts.

    Parameters
    ----------
    tree, X, share, sample
        As in `border_widths`.

    Returns
    -------
    list of ndarray
        For each of ``tree.leaves()`` its extra rows, ascending and without duplicates;
        its own rows are not among them.
    """
    X = row_matrix(X)
    return rows_across(tree, X, border_widths(tree, X, share, sample))


def rows_across(tree, X, widths):
    """Return what `border_rows` does, from widths that are known."""
    crossing = crossing_rows(tree, X, widths)
    groups = rows_by_leaf(crossing.leaves, tree.n_nodes)
    return [crossing.rows[groups.rows(leaf)] for leaf in tree.leaves()]


def tree_sample(n_rows, max_leaf_size, max_tree_rows, seed):
    """Return the sample that `grow_axis_tree` draws with these arguments."""
    rng = check_random_state(seed)
    return plan_sample(n_rows, max_leaf_size, max_tree_rows, rng)


def border_widths(tree, X, share, sample=None):
    """Measure how near to each cut a row has to lie to cross it.

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
    sample : SamplePlan, optional
        The sample that grew the tree. Where it holds enough rows of a node to have
        split it, the share is one of these; further below, of all rows of the node.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Rows with ``abs(tested value - threshold) < width`` cross. Zero at leaves.
    """
    X, widths = row_matrix(X), np.where(tree.is_leaf, 0.0, np.nan)
    if sample is None or sample.rows is None:
        order = np.arange(X.shape[0])
        _measure(tree, X, share, widths, order, {0: (0, len(order))})
        return widths
    order, least = sample.rows.copy(), max(2, sample.ceiling)
    _measure(tree, X, share, widths, order, {0: (0, len(order))}, least)
    unknown = np.isnan(widths)
    if unknown.any():
        _measure(tree, X, share, widths, *_rows_of_branches(tree, X, unknown))
    return widths


def _rows_of_branches(tree, X, inside):
    """Return all rows sorted by branch, and where those of each branch are.

    A branch hangs on a node of the mask `inside` whose parent is not in it.
    """
    cut, new_id = tree.cut(inside), tree.node_map(inside)
    groups = rows_by_leaf(cut.apply(X), cut.n_nodes)
    is_first = inside & np.append(True, ~inside[tree.parent[1:]])
    return groups.order, {
        int(k): tuple(groups.starts[new_id[k] : new_id[k] + 2])
        for k in np.flatnonzero(is_first)
    }


def widths_after_cut(tree, widths, cut):
    """Return the widths of `cut`, a tree that ``tree.cut`` has returned."""
    if cut.n_nodes == tree.n_nodes:
        return widths
    origin = np.zeros(cut.n_nodes, np.int64)
    for k in np.flatnonzero(~cut.is_leaf):  # parents come first
        origin[cut.left[k]] = tree.left[origin[k]]
        origin[cut.right[k]] = tree.right[origin[k]]
    return np.where(cut.is_leaf, 0.0, widths[origin])


def crossing_rows(tree, X, widths):
    """Return the rows that cross a cut, and the leaves that their copies reach.

    Parameters
    ----------
    tree : Tree
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        All training rows, or a block of them.
    widths : ndarray of shape (n_nodes,)

    Returns
    -------
    Crossings
    """
    rows = row_arrays(X)
    nodes = tree.feature, tree.threshold, tree.left, tree.right, tree.weights, widths
    starts = np.zeros(X.shape[0] + 1, np.int64)
    _count_crossings(rows, *nodes, starts[1:])
    np.cumsum(starts, out=starts)
    found = Crossings(np.empty(starts[-1], np.int64), np.empty(starts[-1], np.int32))
    _write_crossings(rows, *nodes, starts, *found)
    return found


def _measure(tree, X, share, widths, order, segments, least=0):
    """Fill unknown `widths` in place, from the nodes in `segments` down.

    ``segments[k] = (a, b)`` says that the rows of node k are ``order[a:b]``; `order` is
    sorted further in place. Nodes with fewer than `least` rows are left out, and so is
    everything below them.
    """
    rows, distance = row_arrays(X), np.empty(len(order))
    for k in np.flatnonzero(np.isnan(widths)).tolist():
        a, b = segments.pop(k, (0, -1))
        if b - a < least:
            continue
        own = distance[: b - a]
        test = tree.feature[k], tree.threshold[k], tree.weights
        middle = a + _sort_sides(rows, *test, order[a:b], own)
        widths[k] = _width(own, share)
        segments[int(tree.left[k])] = a, middle
        segments[int(tree.right[k])] = middle, b


def _width(distance, share):
    """Return the distance of the first row beyond the share."""
    n_near = int(share * len(distance))
    return 0.0 if n_near == 0 else np.partition(distance, n_near)[n_near]


@compiled
def _tested(rows, i, j, weights):
    """Return what a node compares: feature j of row i, or its product with plane j."""
    if len(weights) > 0:
        return row_dot(rows, i, weights[j])
    return np.float64(np.float32(row_entry(rows, i, j)))


@compiled
def _sort_sides(rows, j, threshold, weights, order, distance):
    """Put the rows that go left first in `order`; write distances, in any order.

    Returns how many go left.
    """
    goes_right = np.empty(len(order), order.dtype)
    n_left = n_right = 0
    for t in range(len(order)):
        i = order[t]
        signed = _tested(rows, i, j, weights) - threshold
        distance[t] = abs(signed)
        if signed <= 0.0:
            order[n_left] = i
            n_left += 1
        else:
            goes_right[n_right] = i
            n_right += 1
    order[n_left:] = goes_right[:n_right]
    return n_left


@compiled
def _count_crossings(rows, feature, threshold, left, right, weights, widths, out):
    """Write to `out` how many cuts each row crosses."""
    for i in range(n_rows_of(rows)):
        k, n_cuts = 0, 0
        while left[k] != LEAF:
            signed = _tested(rows, i, feature[k], weights) - threshold[k]
            n_cuts += abs(signed) < widths[k]
            k = left[k] if signed <= 0.0 else right[k]
        out[i] = n_cuts


@compiled
def _write_crossings(
    rows, feature, threshold, left, right, weights, widths, starts, found, leaves
):
    """Write row and leaf of each copy; those of row i begin at ``starts[i]``."""
    for i in range(n_rows_of(rows)):
        k, t = 0, starts[i]
        while t < starts[i + 1]:  # below its last crossing nothing is left to do
            signed = _tested(rows, i, feature[k], weights) - threshold[k]
            goes_left = signed <= 0.0
            if abs(signed) < widths[k]:
                other = right[k] if goes_left else left[k]
                while left[other] != LEAF:
                    value = _tested(rows, i, feature[other], weights)
                    is_left = value - threshold[other] <= 0.0
                    other = left[other] if is_left else right[other]
                found[t], leaves[t] = i, other
                t += 1
            k = left[k] if goes_left else right[k]
