"""The seeds of a fit: one for each member, and one for what else is drawn."""

from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state


def member_seeds(random_state, n_members):
    """One seed for each member."""
    rng = check_random_state(random_state)
    return rng.randint(np.iinfo(np.int32).max, size=n_members)


def single_seed(random_state):
    """Return a seed for the only member: a number given is the seed itself."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(member_seeds(random_state, 1)[0])


def draw_seeds(model, n_members=None):
    """Return a seed for each member, and a last one if probabilities are calibrated."""
    n_members = model.n_estimators if n_members is None else n_members
    rng = check_random_state(model.random_state)
    seeds = member_seeds(rng, n_members).tolist()
    if model.probability:
        rng = check_random_state(model.random_state)
        seeds.append(int(rng.randint(2**31 - 1)))
    return seeds
