"""Partitions by name, as users write them."""

from typing import Any

from treesvm.inputs.estimator import Estimator
from treesvm.partitions.axis_tree import AxisTree
from treesvm.partitions.oblique_tree import ObliqueTree
from treesvm.partitions.random_parts import RandomParts
from treesvm.partitions.whole_space import WholeSpace

PARTITIONS = {
    "axis": AxisTree,
    "oblique": ObliqueTree,
    "random": RandomParts,
    "whole": WholeSpace,
}


def find_partition(given: Any) -> Any:
    """Return the recipe that a name stands for, or the recipe itself, checked.

    Parameters
    ----------
    given : {"axis", "oblique", "random", "whole"} or object
        What a user wrote as `partition`.

    Returns
    -------
    object
        With a method `grow`.

    Examples
    --------
    >>> from treesvm.partitions import find_partition
    >>> find_partition("axis")
    AxisTree()
    """
    if isinstance(given, str) and given in PARTITIONS:
        return PARTITIONS[given]()
    if not hasattr(given, "grow") or isinstance(given, type):
        names = ", ".join(map(repr, PARTITIONS))
        raise ValueError(
            f"partition={given!r} is not possible; use {names}, or an object of "
            "treesvm.partitions, such as AxisTree(max_tree_rows=None)."
        )
    if isinstance(given, Estimator):
        given.check_parameters()
    return given


def recipe_of_members(recipe: Any) -> Any:
    """Return the recipe of a committee's members; others differ by their seeds only."""
    return getattr(recipe, "randomized", lambda: recipe)()
