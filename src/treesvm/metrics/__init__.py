"""What models cost and how good they are, in the papers' own measures."""

from treesvm.metrics.hyperplanes import (
    HyperplaneCost,
    hyperplane_cost,
    relative_complexity,
    relative_error,
)
from treesvm.metrics.rank_tests import (
    FriedmanTest,
    dunn_test,
    friedman_test,
    mean_ranks,
    nemenyi_test,
)
from treesvm.metrics.support_vectors import SupportVectorCost, support_vector_cost

__all__ = [
    "FriedmanTest",
    "HyperplaneCost",
    "SupportVectorCost",
    "dunn_test",
    "friedman_test",
    "hyperplane_cost",
    "mean_ranks",
    "nemenyi_test",
    "relative_complexity",
    "relative_error",
    "support_vector_cost",
]
