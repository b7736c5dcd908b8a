"""A tiny random generator whose state the caller holds (Marsaglia's xorshift64).

Numba's own generator belongs to the thread. What a solver draws must not depend on
which thread solves which problem, so the solvers carry their state themselves.
"""

import numpy as np

from treesvm.kernels.compiling import compiled


@compiled
def start(seed):
    """Return the first state for a seed; never zero, where the generator would stay."""
    return advance(np.uint64(seed) * np.uint64(2) + np.uint64(1))


@compiled
def advance(state):
    """Return the next state."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    return state ^ (state << np.uint64(17))


@compiled
def integer_below(state, n):
    """Return an integer in 0 … n - 1 from the upper bits of the state."""
    return np.int64((state >> np.uint64(11)) % np.uint64(n))


@compiled
def unit(state):
    """Return a number in [0, 1) from the upper 53 bits of the state."""
    return np.float64(state >> np.uint64(11)) * 2.0**-53
