"""covtype through Dask beside the same fit in one process."""

import time

import dask.array as da
import numpy as np
from distributed import Client, wait

from benchmarks import data
from benchmarks.memory import status_mb
from benchmarks.records import CaseResult, Record, converged_share, fewer
from treesvm import DTSVMClassifier
from treesvm.distributed import DaskDTSVMClassifier, local_cluster

N_WORKERS = 2
_BLOCK_ROWS = 41_000


def covtype_rows(context):
    """Five parts of six to learn from, the last one to test on."""
    X, y, _, _ = data.load(context.data, "covtype")
    split = data.split_4_1_1(len(y))
    train = np.concatenate([split.train, split.validation])
    if context.quick:
        train = train[:40_000]
    return X[train], y[train], X[split.test], y[split.test]


def covtype_case(context):
    """Two single-thread workers against two threads, turn by turn."""
    X, y, X_test, y_test = covtype_rows(context)
    context.start_ours()
    model = DTSVMClassifier(random_state=0, n_jobs=N_WORKERS)
    with local_cluster(N_WORKERS) as cluster, Client(cluster) as client:
        there = da.from_array(X, chunks=(_BLOCK_ROWS, X.shape[1])).persist()
        labels = da.from_array(y, chunks=_BLOCK_ROWS).persist()
        wait([there, labels])
        fitter = DaskDTSVMClassifier(model, client=client)
        fitter.fit(there[:20_000], labels[:20_000])  # imports and compiles
        model.fit(X[:20_000], y[:20_000])
        on_dask, in_memory = [], []
        for _ in range(context.repeat):
            in_memory.append(measured(None, lambda: model.fit(X, y)))
            on_dask.append(measured(client, lambda: fitter.fit(there, labels)))
        peaks = client.run(status_mb, "VmHWM")
    fitted = fitter.model_
    same = np.array_equal(fitted.predict(X_test), model.predict(X_test))
    share = converged_share(fitted)
    accuracy = fitted.score(X_test, y_test)
    result = CaseResult()
    for name, times, peak in (
        ("treesvm on Dask", on_dask, max(peaks.values())),
        ("treesvm, 2 threads", in_memory, None),
    ):
        result.records.append(
            Record(
                *("covtype", name, f"{len(y):,} × {X.shape[1]}", *min(times)),
                threads=N_WORKERS,
                accuracy=accuracy,
                converged_share=share,
                n_solves=fitted.n_leaves_,
                n_support=fitted.n_support_vectors_,
                peak_mb=peak,
            )
        )
    ratio = min(on_dask)[0] / min(in_memory)[0]
    work = "covtype on two workers, time over that with two threads"
    result.claims.append(fewer(work, ratio, 2.0, 1.3))
    result.tables[f"Fits of {len(y):,} rows, seconds (each run in turn)"] = [
        {
            "run": str(k + 1),
            "in memory, 2 threads": here[0],
            "Dask, 2 workers": far[0],
            "ratio": far[0] / here[0],
            "processor time in memory": here[1],
            "of all processes of Dask": far[1],
            "their ratio": far[1] / here[1],
        }
        for k, (here, far) in enumerate(zip(in_memory, on_dask, strict=True))
    ]
    result.notes.append(
        f"Test accuracy {accuracy:.4f} on {len(y_test):,} rows; the two models answer "
        f"{'every row alike' if same else 'DIFFERENTLY'}; {share:.1%} of the leaves "
        f"converged; most memory of a worker {max(peaks.values()):.0f} MB. The start "
        "of the cluster is not counted, and the rows are on the workers already. "
        "Processor time does not depend on what else the machine does; it counts the "
        "scheduler and the network, too."
    )
    return result


def measured(client, work):
    """Return the wall and the processor seconds of some work, with those of workers."""
    before = _processor_seconds(client)
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    return seconds, _processor_seconds(client) - before


def _processor_seconds(client):
    there = 0.0 if client is None else sum(client.run(time.process_time).values())
    return time.process_time() + there
