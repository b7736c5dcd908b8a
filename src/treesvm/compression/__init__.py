"""A trained machine in, a cheaper one out: support vector trees and budgeted spans."""

from treesvm.compression.exact_tree import exact_balanced_tree
from treesvm.compression.greedy_tree import GrowthOptions, grow_score_tree
from treesvm.compression.score_tree import ScoreTree
from treesvm.compression.subspace_pursuit import pursue

__all__ = [
    "GrowthOptions",
    "ScoreTree",
    "exact_balanced_tree",
    "grow_score_tree",
    "pursue",
]
