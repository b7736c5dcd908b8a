"""The tree for a larger ceiling, cut from a grown tree.

Splits do not depend on the ceiling, so the tree for a larger one is a subtree of the
tree for a smaller one, and nothing is grown again (Chang et al. 2010, section 2.3).
"""

from typing import NamedTuple

import numpy as np

from treesvm.trees.tree import Tree


class Coarsened(NamedTuple):
    """A cut tree and where the old nodes went."""

    tree: Tree
    node_map: np.ndarray  # (old n_nodes,) new node that holds the old node's rows

    def leaf_ids(self, old_leaf_ids):
        """Return the new leaf of each row from its old one, without routing."""
        return self.node_map[old_leaf_ids]


def is_small(n_rows, max_leaf_size):
    """Whether each node is a leaf at this ceiling, the root being the first.

    A node is one when it holds fewer rows than the ceiling, the root also when it holds
    just as many: a ceiling of n rows or more is a plain SVM.
    """
    small = n_rows < max_leaf_size
    small[0] = n_rows[0] <= max_leaf_size
    return small


def coarsen(tree, max_leaf_size):
    """Make a leaf of every node that is small enough for the ceiling.

    Parameters
    ----------
    tree : Tree
        Grown with a ceiling no larger than `max_leaf_size`.
    max_leaf_size : int

    Returns
    -------
    Coarsened
    """
    small = is_small(tree.n_rows, max_leaf_size)
    return Coarsened(tree.cut(small), tree.node_map(small))
