"""Wall and processor time of a call: warmed up, best of several, threads limited."""

import time
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits


class Timing(NamedTuple):
    seconds: float  # what is compared
    cpu_seconds: float
    result: Any  # of the best run


def measure(work, *, repeat=1, warm_up=None, threads=1):
    """Call `work` `repeat` times with at most `threads` BLAS threads; keep the fastest.

    With one thread the time of a run is the smaller of wall and processor time, so that
    another job on the machine does not make either side look slow. With several threads
    the two measure different things, and the wall clock counts.
    """
    with threadpool_limits(threads):
        if warm_up is not None:
            warm_up()
        runs = [_run_once(work, threads) for _ in range(max(1, repeat))]
    return min(runs, key=lambda run: run.seconds)


def _run_once(work, threads):
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Timing(min(wall, cpu) if threads == 1 else wall, cpu, result)
