"""The papers' generalisation bounds."""

from treesvm.bounds.decomposition_bound import (
    DecompositionBound,
    decomposition_bound,
)
from treesvm.bounds.oblique_bound import ObliqueBound, effective_leaves, oblique_bound

__all__ = [
    "DecompositionBound",
    "ObliqueBound",
    "decomposition_bound",
    "effective_leaves",
    "oblique_bound",
]
