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


def coarsen(tree, max_leaf_size):
    """Make a leaf of every node that holds fewer rows than the ceiling.

    Parameters
    ----------
    tree : Tree
        Grown with a ceiling no larger than `max_leaf_size`.
    max_leaf_size : int

    Returns
    -------
    Coarsened
    """
    small = tree.n_rows < max_leaf_size
    return Coarsened(tree.cut(small), tree.node_map(small))
