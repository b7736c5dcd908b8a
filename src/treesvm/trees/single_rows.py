"""Send single rows down a tree: one compiled call with as few arguments as possible.

A compiled call spends most of its time on taking arguments apart, so the links of all
nodes lie in one array: (tested column or plane, left, right).
"""

import numpy as np

from treesvm.inputs.row_access import row_dot
from treesvm.kernels.compiling import compiled
from treesvm.trees.routing import LEAF


def row_router(tree):
    """Return a function from a 1-D row to the leaf it reaches."""
    links = np.ascontiguousarray(np.stack([tree.feature, tree.left, tree.right], 1))
    threshold, weights = tree.threshold, tree.weights
    if tree.is_oblique:
        return lambda x: oblique_leaf(
            np.ascontiguousarray(x), weights, threshold, links
        )
    return lambda x: axis_leaf(x, links, threshold)


@compiled
def axis_leaf(x, links, threshold):
    """Return the leaf of one row in an axis-parallel tree."""
    k = 0
    while links[k, 1] != LEAF:
        goes_left = np.float32(x[links[k, 0]]) <= threshold[k]
        k = links[k, 1] if goes_left else links[k, 2]
    return k


@compiled
def oblique_leaf(x, weights, threshold, links):
    """Return the leaf of one row in an oblique tree."""
    rows = (x.reshape(1, x.size),)
    k = 0
    while links[k, 1] != LEAF:
        goes_left = row_dot(rows, 0, weights[links[k, 0]]) <= threshold[k]
        k = links[k, 1] if goes_left else links[k, 2]
    return k
