"""A grown tree as a partition of the space: its leaves are the parts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treesvm.trees.axis import is_small
from treesvm.trees.single_rows import RowRouter
from treesvm.trees.tree import Tree


@dataclass(frozen=True, eq=False)
class TreeParts:
    """The leaves of a tree, numbered densely.

    Attributes
    ----------
    tree : Tree
        Axis-parallel or oblique.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import DTSVMClassifier
    >>> X, y = make_moons(600, noise=0.2, random_state=0)
    >>> model = DTSVMClassifier(max_leaf_size=200, random_state=0).fit(X, y)
    >>> parts = model.decompositions_[0].partition
    >>> int(parts.apply(X).max()) < parts.n_parts == model.n_leaves_
    True
    """

    tree: Tree

    @property
    def n_parts(self) -> int:
        """Number of leaves."""
        return self.tree.n_leaves

    def apply(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """Return the part of every row."""
        return self.tree.leaf_numbers[self.tree.apply(X, n_jobs=n_jobs)]

    def coarsen(self, max_leaf_size: int) -> tuple["TreeParts", np.ndarray]:
        """Return the partition at a larger ceiling, and where each part went.

        Splits do not depend on the ceiling, so the tree for a larger one is a subtree
        and nothing is grown again (Chang et al. 2010, section 2.3).
        """
        small = is_small(self.tree.n_rows, max_leaf_size)
        coarse, place = self.tree.cut(small), self.tree.node_map(small)
        return TreeParts(coarse), coarse.leaf_numbers[place[self.tree.leaves()]]

    def row_router(self) -> Callable[[np.ndarray], int]:
        """Return a function from a 1-D row to its part."""
        return RowRouter(self.tree).part
