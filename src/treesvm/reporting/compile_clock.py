"""How long a piece of work compiled, apart from what it was about."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from numba.core import event


@dataclass
class WorkTime:
    """Seconds of work and of the compiling that it waited for."""

    seconds: float = 0.0
    compiling: float = 0.0


@contextmanager
def work_timed() -> Iterator[WorkTime]:
    """Time a piece of work; what Numba compiles meanwhile is told apart.

    Examples
    --------
    >>> from treesvm.reporting import work_timed
    >>> with work_timed() as time:
    ...     _ = sum(range(1000))
    >>> time.compiling
    0.0
    """
    time_of = WorkTime()
    start = time.perf_counter()
    with event.install_timer("numba:compile", lambda duration: None) as compiling:
        yield time_of
    total = time.perf_counter() - start
    time_of.compiling = compiling.duration if compiling.done else 0.0
    time_of.seconds = max(total - time_of.compiling, 0.0)
