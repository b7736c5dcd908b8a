"""How the space is cut into parts: recipes that an estimator takes as `partition`."""

from treesvm.partitions.axis_tree import AxisTree
from treesvm.partitions.choice import find_partition
from treesvm.partitions.oblique_tree import ObliqueTree
from treesvm.partitions.random_parts import RandomPartition, RandomParts
from treesvm.partitions.tree_parts import TreeParts
from treesvm.partitions.whole_space import WholeSpace

__all__ = [
    "AxisTree",
    "ObliqueTree",
    "RandomPartition",
    "RandomParts",
    "TreeParts",
    "WholeSpace",
    "find_partition",
]
