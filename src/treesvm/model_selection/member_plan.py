"""Which members are trained, on which trees, and how many rows time allows.

Where the space is not cut, each theta of a finding is one member.  Where a tree cuts
it, members have randomised trees of their own, since borders between parts that differ
from member to member are averaged out: heavy thetas then get several members.
"""

from typing import Any, NamedTuple

import numpy as np

from treesvm.decomposition.theta import Theta
from treesvm.model_selection.stacking import MOST_MEMBERS


class Member(NamedTuple):
    """One member, not yet trained."""

    theta: Theta
    place: int  # of the theta in the finding
    weight: float
    partition: Any  # recipe
    max_leaf_size: int
    seed: int


def planned_members(found, weights, n_rows, seed, n_most=MOST_MEMBERS):
    """Return the members, heaviest first.

    Parameters
    ----------
    found : Finding
    weights : ndarray
        Of its thetas: not negative, descending.
    n_rows : int
        That will train.
    seed : int
    n_most : int
        Members at most.
    """
    thetas, weights = found.thetas[:n_most], np.asarray(weights[:n_most], float)
    copies, partition = np.ones(len(thetas), int), found.partition
    own = partition.randomized()
    is_cut = own is not partition and n_rows >= found.max_leaf_size
    if is_cut and n_most > 1:
        copies, partition = _copies(weights, n_most), own
    members = [
        Member(thetas[m], m, weights[m] / copies[m], partition, found.max_leaf_size, 0)
        for m in range(len(thetas))
        for _ in range(copies[m])
    ]
    members.sort(key=lambda member: -member.weight)
    return [member._replace(seed=seed + k) for k, member in enumerate(members)]


def _copies(weights, n_most):
    """Return how many members each theta gets, at least one, `n_most` in all."""
    copies = np.ones(len(weights), int)
    while copies.sum() < n_most:
        copies[np.argmax(weights / copies)] += 1
    return copies
