"""Give memory back to the system after the large tasks of a worker.

Allocators keep what was freed for later. To Dask it is the worker's memory all the
same: above four fifths of the limit a worker takes no more tasks, and if nothing it
holds can be written to disk, it waits for ever.
"""

import ctypes
import ctypes.util
import gc
import sys
from functools import cache

import pyarrow as pa


def give_back():
    """Return unused memory of Python, Arrow and the C library to the system."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim():
    """The function of glibc, None where there is another C library."""
    if not sys.platform.startswith("linux"):
        return None
    name = ctypes.util.find_library("c") or "libc.so.6"
    try:
        return ctypes.CDLL(name).malloc_trim
    except (OSError, AttributeError):  # musl has no such function
        return None
