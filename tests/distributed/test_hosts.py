"""Scheduler, workers and client on hosts of their own, in network namespaces."""

import pytest

from benchmarks.distributed_hosts import on_hosts
from benchmarks.host_network import Missing


def run(*scenarios):
    try:
        return on_hosts(list(scenarios), n_rows=2_000)
    except Missing as error:
        pytest.skip(f"no network namespaces here: {error}")


def test_fits_and_answers_are_those_of_one_memory():
    found = run("fit and predict", "search", "cut off for 3 s", "slow link")
    assert all(line["same"] for line in found), found
    assert "by 2 hosts" in found[0]["words"]


def test_worker_without_memory_is_named():
    (line,) = run("small memory")
    assert line["same"], line
    assert "memory limit of 191 MB" in line["words"]
