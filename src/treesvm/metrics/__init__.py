"""What models cost and how good they are, in the papers' own measures."""

from treesvm.metrics.hyperplanes import (
    HyperplaneCost,
    hyperplane_cost,
    relative_complexity,
    relative_error,
)

__all__ = [
    "HyperplaneCost",
    "hyperplane_cost",
    "relative_complexity",
    "relative_error",
]
