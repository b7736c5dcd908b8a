"""One cluster of two real worker processes for all tests that can share it."""

import importlib.util

import pytest

# Without Dask these modules cannot be imported; test_without_dask.py says so by a skip.
collect_ignore = []
if importlib.util.find_spec("distributed") is None:
    collect_ignore = [
        "test_answers.py",
        "test_clusters.py",
        "test_equals_memory.py",
        "test_file_training.py",
        "test_hosts.py",
        "test_mistakes.py",
    ]


@pytest.fixture(scope="session")
def client():
    """A client of two worker processes with one thread each."""
    from distributed import Client

    from treesvm.distributed import local_cluster

    with local_cluster(2) as cluster, Client(cluster) as client:
        # Tests that make other clusters meanwhile leave this one alone.
        yield client


@pytest.fixture(autouse=True)
def one_thread_of_blas():
    """Workers have one; sums of several threads could round differently."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield
