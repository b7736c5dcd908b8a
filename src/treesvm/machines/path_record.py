"""The records of a path over C and gamma."""

from typing import NamedTuple

import numpy as np


class PathRecord(NamedTuple):
    """One point of `KernelSVC.path`."""

    C: float
    gamma: float
    score: float  # accuracy on the validation rows, NaN without them
    n_support: int  # distinct support vectors
    n_iter: int  # steps, over all machines
    gap: float  # largest relative duality gap of a machine
    converged: bool  # whether every machine converged


def path_record(point, y_val, classes):
    """Summarise one grid point."""
    score = np.nan
    if y_val is not None:
        score = float(np.mean(classes[point.predicted] == y_val))
    n_support = len(np.unique(point.rows[point.coefficients != 0]))
    return PathRecord(
        float(point.C),
        float(point.gamma),
        score,
        n_support,
        int(point.records["n_iter"].sum()),
        float(point.records["gap"].max()),
        bool(point.records["converged"].all()),
    )
