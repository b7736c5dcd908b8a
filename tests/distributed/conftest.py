"""One cluster of two real worker processes for all tests that can share it."""

import os

import pytest

pytest.importorskip("distributed", reason="needs the extra treesvm[dask]")


@pytest.fixture(scope="session")
def client():
    """A client of two worker processes with one thread each."""
    from distributed import Client

    from treesvm.distributed import local_cluster

    with local_cluster(2) as cluster, Client(cluster) as client:
        # Tests that make other clusters meanwhile leave this one alone.
        yield client


@pytest.fixture(autouse=True)
def one_thread_of_blas(monkeypatch):
    """Workers have one; sums of several threads could round differently."""
    from threadpoolctl import threadpool_limits

    assert os.getpid()
    with threadpool_limits(1):
        yield
