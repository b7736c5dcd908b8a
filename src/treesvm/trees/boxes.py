"""Leaves of an axis-parallel tree as boxes.

A leaf holds the rows x with ``lower < x <= upper`` in every feature; a feature that no
node above the leaf tests is unbounded. Features that no node tests at all are left out:
in them every leaf is the whole line.
"""

from typing import NamedTuple

import numpy as np

from treesvm.kernels.compiling import compiled
from treesvm.trees.routing import LEAF


class LeafBoxes(NamedTuple):
    """One row for each leaf, in the order of `Tree.leaves()`."""

    features: np.ndarray  # (n_tested,) columns of X that the tree tests, ascending
    lower: np.ndarray  # (n_leaves, n_tested), -inf where unbounded
    upper: np.ndarray  # (n_leaves, n_tested), inf where unbounded


def leaf_boxes(tree):
    """Return the box of every leaf.

    Parameters
    ----------
    tree : Tree
        Axis-parallel.

    Returns
    -------
    LeafBoxes
    """
    check_axis_parallel(tree)
    features = np.unique(tree.feature[tree.feature != LEAF])
    column = np.searchsorted(features, tree.feature)
    leaves = tree.leaves()
    lower = np.full((len(leaves), len(features)), -np.inf)
    upper = np.full((len(leaves), len(features)), np.inf)
    _bound(leaves, tree.parent, tree.left, column, tree.threshold, lower, upper)
    return LeafBoxes(features, lower, upper)


def check_axis_parallel(tree):
    """Raise a ValueError for an oblique tree, whose leaves are no boxes."""
    if tree.is_oblique:
        raise ValueError(
            "the tree is oblique, so its leaves are not boxes; give an axis-parallel "
            "one, as grow_axis_tree returns it."
        )


@compiled
def _bound(leaves, parent, left, column, threshold, lower, upper):
    """Write the bounds of each leaf, from its own cut up to the root's."""
    for t in range(len(leaves)):
        child = leaves[t]
        k = parent[child]
        while k != LEAF:
            j = column[k]
            # Lower cuts lie inside the bounds of higher ones, so the first one counts.
            if left[k] == child:
                upper[t, j] = min(upper[t, j], threshold[k])
            else:
                lower[t, j] = max(lower[t, j], threshold[k])
            child, k = k, parent[k]
