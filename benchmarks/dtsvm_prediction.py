"""Batches with two threads, and single rows through the predictor."""

import time

import numpy as np

from benchmarks.dtsvm_covtype import covtype, fewer, fixed_fit
from benchmarks.dtsvm_problems import PAPER_GAIN, THREADS, load
from benchmarks.records import CaseResult
from benchmarks.timing import measure
from treesvm import DTSVMClassifierCV

# Set -> (must, aim) in microseconds for one row.
SINGLE_ROWS = {"letter": (150.0, 60.0), "shuttle": (5.0, 2.0)}


def batch_case(context):
    """Covtype's test rows, the fixed fit."""
    context.start_ours()
    model, X = fixed_fit(context).model, covtype(context).X_test
    timing = measure(
        lambda: model.predict(X),
        repeat=3 * context.repeat,
        warm_up=lambda: model.predict(X),
        threads=THREADS,
    )
    per_row = 1e6 * timing.seconds / len(X)
    result = CaseResult()
    work = "covtype, batch prediction, 2 threads"
    result.claims = [fewer(work, per_row, 15.0, 5.0, "µs per row")]
    return result


def rows_case(context):
    """One row at a time, after the search; the predictor equals `predict`."""
    context.start_ours()
    result, rows = CaseResult(), []
    sets = {"pendigits": (None, None)} if context.quick else SINGLE_ROWS
    for name, (must, aim) in sets.items():
        problem = load(context, name)
        model, X = _searched(problem, context.quick), problem.X_test
        predictor = model.predictor()
        median, worst = single_row_times(predictor, X)
        equal = bool(np.all(predictor(X) == model.predict(X)))
        result.claims.append(
            fewer(f"{name}, predictor(), one row", median, must, aim, "µs")
        )
        rows.append(
            {
                "set": name,
                "median µs": median,
                "99th percentile µs": worst,
                "predict() on one row, µs": _checked_time(model, X),
                "equal to predict": equal,
                "σ": model.max_leaf_size_,
            }
        )
    result.tables["Single rows"] = rows
    return result


def _searched(problem, quick):
    """The raced search of the paper's candidates, trained on the training rows."""
    few = {"Cs": [1.0, 10.0], "gammas": [1.0, 10.0], "max_leaf_size": 300}
    return DTSVMClassifierCV(
        cv=problem.cv,
        candidates="paper",
        min_gain=PAPER_GAIN,
        refit=False,
        n_jobs=THREADS,
        random_state=0,
        **(few if quick else {}),
    ).fit(problem.X, problem.y)


def single_row_times(predictor, X, n_rows=2_000, repeat=5):
    """Median over rows of the best of several calls, and the 99th percentile."""
    rows = [np.ascontiguousarray(x) for x in X[:n_rows]]
    best = np.full(len(rows), np.inf)
    for _ in range(repeat):
        for i, x in enumerate(rows):
            start = time.perf_counter()
            predictor(x)
            best[i] = min(best[i], time.perf_counter() - start)
    return 1e6 * float(np.median(best)), 1e6 * float(np.percentile(best, 99))


def _checked_time(model, X, n_rows=200):
    """What scikit-learn's validation makes of it: microseconds for one row."""
    start = time.perf_counter()
    for i in range(min(n_rows, len(X))):
        model.predict(X[i : i + 1])
    return 1e6 * (time.perf_counter() - start) / min(n_rows, len(X))
