"""H-LSVM against time: STree, batches, single rows, growth with the number of rows."""

import time

import numpy as np

from benchmarks import environment
from benchmarks.data import fingerprint
from benchmarks.hlsvm_problems import THREADS, error, load
from benchmarks.records import CaseResult, Claim, Record, fewer
from benchmarks.timing import measure
from treesvm import HLSVMClassifier
from treesvm.metrics import hyperplane_cost

STREE = {"kernel": "liblinear", "multiclass_strategy": "ovr", "random_state": 0}
SIZES = (30_000, 65_000, 130_000, 260_000, 520_000)


def model_with(n_jobs):
    """A fresh classifier at the default λ of "mean"."""
    return HLSVMClassifier(regularization="mean", n_jobs=n_jobs, random_state=0)


def stree_case(context):
    """Training against STree on 50,000 rows of covtype, seven classes."""
    problem = load(context, "covtype", binary=False).head(50_000)
    key = {
        "method": "stree.Stree",
        "params": STREE,
        "data": fingerprint(*problem[1:]),
        "versions": environment.versions(["numpy", "scikit-learn", "STree"]),
        "machine": environment.machine(),
    }
    rival = context.rivals.fetch(key, lambda: _fit_stree(problem))
    context.start_ours()
    model = model_with(n_jobs=1)  # STree has one thread
    timing = _timed_fit(model, problem, context.repeat)
    ours = error(model, problem)
    result = CaseResult(
        [Record("stree", "treesvm HLSVMClassifier", "covtype", timing.seconds)]
    )
    result.claims = [
        Claim(
            "fit, 50,000 covtype rows, against STree",
            rival["s"] / timing.seconds,
            10.0,
            50.0,
        ),
        Claim(
            "the same, accuracy above STree's",
            rival["error"] - ours,
            0.0,
            unit="points",
        ),
    ]
    result.tables["Covtype, 50,000 rows, seven classes"] = [
        {"method": "STree", "fit s": rival["s"], "error %": rival["error"]},
        {"method": "H-LSVM, one tree", "fit s": timing.seconds, "error %": ours},
    ]
    return result


def _fit_stree(problem):
    from stree import Stree

    model = Stree(**STREE)
    timing = measure(lambda: model.fit(problem.X, problem.y))
    return {"s": timing.seconds, "error": error(model, problem)}


def prediction_case(context):
    """A batch with two threads, and single rows through the predictor."""
    context.start_ours()
    problem = load(context, "covtype")
    model = model_with(n_jobs=THREADS).fit(problem.X, problem.y)
    X = problem.X_test
    batch = measure(
        lambda: model.predict(X),
        repeat=20 * context.repeat,
        warm_up=lambda: model.predict(X),
        threads=THREADS,
    )
    single = _single_row_time(model.predictor(), X)
    equal = bool(np.all(model.predictor()(X) == model.predict(X)))
    result = CaseResult(notes=[f"The predictor equals `predict` on all rows: {equal}."])
    per_row = 1e6 * batch.seconds / len(X)
    result.claims = [
        fewer("covtype, batch prediction, 2 threads", per_row, 1.0, 0.3, "µs per row"),
        fewer("covtype, predictor(), one row", single, 5.0, 2.0, "µs"),
    ]
    return result


def _single_row_time(predictor, X, n_calls=20_000):
    """Microseconds of one call, in the fastest of many blocks of calls."""
    rows = [np.ascontiguousarray(x) for x in X[:1000]]
    blocks = []
    for _ in range(n_calls // len(rows)):
        start = time.perf_counter()
        for x in rows:
            predictor(x)
        blocks.append((time.perf_counter() - start) / len(rows))
    return 1e6 * float(np.min(blocks))


def scaling_case(context):
    """Fit time, nodes and errors against the number of rows (Figure 5)."""
    context.start_ours()
    full, rows = load(context, "covtype"), []
    sizes = (1_000, 3_000) if context.quick else SIZES
    for size in sizes:
        problem = full.head(size)
        model = model_with(n_jobs=1)  # processor time is then what is measured
        timing = _timed_fit(model, problem, context.repeat)
        training = problem._replace(X_test=problem.X, y_test=problem.y)
        rows.append(
            {
                "rows": len(problem.y),
                "fit s": timing.seconds,
                "inner nodes": model.get_n_leaves() - 1,
                "mean hyperplanes": hyperplane_cost(model, problem.X_test).mean,
                "training error %": error(model, training),
                "test error %": error(model, problem),
            }
        )
    slope = np.polyfit(
        np.log([row["rows"] for row in rows]), np.log([row["fit s"] for row in rows]), 1
    )[0]
    result = CaseResult(tables={"Growth with the number of rows, covtype": rows})
    work = f"fit time, {sizes[0]:,} to {sizes[-1]:,} rows, log-log slope"
    result.claims = [fewer(work, float(slope), 1.15, unit="")]
    return result


def _timed_fit(model, problem, repeat):
    """Fit with one thread, warmed up, the best of several."""
    return measure(
        lambda: model.fit(problem.X, problem.y),
        repeat=repeat,
        warm_up=lambda: model.fit(problem.X[:2000], problem.y[:2000]),
    )
