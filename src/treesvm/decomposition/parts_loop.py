"""One loop over the parts of a partition, for all that is done to each of them.

Parts know their own rows only, so the order in which they are done and the number of
threads change nothing but the time.
"""

from contextlib import contextmanager

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from treesvm.decomposition.progress import Progress
from treesvm.kernels.blas_threads import one_blas_thread


def each_part(work, sizes, *, n_jobs=None, verbose=0, done="trained"):
    """Call ``work(k)`` for every part k, in threads that share the memory.

    Parameters
    ----------
    work : callable
        From a part's number to what is to be returned for it.
    sizes : ndarray of shape (n_parts,)
        Rows of each part; the largest are done first, which balances the threads.
    n_jobs, verbose : int
    done : str
        What is done to a part, for the message of an error.

    Returns
    -------
    list
        What `work` returned, by part.
    """
    n_workers, progress = (
        worker_count(sizes, n_jobs),
        Progress(len(sizes), "leaves", verbose),
    )

    def step(k):
        with error_that_names(k, sizes[k], done):
            made[k] = work(k)
        progress.step()

    made = [None] * len(sizes)
    with one_blas_thread(n_workers > 1):
        Parallel(n_jobs=n_workers, require="sharedmem")(
            delayed(step)(k) for k in largest_first(sizes)
        )
    progress.close()
    return made


def worker_count(sizes, n_jobs):
    """Threads over parts; a part with one row needs none."""
    return min(effective_n_jobs(n_jobs), max(1, int((sizes > 1).sum())))


def largest_first(sizes):
    """Numbers of the parts, those with the most rows first."""
    return np.argsort(-sizes, kind="stable").tolist()


@contextmanager
def error_that_names(k, n_rows, done="trained"):
    """Say which part failed; the type stays, so that callers can tell errors apart."""
    try:
        yield
    except Exception as error:
        message = f"leaf {k} ({n_rows} rows) could not be {done}: {error}"
        try:
            named = type(error)(message)
        except Exception:  # some exceptions want other arguments
            named = RuntimeError(message)
        raise named from error
