"""The papers' generalisation bounds."""

from treesvm.bounds.oblique_bound import ObliqueBound, effective_leaves, oblique_bound

__all__ = ["ObliqueBound", "effective_leaves", "oblique_bound"]
