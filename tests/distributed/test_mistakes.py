"""Mistakes are told by name, with a way out."""

import os
import signal
import time
from threading import Event, Thread, Timer
from types import SimpleNamespace

import dask.array as da
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest
from checkpointed_fits import rows

from treesvm import DTSVMClassifier, DTSVMClassifierCV, HLSVMClassifier
from treesvm.distributed import (
    DaskDTSVMClassifier,
    DaskDTSVMClassifierCV,
    DaskHLSVMClassifier,
)
from treesvm.distributed.clusters import as_finished, tells_lost_clusters


def on_dask(n_rows=400):
    X, y = rows(n_rows)
    return da.from_array(X, chunks=(100, 6)), da.from_array(y, chunks=100)


X, y = on_dask()
FRAME = dd.from_pandas(pd.DataFrame(X.compute(), columns=list("abcdef")), npartitions=4)
UNKNOWN = dd.from_pandas(pd.DataFrame(np.zeros((10, 2))), npartitions=2)
MISTAKES = {
    "y is shorter": ((X, y[:300]), {}, "y has 300 rows where X has 400"),
    "weights are longer": (
        (X[:300], y[:300], da.ones(400, chunks=100)),
        {},
        "sample_weight has 400 rows where X has 300",
    ),
    "other blocks": (
        (UNKNOWN, da.zeros(10, chunks=10)),
        {},
        "y has 1 blocks where X has 2",
    ),
    "labels in memory": ((UNKNOWN, [0, 1] * 5), {}, "blocks of unknown sizes"),
    "no collection": ((np.zeros((4, 2)), [0, 1, 0, 1]), {}, "X is a ndarray"),
    "one dimension": ((X[:, 0], y), {}, "two dimensions"),
    "labels are a frame": ((UNKNOWN, UNKNOWN), {}, "give one column of it"),
    "one class": ((X, y * 0), {}, "one class only"),
    "negative weight": ((X, y, y * 0.0 - 1.0), {}, "must not be negative"),
    "no weight": ((X, y, y * 0.0), {}, "zero for every row"),
    "weightless class": ((X, y, (y > 0) * 1.0), {}, "class 0 has weight"),
    "missing value": ((X * np.nan, y), {}, "Input X contains NaN"),
    "complex rows": ((X * 1j, y), {}, "X: Complex data"),
    "dates": ((FRAME.assign(day=pd.Timestamp("2020")), y), {}, "X holds dates"),
    "text": ((FRAME.assign(word="some"), y), {}, "X: could not convert string"),
    "labels of nothing": (
        (X, da.from_array(np.array([None, "a"] * 200), chunks=100)),
        {},
        "row 1 has no label",
    ),
    "continuous labels": ((X, y + 0.5), {}, "continuous"),
    "bad parameter": ((X, y), {"C": -1.0}, "C=-1.0"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_told_and_leaves_no_model(name, client):
    arguments, parameters, words = MISTAKES[name]
    model = DaskDTSVMClassifier(DTSVMClassifier(**parameters), client=client)
    with pytest.raises((ValueError, TypeError), match=words):
        model.fit(*arguments)
    assert not hasattr(model, "model_")


def test_no_cluster_is_told(monkeypatch):
    def none():
        raise ValueError("No global client found and no address provided")

    monkeypatch.setattr(distributed, "get_client", none)
    with pytest.raises(ValueError, match=r"distributed\.Client\(n_workers=2"):
        DaskDTSVMClassifier().fit(X, y)


def test_cancelled_work_is_told(client):
    """A scheduler that dies cancels all futures; so does the client."""
    future = client.submit(time.sleep, 2, pure=False)
    Timer(0.3, future.cancel).start()

    @tells_lost_clusters
    def wait():
        return [result for _, result in as_finished([future])]

    with pytest.raises(ConnectionError, match=r"cluster was lost.*cancelled"):
        wait()


def test_wrong_estimator_is_told(client):
    model = DaskDTSVMClassifier(HLSVMClassifier(), client=client)
    with pytest.raises(ValueError, match="give a DTSVMClassifier"):
        model.fit(X, y)


def test_sample_of_no_rows_is_told(client):
    with pytest.raises(ValueError, match="max_sample_rows=0"):
        DaskHLSVMClassifier(max_sample_rows=0, client=client).fit(X, y)


def test_splitter_and_weightless_rows_are_told(client):
    from sklearn.model_selection import KFold

    search = DTSVMClassifierCV([1.0], [1.0], cv=KFold(2))
    weight = np.ones(400)
    weight[0] = 0.0
    with pytest.raises(ValueError, match="drop these rows first"):
        DaskDTSVMClassifierCV(search, client=client).fit(
            X, y, da.from_array(weight, chunks=100)
        )


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_ctrl_c_ends_a_fit_and_frees_the_cluster(client):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9000, 5)), rng.integers(0, 2, 9000)  # nothing to learn
    hard = DTSVMClassifier(C=1e6, gamma=1.0, tol=1e-12, max_iter=10**9)
    model = DaskDTSVMClassifier(hard, client=client)
    sent, is_done = [], Event()

    def interrupt():  # again and again: a callback may swallow one, as people know
        while not is_done.wait(1.0):
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sender = Thread(target=interrupt, daemon=True)
    sender.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(da.from_array(X, chunks=(1000, 5)), da.from_array(y, chunks=1000))
        is_done.set()
        assert time.monotonic() - sent[-1] < 2.0
    finally:
        is_done.set()
        sender.join()
        signal.signal(signal.SIGINT, before)
    assert not hasattr(model, "model_")
    client.restart()  # leaves that are being trained are not waited for
    assert client.submit(sum, [1, 2]).result(60) == 3


def test_killed_workers_are_told_with_the_likely_reason():
    @tells_lost_clusters
    def work():
        raise distributed.KilledWorker("leaf", SimpleNamespace(address="tcp://w"), 3)

    with pytest.raises(MemoryError, match="larger --memory-limit"):
        work()
