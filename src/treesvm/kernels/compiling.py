"""Two ways to compile a function: for Python to call, or for compiled code only.

The first fit after an installation waits for the compiler.  An entry that nobody uses
costs as much of that time as a small function, so none is made without need.
"""

from numba import njit

# Numbers that a compiled call reads before it returns to Python, where Ctrl-C is
# noticed: a fifth of a second, about.
SLICE = 2**27
VISIT = 100  # numbers that could be read in the time it takes to get to a random row


def slices(n_steps, cost):
    """Yield the (first, last) of the steps 1 … n_steps that one compiled call makes.

    `cost` is how many numbers a step reads.
    """
    some = max(1, SLICE // max(1, cost))
    for first in range(1, n_steps + 1, some):
        yield first, min(first + some - 1, n_steps)


# What Python calls.  No function is passed as a value, so none needs an entry for C.
compiled = njit(cache=True, nogil=True, no_cfunc_wrapper=True)

# What only compiled functions call.  From Python it would crash: it has no entry.  Its
# code is kept with that of its callers, so a cache of its own would serve nobody.
inner = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
