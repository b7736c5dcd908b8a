"""The memory of a worker while it trains, and what it gives back afterwards.

Allocators keep what was freed for later. To Dask it is the worker's memory all the
same: above four fifths of the limit a worker takes no more tasks, and if nothing it
holds can be written to disk, it waits for ever. Dask therefore starts workers with
MALLOC_TRIM_THRESHOLD_, by which every large array is asked from the system anew, page
by page: a third of the time of training a leaf.
"""

import ctypes
import ctypes.util
import gc
import os
import sys
from contextlib import contextmanager
from functools import cache

import pyarrow as pa
from distributed import get_worker

_COLLECTED_SHARE = 0.4  # of the limit, above which unreachable objects are looked for
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of mallopt
_TRIM_SETTING = "MALLOC_TRIM_THRESHOLD_"
_SYSTEM_PIECE = 128 * 2**10  # glibc asks the system for larger arrays, if it is told
_KEPT_PIECE, _KEPT_BYTES = 32 * 2**20, 256 * 2**20  # the largest that glibc takes


@contextmanager
def kept_memory():
    """Let one task use the memory of a leaf for the next; give it back at the end."""
    library, setting = _c_library(), os.environ.get(_TRIM_SETTING, "")
    if library is not None and setting.isdecimal():
        library.mallopt(_M_MMAP_THRESHOLD, _KEPT_PIECE)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
    try:
        yield
    finally:
        if library is not None and setting.isdecimal():
            library.mallopt(_M_MMAP_THRESHOLD, _SYSTEM_PIECE)
            library.mallopt(_M_TRIM_THRESHOLD, int(setting))
        give_back()


def give_back():
    """Return unused memory of Arrow and the C library, if need be Python's, too."""
    if _is_filling():  # a tenth of a second, whatever it finds
        gc.collect()
    pa.default_memory_pool().release_unused()
    library = _c_library()
    if library is not None:
        library.malloc_trim(0)


def _is_filling():
    """Whether this process holds much of what its worker may take."""
    try:
        worker = get_worker()
    except ValueError:  # a task that runs without one, in tests
        return True
    limit = worker.memory_manager.memory_limit
    return limit is not None and (
        worker.monitor.get_process_memory() > _COLLECTED_SHARE * limit
    )


@cache
def _c_library():
    """glibc, None where there is another C library."""
    if not sys.platform.startswith("linux"):
        return None
    name = ctypes.util.find_library("c") or "libc.so.6"
    try:
        library = ctypes.CDLL(name)
        return library if library.malloc_trim and library.mallopt else None
    except (OSError, AttributeError):  # musl has no such functions
        return None
