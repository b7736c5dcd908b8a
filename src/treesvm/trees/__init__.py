"""Binary trees as flat arrays: growing, routing, cutting."""

from treesvm.trees.adjacency import Neighbours, adjacent_leaves, neighbour_blocks
from treesvm.trees.axis import grow_axis_regression_tree, grow_axis_tree
from treesvm.trees.boxes import LeafBoxes, leaf_boxes
from treesvm.trees.coarsening import Coarsened, coarsen
from treesvm.trees.leaf_rows import LeafRows, rows_by_leaf
from treesvm.trees.leaf_statistics import LeafStatistics, leaf_statistics
from treesvm.trees.routing import LEAF
from treesvm.trees.tree import Tree

__all__ = [
    "LEAF",
    "Coarsened",
    "LeafBoxes",
    "LeafRows",
    "LeafStatistics",
    "Neighbours",
    "Tree",
    "adjacent_leaves",
    "coarsen",
    "grow_axis_regression_tree",
    "grow_axis_tree",
    "leaf_boxes",
    "leaf_statistics",
    "neighbour_blocks",
    "rows_by_leaf",
]
