"""Pictures; needs the extra ``treesvm[plot]``."""

from treesvm.plotting.cost_curves import plot_error_against_cost, plot_growth
from treesvm.plotting.critical_difference import plot_critical_difference
from treesvm.plotting.features import explanation, importances
from treesvm.plotting.oblique_trees import plot_regions, plot_tree

__all__ = [
    "explanation",
    "importances",
    "plot_critical_difference",
    "plot_error_against_cost",
    "plot_growth",
    "plot_regions",
    "plot_tree",
]
