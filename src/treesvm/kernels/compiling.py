"""Two ways to compile a function: for Python to call, or for compiled code only.

The first fit after an installation waits for the compiler.  An entry that nobody uses
costs as much of that time as a small function, so none is made without need.

What Python calls is kept on the disk.  Without a folder for it, as in a container with
a read-only installation and a user without a home, each process compiles in memory.
"""

import functools
import warnings

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


# What only compiled functions call.  From Python it would crash: it has no entry.  Its
# code is kept with that of its callers, so a cache of its own would serve nobody.
inner = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)


def compiled(function=None, **options):
    """Compile what Python calls; `options` are those of `numba.njit`."""
    if function is None:
        return functools.partial(compiled, **options)
    # No function is passed as a value, so none needs an entry for C.
    options = {"nogil": True, "no_cfunc_wrapper": True, **options}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        _say_that_nothing_is_kept()
        return njit(**options)(function)


@functools.cache  # once in a process, although each of a hundred functions finds out
def _say_that_nothing_is_kept():
    warnings.warn(
        "treesvm found no folder to keep compiled code in, so every process compiles "
        "it anew; set NUMBA_CACHE_DIR to a folder that this user may write to.",
        stacklevel=4,
    )
