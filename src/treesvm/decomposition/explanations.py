"""What features do in a decomposed model: importances, gradients, Shapley values.

Everything is computed in the units in which a part sees its rows, and told in those of
the features as they were given: a feature that a part does not look at has no part in
its answers.
"""

import numpy as np

from treesvm.decomposition.decomposition import Decomposition
from treesvm.machines.gradients import gradient_outer, machine_gradients
from treesvm.machines.shapley import shapley_values
from treesvm.trees.leaf_rows import rows_by_leaf

_MOST_VALUES = 2**24  # gradients or Shapley values of machines held at once


def part_importances(part, n_features):
    """Return the mean squared slope of a part's values, by each feature as given.

    The slope is taken at its support vectors, and per range of the part: how much the
    values change when the feature goes from one end of the part to the other.
    """
    found = np.zeros(n_features)
    machine = part.machine
    if machine is None or machine.kernel.power is None:
        return found
    columns = np.arange(n_features) if part.scaling is None else part.scaling.columns
    factor = np.ones(len(columns)) if part.scaling is None else part.scaling.factor
    slopes = gradient_outer(machine, machine.vectors, None)
    scaled = slopes * (factor if part.scaling is None else _spans(part)) ** 2
    found[columns] = scaled / max(1, machine.n_vectors * machine.n_machines)
    return found


def _spans(part):
    """Return how far the support vectors of a part reach along each of its features."""
    vectors = part.machine.vectors
    low, high = vectors.min(axis=0), vectors.max(axis=0)
    if hasattr(low, "toarray"):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return np.asarray(high - low, np.float64).ravel()


def importances(members: list[Decomposition], n_features: int) -> np.ndarray:
    """Return the importance of each feature, summing to one, row-weighted over parts.

    Where no part has a machine with slopes, all are zero.
    """
    total = np.zeros(n_features)
    for member in members:
        for part in member.parts:
            total += part.n_rows * np.sqrt(part_importances(part, n_features))
    top = total.sum()
    return total / top if top > 0 else total
