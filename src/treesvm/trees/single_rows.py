"""Send single rows down a tree: one compiled call with as few arguments as possible.

A compiled call spends most of its time on taking arguments apart, so the links of all
nodes lie in one array: (tested column or plane, left, right), and so do the planes: a
row's weights, then the threshold, which is then in the cache when it is asked for.
"""

import numpy as np

from treesvm.inputs.row_access import row_dot
from treesvm.kernels.compiling import compiled
from treesvm.trees.routing import LEAF


class RowRouter:
    """From one row, an array of shape (n_features,), to its leaf's place among leaves.

    Parameters
    ----------
    tree : Tree
        Axis-parallel or oblique.
    """

    def __init__(self, tree):
        self._is_oblique = tree.is_oblique
        links = _links(tree)
        self._nodes = packed(tree) if tree.is_oblique else (tree.threshold, links)
        # A list gives up one number faster than an array.
        self._part_of = tree.leaf_numbers.tolist()

    def __call__(self, x):
        """Return the part of the row."""
        if self._is_oblique:
            return self._part_of[oblique_leaf(np.ascontiguousarray(x), *self._nodes)]
        return self._part_of[axis_leaf(x, *self._nodes)]


def packed(tree):
    """Return the arrays of an oblique tree that `oblique_leaf` takes."""
    inner = np.flatnonzero(~tree.is_leaf)
    thresholds = np.empty(len(tree.weights))
    thresholds[tree.feature[inner]] = tree.threshold[inner]
    return np.column_stack([tree.weights, thresholds]), _links(tree)


def _links(tree):
    """Return (tested column or plane, left, right) of each node."""
    return np.stack([tree.feature, tree.left, tree.right], axis=1)


@compiled
def axis_leaf(x, threshold, links):
    """Return the leaf of one row in an axis-parallel tree."""
    k = 0
    while links[k, 1] != LEAF:
        goes_left = np.float32(x[links[k, 0]]) <= threshold[k]
        k = links[k, 1] if goes_left else links[k, 2]
    return k


@compiled
def oblique_leaf(x, planes, links):
    """Return the leaf of one row in an oblique tree."""
    rows, width = (x.reshape(1, x.size),), x.size
    k = 0
    while links[k, 1] != LEAF:
        plane = planes[links[k, 0]]
        goes_left = row_dot(rows, 0, plane[:width]) <= plane[width]
        k = links[k, 1] if goes_left else links[k, 2]
    return k
