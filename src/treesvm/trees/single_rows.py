"""Send single rows down a tree: one compiled call with as few arguments as possible.

A compiled call spends most of its time on taking arguments apart, so the links of all
nodes lie in one array: (tested column or plane, left, right), and so do the planes: a
row's weights, then the threshold, which is then in the cache when it is asked for.  The
nodes of an axis-parallel tree are one array of numbers.
"""

import numpy as np

from treesvm.inputs.row_access import row_dot
from treesvm.kernels.compiling import compiled
from treesvm.trees.routing import LEAF


class RowRouter:
    """From one row, an array of shape (n_features,), to its leaf's place among leaves.

    ``part(x)`` is the part of a row.

    Parameters
    ----------
    tree : Tree
        Axis-parallel or oblique.
    """

    def __init__(self, tree):
        # A list gives up one number faster than an array.
        self._part_of = tree.leaf_numbers.tolist()
        # Python finds a method faster than what is called through `__call__`.
        if tree.is_oblique:
            self._planes, self._links = packed(tree)
            self.part = self._oblique_part
        else:
            self._tests = _tests(tree)
            self.part = self._axis_part

    def _axis_part(self, x):
        return self._part_of[axis_leaf(x, self._tests)]

    def _oblique_part(self, x):
        x = np.ascontiguousarray(x)
        return self._part_of[oblique_leaf(x, self._planes, self._links)]


def packed(tree):
    """Return the arrays of an oblique tree that `oblique_leaf` takes."""
    inner = np.flatnonzero(~tree.is_leaf)
    thresholds = np.empty(len(tree.weights))
    thresholds[tree.feature[inner]] = tree.threshold[inner]
    return np.column_stack([tree.weights, thresholds]), _links(tree)


def _tests(tree):
    """Return (tested column, threshold, left, right) of each node, as numbers."""
    links = _links(tree).astype(np.float64)
    return np.insert(links, 1, tree.threshold, axis=1)


def _links(tree):
    """Return (tested column or plane, left, right) of each node."""
    return np.stack([tree.feature, tree.left, tree.right], axis=1)


@compiled
def axis_leaf(x, tests):
    """Return the leaf of one row in an axis-parallel tree."""
    k = 0
    while tests[k, 2] != LEAF:
        goes_left = np.float32(x[np.int64(tests[k, 0])]) <= tests[k, 1]
        k = np.int64(tests[k, 2] if goes_left else tests[k, 3])
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
