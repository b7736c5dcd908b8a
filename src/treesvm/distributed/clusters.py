"""The Dask cluster that does the work: found, described, or started here."""

import functools
import logging
from typing import Any, NamedTuple

import dask
import distributed
from distributed.comm import CommClosedError

_LEAST_MEMORY = 384 * 2**20  # of a worker
_SHUFFLE_SHARE = 0.1  # of a worker's memory, for rows that wait to be sent or written


class ClusterSize(NamedTuple):
    """What a cluster has to offer."""

    n_workers: int
    n_threads: int
    smallest_memory: float  # bytes of the smallest worker, infinite without limits
    total_memory: float


def find_client(client=None):
    """Return the given client, or the one that is current.

    Raises
    ------
    ValueError
        If there is none.
    """
    if client is not None:
        return client
    try:
        return distributed.get_client()
    except ValueError as error:
        raise ValueError(
            "there is no Dask cluster to work on; make a client first, such as "
            "distributed.Client(n_workers=2, threads_per_worker=1) on this machine or "
            'distributed.Client("tcp://scheduler:8786"), or give client=.'
        ) from error


def cluster_size(client):
    """Return the number of workers and threads, and their memory."""
    workers = client.run_on_scheduler(_worker_sizes)
    if not workers:
        raise ValueError(
            f"the cluster at {client.scheduler.address} has no workers; start some "
            f"with: dask worker {client.scheduler.address}"
        )
    limits = [limit or float("inf") for _, limit in workers]
    if min(limits) < _LEAST_MEMORY:
        raise ValueError(
            f"a worker of the cluster has a memory limit of {min(limits) / 2**20:.0f} "
            f"MB, and Python with its libraries takes about as much; start workers "
            f"with at least {_LEAST_MEMORY // 2**20} MB (dask worker --memory-limit)."
        )
    return ClusterSize(
        len(workers), sum(n for n, _ in workers), min(limits), sum(limits)
    )


def _worker_sizes(dask_scheduler=None):
    states = dask_scheduler.workers.values()
    return [(state.nthreads, state.memory_limit) for state in states]


def as_finished(futures):
    """Yield (future, result) as they are done; raise where a future was cancelled.

    `distributed.as_completed` yields the error of a cancelled future as its result.
    """
    for future, result in distributed.as_completed(futures, with_results=True):
        if isinstance(result, distributed.CancelledError):
            raise result
        yield future, result


def tells_lost_clusters(method):
    """Let a method say in plain words that the scheduler or workers have gone."""

    @functools.wraps(method)
    def told(*args, **kwargs):
        try:
            return method(*args, **kwargs)
        except distributed.KilledWorker as error:
            raise MemoryError(
                "workers died while they trained or answered, most often because their "
                "memory limit is too small for the rows of a block or a leaf: start "
                "them with a larger --memory-limit, cut X into smaller blocks, or "
                f"lower max_leaf_size. Dask said: {' '.join(str(error).split())[:300]}"
            ) from error
        except (distributed.CancelledError, CommClosedError) as error:
            reason = " ".join(str(error).split())
            raise ConnectionError(
                "the Dask cluster was lost, or its work was cancelled: look at the log "
                "of its scheduler. On another cluster the same fit goes on where its "
                f"checkpoint ends, if it has one. Dask said: {reason[:300]}"
            ) from error

    return told


def local_cluster(
    n_workers: int = 2, memory: str | int | None = None, **options: Any
) -> Any:
    """Start worker processes on this machine, one thread each.

    Parameters
    ----------
    n_workers : int
    memory : str or int, optional
        Of each worker, such as "1.5GB". The buffers of Dask's shuffle, a gigabyte by
        default, are made to fit.
    options
        Of `distributed.LocalCluster`.

    Returns
    -------
    distributed.LocalCluster
        To be closed by the caller; a context manager.

    Examples
    --------
    >>> from distributed import Client
    >>> from treesvm.distributed import local_cluster
    >>> with local_cluster(1, "1GB") as cluster, Client(cluster) as client:
    ...     client.submit(sum, [1, 2]).result()
    3
    """
    settings = {}
    if memory is not None:
        limit = dask.utils.parse_bytes(memory)
        settings = {
            "distributed.p2p.comm.buffer": int(_SHUFFLE_SHARE * limit),
            "distributed.p2p.storage.buffer": int(_SHUFFLE_SHARE * limit),
        }
    arguments = {
        "n_workers": n_workers,
        "threads_per_worker": 1,
        "processes": True,
        "dashboard_address": ":0",  # any free port, so that clusters can coexist
        "silence_logs": logging.ERROR,
    }
    if memory is not None:
        arguments["memory_limit"] = memory
    # Workers are started with the settings that are valid now.
    with dask.config.set(settings):
        return distributed.LocalCluster(**(arguments | options))
