"""DTSVM, compressed: distinct kernels of a prediction divided, accuracy kept."""

import time

import numpy as np

from benchmarks import data
from benchmarks.records import CaseResult, Claim, Record, converged_share, fewer
from treesvm import DTSVMClassifier, compress
from treesvm.metrics import support_vector_cost

# Set -> parameters of the DTSVM.
SETS = {
    "letter": {"C": 10.0, "gamma": 10.0, "leaf_scaling": None},
    "covtype": {"C": 10.0, "gamma": 3.0},
}
# Set -> (vectors, tolerance) of each compression that is shown.
VARIANTS = {
    "letter": (
        ("free", 0.005),
        ("free", 0.015),
        ("support", 0.005),
        ("support", 0.015),
    ),
    "covtype": (("free", 0.002), ("free", 0.005), ("support", 0.012)),
}
THREADS = 2


def letter_case(context):
    """26 classes in every leaf."""
    return _case(context, "letter")


def covtype_case(context):
    """Half a million rows, hundreds of leaves."""
    return _case(context, "covtype")


def _case(context, name):
    """Several tolerances; validation and test rows apart."""
    context.start_ours()
    result = CaseResult()
    rows = _set_rows(context, name, SETS[name], result)
    result.tables[f"{name}, DTSVM compressed"] = rows
    return result


def _parts(context, name):
    """Training, validation and test rows, scaled by the training rows."""
    stored = data.load(context.data, name)
    cut = data.split_4_1_1(len(stored.y))
    train, held, test = cut.train, cut.validation, cut.test
    if context.quick:
        train, held, test = train[:6000], held[:2000], test[:2000]
    X = np.asarray(stored.X, np.float32)
    parts = data.scale(X[train], X[held], X[test])
    return parts, (stored.y[train], stored.y[held], stored.y[test])


def _set_rows(context, name, parameters, result):
    (X, X_held, X_test), (y, y_held, y_test) = _parts(context, name)
    start = time.perf_counter()
    model = DTSVMClassifier(**parameters, kernel="rbf", random_state=0, n_jobs=THREADS)
    model.fit(X, y)
    seconds = time.perf_counter() - start
    accuracy = float(model.score(X_test, y_test))
    cost = support_vector_cost(model, X_test)
    result.records.append(
        Record("dtsvm", "treesvm DTSVM", name, seconds, accuracy=accuracy,
               converged_share=converged_share(model), n_support=cost.tnsv_distinct)
    )  # fmt: skip
    rows = [_row("DTSVM", seconds, cost.nesv_distinct, 1.0, accuracy, 0.0)]
    for vectors, tolerance in VARIANTS[name]:
        start = time.perf_counter()
        small = compress(
            model,
            X,
            y,
            X_val=X_held,
            y_val=y_held,
            tolerance=tolerance,
            vectors=vectors,
            n_jobs=THREADS,
            random_state=0,
        )
        seconds = time.perf_counter() - start
        kernels = float(small.kernel_evaluations(X_test).mean())
        own = float(small.score(X_test, y_test))
        lost = 100 * (accuracy - own)
        factor = cost.nesv_distinct / max(kernels, 1e-9)
        title = f"{vectors} vectors, tolerance {tolerance}"
        rows.append(_row(title, seconds, kernels, factor, own, lost))
        made = f"treesvm compressed, {title}"
        result.records.append(Record("dtsvm", made, name, seconds, accuracy=own))
    result.claims += _claims(name, rows[1:])
    if name == "covtype":
        seconds = max(row["seconds"] for row in rows[1:] if "free" in row["model"])
        work = "covtype, compress with free vectors, slowest"
        result.claims.append(fewer(work, seconds, 120.0, 45.0, "s"))
    return rows


def _row(model, seconds, kernels, factor, accuracy, lost):
    return {
        "model": model,
        "seconds": seconds,
        "kernels of a row": kernels,
        "divided by": factor,
        "accuracy %": 100 * accuracy,
        "points lost": lost,
    }


def _claims(name, rows):
    """The largest division that loses at most two points, and at most one."""
    claims = []
    for points, must, aim in ((2.0, 5.0, None), (1.0, None, 10.0)):
        factors = [row["divided by"] for row in rows if row["points lost"] <= points]
        claims.append(
            Claim(f"{name}, kernels divided at ≤ {points:g} points lost",
                  max(factors, default=0.0), must, aim)
        )  # fmt: skip
    return claims
