"""One BLAS thread where products are small, or where threads work on parts of a task.

Threads of BLAS that wait for each other at every small product cost many times the
arithmetic, the more so on a busy machine.
"""

import threading
from contextlib import contextmanager
from functools import cache

import numpy  # noqa: F401  (loads the library whose threads are to be limited)
import scipy.linalg.blas  # noqa: F401  (SciPy brings its own)
from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0  # blocks that are running, in all threads of the process
_limit = None


@contextmanager
def one_blas_thread(is_wanted=True):
    """Limit BLAS to one thread; may be nested, and used by several threads at once.

    The limit is the process's: the first block sets it, the last one takes it back.
    Nothing is limited where it is not wanted.
    """
    global _inside, _limit
    if not is_wanted:
        yield
        return
    with _lock:
        _inside += 1
        if _inside == 1:
            _limit = _blas().limit(limits=1)
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.restore_original_limits()


@cache
def _blas():
    """Looking for the libraries takes milliseconds, a limit only microseconds."""
    return ThreadpoolController().select(user_api="blas")
