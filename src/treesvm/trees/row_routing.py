"""The leaf of a single row, without the overhead of arrays of rows."""

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
        self._nodes = (*packed(tree), tree.weights) if tree.is_oblique else packed(tree)
        # A list gives up one number faster than an array.
        self._part_of = tree.leaf_numbers.tolist()

    def __call__(self, x):
        """Return the part of the row."""
        if self._is_oblique:
            return self._part_of[oblique_leaf(np.ascontiguousarray(x), *self._nodes)]
        return self._part_of[_axis_leaf(x, *self._nodes)]


def packed(tree):
    """Return the links and thresholds of a tree as a walk along one path takes them.

    Few of them: a compiled call spends most of its time on taking arguments apart.
    """
    links = np.stack([tree.feature, tree.left, tree.right], axis=1)
    return np.ascontiguousarray(links), tree.threshold


@compiled
def _axis_leaf(x, links, threshold):
    """Return the leaf of one row; `links` holds (feature, left, right) of each node."""
    k = 0
    while links[k, 1] != LEAF:
        goes_left = np.float32(x[links[k, 0]]) <= threshold[k]
        k = links[k, 1] if goes_left else links[k, 2]
    return k


@compiled
def oblique_leaf(x, links, threshold, weights):
    """Return the leaf of one row; `links` holds (plane, left, right) of each node."""
    rows = (x.reshape(1, x.size),)
    k = 0
    while links[k, 1] != LEAF:
        goes_left = row_dot(rows, 0, weights[links[k, 0]]) <= threshold[k]
        k = links[k, 1] if goes_left else links[k, 2]
    return k
