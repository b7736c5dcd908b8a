"""What models cost and how good they are, in the papers' own measures."""

from treesvm.metrics.hyperplanes import (
    HyperplaneCost,
    hyperplane_cost,
    relative_complexity,
    relative_error,
)
from treesvm.metrics.support_vectors import SupportVectorCost, support_vector_cost

__all__ = [
    "HyperplaneCost",
    "SupportVectorCost",
    "hyperplane_cost",
    "relative_complexity",
    "relative_error",
    "support_vector_cost",
]
