"""Two ways to compile a function: for Python to call, or for compiled code only.

The first fit after an installation waits for the compiler.  An entry that nobody uses
costs as much of that time as a small function, so none is made without need.
"""

from numba import njit

# What Python calls.  No function is passed as a value, so none needs an entry for C.
compiled = njit(cache=True, nogil=True, no_cfunc_wrapper=True)

# What only compiled functions call.  From Python it would crash: it has no entry.  Its
# code is kept with that of its callers, so a cache of its own would serve nobody.
inner = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
