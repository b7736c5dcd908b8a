"""Real processes: other numbers of workers, killed workers, commands, joblib."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import dask.array as da
import joblib
import numpy as np
import pytest
from checkpointed_fits import assert_same_model, rows
from distributed import Client, get_task_stream
from sklearn.base import clone

from treesvm import DTSVMClassifier, DTSVMClassifierCV, HLSVMClassifier
from treesvm.distributed import (
    DaskDTSVMClassifier,
    DaskDTSVMClassifierCV,
    DaskHLSVMClassifier,
    local_cluster,
    oblique_growing,
)
from treesvm.partitions import AxisTree
from treesvm.persistence import Checkpoint

SETTINGS = {
    "max_leaf_size": 120,
    "partition": AxisTree(max_tree_rows=500),
    "random_state": 0,
}


def on_dask(n_rows=3000):
    X, y = rows(n_rows)
    return da.from_array(X, chunks=(500, 6)), da.from_array(y, chunks=500)


def in_memory(n_rows=3000, **options):
    return DTSVMClassifier(**SETTINGS, **options).fit(*rows(n_rows))


@pytest.mark.parametrize("n_workers", [1, 4])
def test_model_does_not_depend_on_the_number_of_workers(n_workers):
    with local_cluster(n_workers) as cluster, Client(cluster):
        model = DaskDTSVMClassifier(DTSVMClassifier(**SETTINGS)).fit(*on_dask())
    assert_same_model(model.model_, in_memory())


def test_two_processes_train_leaves_to_the_same_model(client):
    model = DaskDTSVMClassifier(DTSVMClassifier(**SETTINGS), client=client)
    model.fit(*on_dask())
    assert len(model.leaves_per_worker_) == 2
    assert os.getpid() not in model.leaves_per_worker_
    assert sum(model.leaves_per_worker_.values()) == model.model_.n_leaves_
    assert_same_model(model.model_, in_memory())


def test_killed_worker_changes_nothing():
    n_rows = 20_000
    undisturbed = in_memory(n_rows)
    with local_cluster(2) as cluster, Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))
        killed = threading.Event()

        def kill(after=0.0):
            time.sleep(after)
            os.kill(victim, signal.SIGKILL)
            killed.set()

        model = DaskDTSVMClassifier(DTSVMClassifier(**SETTINGS))
        X, y = on_dask(n_rows)
        DaskDTSVMClassifier(DTSVMClassifier(**SETTINGS)).fit(X[:2000], y[:2000])
        threading.Thread(target=kill, args=(0.6,)).start()
        model.fit(X, y)
        assert killed.wait(30.0)
    assert_same_model(model.model_, undisturbed)


def test_resumed_fit_trains_fewer_leaves(client, tmp_path):
    settings = {**SETTINGS, "checkpoint": Checkpoint(tmp_path, every=0.0)}
    X, y = on_dask()
    fresh = DaskDTSVMClassifier(DTSVMClassifier(**settings), client=client).fit(X, y)
    n_leaves = fresh.model_.n_leaves_
    assert sum(fresh.leaves_per_worker_.values()) == n_leaves
    for piece in sorted(tmp_path.glob("items-*"))[::2]:
        piece.unlink()
    resumed = DaskDTSVMClassifier(DTSVMClassifier(**settings), client=client).fit(X, y)
    trained = sum(resumed.leaves_per_worker_.values())
    assert 0 < trained < n_leaves
    assert trained + resumed.model_.n_restored_leaves_ == n_leaves
    assert_same_model(resumed.model_, in_memory())
    with pytest.raises(ValueError, match="features, labels and weights was"):
        DaskDTSVMClassifier(DTSVMClassifier(**settings), client=client).fit(X + 1, y)


@pytest.mark.parametrize("kind", ["search", "oblique tree"])
def test_searches_and_trees_go_on(kind, client, tmp_path, monkeypatch):
    kept = Checkpoint(tmp_path, every=0.0)
    if kind == "search":
        search = DTSVMClassifierCV(
            [1.0, 10.0], [1.0], max_leaf_size=120, random_state=0, checkpoint=kept
        )
        make = partial(DaskDTSVMClassifierCV, search)
    else:
        monkeypatch.setattr(oblique_growing, "_LEAF_ROWS", 300)
        tree = HLSVMClassifier(random_state=0, checkpoint=kept)
        make = partial(DaskHLSVMClassifier, tree, max_sample_rows=800)
    X, y = on_dask(1500)
    whole = make(client=client).fit(X, y).model_
    written = sorted(tmp_path.glob("items-*"), key=lambda path: path.stat().st_mtime)
    assert len(written) > 2
    for piece in written[len(written) // 2 :]:
        piece.unlink()
    assert_same_model(make(client=client).fit(X, y).model_, whole)


def test_in_memory_estimators_run_on_a_cluster_through_joblib(client):
    X, y = rows(3000)
    model = DTSVMClassifier(**SETTINGS, n_jobs=2)
    with get_task_stream(client) as stream:
        with client.as_current(), joblib.parallel_config(backend="dask"):
            model.fit(X, y)
        time.sleep(0.2)
    assert len({task["worker"] for task in stream.data}) == 2
    assert_same_model(model, in_memory())


def test_searches_run_on_a_cluster_through_joblib(client):
    X, y = rows(1500)
    search = DTSVMClassifierCV(
        [1.0, 10.0], [1.0, 10.0], max_leaf_size=200, n_jobs=2, random_state=0
    )
    here = clone(search).fit(X, y)
    with client.as_current(), joblib.parallel_config(backend="dask"):
        assert_same_model(search.fit(X, y), here)


def test_cluster_started_by_commands(tmp_path):
    processes = []
    try:
        scheduler, line = start(
            ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"],
            r"Scheduler at:\s+(tcp://\S+)",
            tmp_path,
        )
        processes.append(scheduler)
        address = line.group(1)
        for k in range(2):
            worker, _ = start(
                ["worker", address, "--nthreads", "1", "--name", f"worker-{k}"],
                r"Registered to:\s+(tcp://\S+)",
                tmp_path,
            )
            processes.append(worker)
        with Client(address) as client:
            client.wait_for_workers(2, timeout=60)
            model = DaskDTSVMClassifier(DTSVMClassifier(**SETTINGS))
            model.fit(*on_dask())
            assert len(model.leaves_per_worker_) == 2
            answers = model.predict(on_dask()[0]).compute()
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(30)
            process.stderr.close()
    assert_same_model(model.model_, in_memory())
    assert np.array_equal(answers, model.model_.predict(rows(3000)[0]))


def start(arguments, pattern, folder):
    """Start a dask command and wait for a line of its log."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline:
        line = process.stderr.readline()
        found = re.search(pattern, line)
        if found:
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return process, found
        if not line and process.poll() is not None:
            break
    process.kill()
    raise RuntimeError(f"dask {arguments[0]} did not start")
