"""Twenty million rows on disk, two workers that could not hold them."""

import os
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from distributed import Client

from benchmarks.distributed_covtype import N_WORKERS
from benchmarks.memory import peak_memory, status_mb
from benchmarks.records import CaseResult, Claim, Record, converged_share, fewer
from treesvm import DTSVMClassifier
from treesvm.distributed import DaskDTSVMClassifier, local_cluster, mapped_array
from treesvm.partitions import AxisTree

_N_FEATURES = 20
_BLOCK_ROWS = 250_000
_MEMORY_MB = 1500
_NOISE = 0.05
_SETTINGS = {
    "C": 10.0,
    "gamma": 0.1,
    "kernel": "rbf",
    "max_leaf_size": 500,
    "partition": AxisTree(max_tree_rows=400_000),
    "random_state": 0,
}


def block(number, n_rows):
    """Rows of two classes: waves over five of the features, and wrong labels."""
    waves = np.random.default_rng(12345)
    directions, phases = waves.normal(scale=1.5, size=(5, 6)), waves.uniform(size=6)
    rng = np.random.default_rng([7, number])
    X = rng.uniform(
        size=(n_rows, _N_FEATURES),
    ).astype(np.float32)
    height = np.cos(2 * np.pi * phases + X[:, :5] @ directions).sum(axis=1)
    y = (height > 0.0).astype(np.int8)
    is_wrong = rng.uniform(size=n_rows) < _NOISE
    y[is_wrong] = 1 - y[is_wrong]
    return X, y


def write_rows(folder, n_rows):
    """Write X.npy and y.npy block by block."""
    shape = (n_rows, _N_FEATURES)
    X = np.lib.format.open_memmap(Path(folder, "X.npy"), "w+", np.float32, shape)
    y = np.lib.format.open_memmap(Path(folder, "y.npy"), "w+", np.int8, (n_rows,))
    for number, start in enumerate(range(0, n_rows, _BLOCK_ROWS)):
        stop = min(start + _BLOCK_ROWS, n_rows)
        X[start:stop], y[start:stop] = block(number, stop - start)


def on_disk(folder):
    """Return the rows of a folder as Dask arrays over memory-mapped files."""
    return tuple(
        mapped_array(np.load(Path(folder, f"{name}.npy"), mmap_mode="r"), _BLOCK_ROWS)
        for name in ("X", "y")
    )


def large_case(context):
    """Train and predict in little memory; a tenth of the rows in memory beside it."""
    context.start_ours()
    n_rows = 400_000 if context.quick else 20_000_000
    with tempfile.TemporaryDirectory() as folder:
        write_rows(folder, n_rows)
        beside = peak_memory(
            "benchmarks.distributed_large:prepare_tenth", folder=folder
        )
        return _measured(folder, n_rows, beside)


class _Run(NamedTuple):
    """What the cluster did."""

    model: DTSVMClassifier
    accuracy: float
    fit_seconds: float
    predict_seconds: float
    right: float  # share of the rows that were asked for
    after_fit_mb: float
    peak_mb: float
    is_restarted: bool


def _measured(folder, n_rows, beside):
    """Fit and predict on the cluster; compare with the run in memory."""
    run = _run_on_dask(folder, n_rows // 10)
    result = CaseResult()
    result.records += _records(run, beside, n_rows)
    sv_share = 100.0 * run.model.n_support_vectors_ / n_rows
    result.claims += [
        fewer("peak memory of a worker", run.peak_mb, _MEMORY_MB, unit="MB"),
        Claim("support vectors, share of the rows", sv_share, 10.0, unit="%"),
    ]
    result.tables["Fits beside each other"] = _table(run, beside, n_rows)
    result.notes.append(_note(run, n_rows // 10))
    return result


def _run_on_dask(folder, n_asked):
    X, y = on_disk(folder)
    with local_cluster(N_WORKERS, f"{_MEMORY_MB}MB") as cluster, Client(cluster) as c:
        before = set(c.run(os.getpid).values())
        fitter = DaskDTSVMClassifier(DTSVMClassifier(**_SETTINGS, verbose=1))
        start = time.perf_counter()
        fitter.fit(X, y)
        fit_seconds = time.perf_counter() - start
        after_fit = max(c.run(status_mb, "VmHWM").values())
        start = time.perf_counter()
        right = (fitter.predict(X[:n_asked]) == y[:n_asked]).mean().compute()
        predict_seconds = time.perf_counter() - start
        peak = max(c.run(status_mb, "VmHWM").values())
        is_restarted = before != set(c.run(os.getpid).values())
    accuracy = float(fitter.model_.score(*block(10**6, 200_000)))
    return _Run(fitter.model_, accuracy, fit_seconds, predict_seconds, right,
                after_fit, peak, is_restarted)  # fmt: skip


def _records(run, beside, n_rows):
    found, width = beside.result, f"× {_N_FEATURES}"
    return [
        Record(
            *("large", "treesvm on Dask", f"{n_rows:,} {width}", run.fit_seconds),
            threads=N_WORKERS,
            accuracy=run.accuracy,
            n_solves=run.model.n_leaves_,
            converged_share=converged_share(run.model),
            peak_mb=run.peak_mb,
            n_support=run.model.n_support_vectors_,
        ),
        Record(
            *("large", "treesvm in memory", f"{n_rows // 10:,} {width}"),
            found["seconds"],
            threads=2,
            accuracy=found["accuracy"],
            converged_share=found["converged"],
            peak_mb=beside.peak_mb,
            n_support=found["n_support"],
        ),
    ]


def _table(run, beside, n_rows):
    found = beside.result
    return [
        {
            "run": "Dask, 2 workers of 1.5 GB",
            "rows": n_rows,
            "fit, s": run.fit_seconds,
            "rows/s": n_rows / run.fit_seconds,
            "test accuracy": run.accuracy,
            "support vectors": run.model.n_support_vectors_,
            "leaves": run.model.n_leaves_,
            "peak MB": run.peak_mb,
        },
        {
            "run": "in memory, 2 threads",
            "rows": n_rows // 10,
            "fit, s": found["seconds"],
            "rows/s": n_rows / 10 / found["seconds"],
            "test accuracy": found["accuracy"],
            "support vectors": found["n_support"],
            "leaves": found["n_leaves"],
            "peak MB": beside.peak_mb,
        },
    ]


def _note(run, n_asked):
    seconds = sum(part.seconds for part in run.model.decompositions_[0].parts)
    return (
        f"{converged_share(run.model):.1%} of the leaves converged. Peak of a worker "
        f"after the fit {run.after_fit_mb:.0f} MB, after predicting {n_asked:,} rows "
        f"from disk ({run.predict_seconds:.0f} s, {run.right:.4f} right) "
        f"{run.peak_mb:.0f} MB. "
        f"Workers {'WERE' if run.is_restarted else 'were not'} restarted. Training a "
        f"leaf took {1000 * seconds / run.model.n_leaves_:.1f} ms on average; the best "
        f"possible accuracy is {1 - _NOISE:.2f}."
    )


def prepare_tenth(folder):
    """Load a tenth of the rows; the work fits them with two threads."""
    X = np.load(Path(folder, "X.npy"), mmap_mode="r")
    n_rows = len(X) // 10
    X, y = X[:n_rows].copy(), np.load(Path(folder, "y.npy"))[:n_rows]
    DTSVMClassifier().fit(X[:2000], y[:2000])

    def work():
        model = DTSVMClassifier(**_SETTINGS, n_jobs=2)
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
        return {
            "seconds": seconds,
            "accuracy": float(model.score(*block(10**6, 200_000))),
            "n_support": int(model.n_support_vectors_),
            "n_leaves": int(model.n_leaves_),
            "converged": converged_share(model),
        }

    return work
