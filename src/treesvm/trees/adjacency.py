"""Which leaves of an axis-parallel tree are neighbours.

Two leaves are adjacent when their boxes touch in one feature and overlap with positive
length in all others; boxes that meet in an edge or a corner are not. (Ryu and Lee 2020,
equations 6 and 7, with a symmetric overlap; see their Figure 2.)

No pair is ever tested. Two leaves are parted by exactly one node, the lowest above
both, and touch there or nowhere. So the box of a leaf is sent down the far side of each
cut that bounds it: at a test of the same feature towards the cut, at a test of another
feature wherever the box reaches. Every leaf that it comes to is a neighbour, and the
work is proportional to the neighbours found, whatever the number of features.
"""

from typing import NamedTuple

import numpy as np

from treesvm.kernels.compiling import compiled
from treesvm.trees.boxes import check_axis_parallel
from treesvm.trees.routing import LEAF

_MIXED = -1  # a branch whose leaves have different labels


class Neighbours(NamedTuple):
    """Neighbours of a range of leaves; leaves are numbered as in `Tree.leaves()`.

    Those of leaf ``first + t`` are ``indices[starts[t]:starts[t + 1]]``.
    """

    first: int
    starts: np.ndarray
    indices: np.ndarray

    @property
    def n_leaves(self):
        """Number of leaves in the range."""
        return len(self.starts) - 1


def neighbour_blocks(tree, labels=None, *, max_pairs=2**22):
    """Yield the neighbours of all leaves, range after range, in bounded memory.

    Parameters
    ----------
    tree : Tree
        Axis-parallel.
    labels : ndarray of int, shape (n_leaves,), optional
        Only neighbours with another label are listed (*distinct* adjacent leaves);
        labels are not negative.
    max_pairs : int
        Entries that a block may have, unless a single leaf has more neighbours.

    Yields
    ------
    Neighbours
    """
    check_axis_parallel(tree)
    leaves, numbers = tree.leaves(), tree.leaf_numbers
    uniform = np.full(tree.n_nodes, _MIXED, np.int64)
    if labels is not None:
        uniform[leaves] = labels
        _spread_up(tree.left, tree.right, uniform)
    nodes = (tree.feature, tree.threshold, tree.left, tree.right, tree.parent)
    # Scratch: the box of one leaf, unbounded everywhere between two leaves.
    lower, upper = np.full(tree.n_features, -np.inf), np.full(tree.n_features, np.inf)
    first, room = 0, int(min(max_pairs, max(1, len(leaves) - 1) * len(leaves)))
    while first < len(leaves):
        starts = np.zeros(len(leaves) - first + 1, np.int64)
        found = np.empty(max(room, 1), np.int32)
        n_done = _list_neighbours(
            leaves[first:], nodes, uniform, numbers, lower, upper, starts, found
        )
        if n_done == 0:  # one leaf has more neighbours than fit
            room *= 2
            continue
        starts = starts[: n_done + 1].copy()
        yield Neighbours(first, starts, found[: starts[-1]])
        first += n_done


@compiled
def _spread_up(left, right, uniform):
    """Give an inner node the label that all leaves below it share, else _MIXED."""
    for k in range(len(left) - 1, -1, -1):
        if left[k] != LEAF and uniform[left[k]] == uniform[right[k]]:
            uniform[k] = uniform[left[k]]


@compiled
def _list_neighbours(leaves, nodes, uniform, numbers, lower, upper, starts, found):
    """Fill `found` leaf by leaf; return how many leaves fitted."""
    feature, threshold, left, right, parent = nodes
    stack = np.empty(len(left), np.int32)
    n_found = 0
    for t in range(len(leaves)):
        leaf = leaves[t]
        _set_box(leaf, feature, threshold, left, parent, lower, upper)
        child, k = leaf, parent[leaf]
        is_full = False
        while k != LEAF and not is_full:
            s, cut, is_left = feature[k], threshold[k], left[k] == child
            if (upper[s] if is_left else lower[s]) == cut:
                n_found, is_full = _send_box(
                    right[k] if is_left else left[k],
                    s, is_left, uniform[leaf], nodes, uniform, numbers,
                    lower, upper, stack, found, n_found,
                )  # fmt: skip
            child, k = k, parent[k]
        _forget_box(leaf, feature, parent, lower, upper)
        if is_full:
            return t
        starts[t + 1] = n_found
    return len(leaves)


@compiled
def _send_box(
    start, s, is_left, label, nodes, uniform, numbers, lower, upper, stack, found, n
):  # fmt: skip
    """Append the leaves of branch `start` that the box touches; (count, is_full)."""
    feature, threshold, left, right, _ = nodes
    stack[0], n_waiting = start, 1
    while n_waiting > 0:
        n_waiting -= 1
        k = stack[n_waiting]
        if label != _MIXED and uniform[k] == label:
            continue  # nothing but leaves of the same label
        if left[k] == LEAF:
            if n == len(found):
                return n, True
            found[n] = numbers[k]
            n += 1
            continue
        f, cut = feature[k], threshold[k]
        goes_left = is_left if f == s else lower[f] < cut
        goes_right = not is_left if f == s else upper[f] > cut
        if goes_left:
            stack[n_waiting] = left[k]
            n_waiting += 1
        if goes_right:
            stack[n_waiting] = right[k]
            n_waiting += 1
    return n, False


@compiled
def _set_box(leaf, feature, threshold, left, parent, lower, upper):
    """Write the bounds of a leaf into the scratch arrays."""
    child, k = leaf, parent[leaf]
    while k != LEAF:
        j = feature[k]
        if left[k] == child:
            upper[j] = min(upper[j], threshold[k])
        else:
            lower[j] = max(lower[j], threshold[k])
        child, k = k, parent[k]


@compiled
def _forget_box(leaf, feature, parent, lower, upper):
    """Make the scratch arrays unbounded again."""
    k = parent[leaf]
    while k != LEAF:
        lower[feature[k]], upper[feature[k]] = -np.inf, np.inf
        k = parent[k]
