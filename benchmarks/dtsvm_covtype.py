"""DTSVM on half a million rows: one fit, growth, memory.

Five sixths of covtype train, one sixth tests.
LightGBM runs in the same process, on the same rows, with the same two threads.
"""

import functools

import numpy as np

from benchmarks import dtsvm_rivals as rivals
from benchmarks.dtsvm_problems import THREADS, load
from benchmarks.memory import peak_memory
from benchmarks.records import CaseResult, Claim, Record, converged_share, fewer
from benchmarks.rival_cache import RivalCache
from benchmarks.runner import Context
from treesvm import DTSVMClassifier
from treesvm.metrics import support_vector_cost

C, GAMMA = 10.0, 3.0
SIZES = (30_000, 60_000, 120_000, 240_000, 484_176)


@functools.cache
def boosted(context):
    """LightGBM on the training rows; its time is the measure of this run."""
    return rivals.lightgbm(covtype(context), repeat=min(2, context.repeat))


@functools.cache
def covtype(context):
    return load(context, "covtype")


@functools.cache
def fixed_fit(context):
    """The fit at known C and γ."""
    return rivals.fit(covtype(context), dtsvm(), repeat=context.repeat)


def dtsvm(gamma=GAMMA, **parameters):
    return DTSVMClassifier(
        C, gamma, kernel="rbf", n_jobs=THREADS, random_state=0, **parameters
    )


def record(case, name, fitted, data="covtype"):
    """Our own fit as a flat record."""
    model = fitted.model
    return Record(
        case,
        f"treesvm {type(model).__name__}",
        f"{data}, {name}",
        fitted.seconds,
        threads=THREADS,
        accuracy=fitted.accuracy / 100.0,
        n_solves=model.n_leaves_,
        converged_share=converged_share(model),
        n_support=model.n_support_vectors_,
    )


def fixed_case(context):
    """C = 10, γ = 3 inside scaled leaves, beside LightGBM."""
    context.start_ours()
    problem, ours, rival = covtype(context), fixed_fit(context), boosted(context)
    result = CaseResult([record("covtype", "fixed", ours)])
    result.claims = [
        Claim("covtype, fixed θ, accuracy", ours.accuracy, 96.0, 96.3, unit="%"),
        fewer(
            "covtype, fixed θ, time against LightGBM",
            *(ours.seconds / rival.seconds, 0.6, 0.25),
        ),
    ]
    plain = rivals.lightgbm(problem, min_sum_hessian_in_leaf=rivals.DEFAULT_HESSIAN)
    result.tables[f"Covtype, {len(problem.y):,} training rows"] = [
        _with_cost(ours.row("DTSVM, leaf scaling, C=10, γ=3"), ours, problem),
        *(
            {**run.row(name), "NESV (distinct)": None, "converged": None}
            for name, run in (
                ("LightGBM, 100 × 255 leaves", rival),
                ("LightGBM, its default leaf weight", plain),
            )
        ),
    ]
    return result


def _with_cost(row, run, problem):
    cost = support_vector_cost(run.model, problem.X_test)
    return {
        **row,
        "NESV (distinct)": cost.nesv_distinct,
        "converged": converged_share(run.model),
    }


def growth_case(context):
    """Fit time against the number of rows."""
    context.start_ours()
    problem, rows = covtype(context), []
    sizes = (500, 1_000) if context.quick else SIZES
    for size in sizes:
        run = rivals.fit(problem, dtsvm(), slice(0, size), repeat=context.repeat)
        rows.append(
            {
                "rows": min(size, len(problem.y)),
                "fit s": run.seconds,
                "leaves": run.model.n_leaves_,
                "test accuracy %": run.accuracy,
                "converged": converged_share(run.model),
            }
        )
    logs = np.log([[row["rows"], row["fit s"]] for row in rows])
    slope = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
    result = CaseResult(tables={"Covtype, growth with the number of rows": rows})
    work = f"fit time, {rows[0]['rows']:,} to {rows[-1]['rows']:,} rows, log-log slope"
    result.claims = [fewer(work, slope, 1.2, 1.05, "")]
    return result


def memory_case(context):
    """Peak memory of a fit in a process of its own."""
    context.start_ours()
    peak = peak_memory(
        "benchmarks.dtsvm_covtype:prepare_fit",
        folder=str(context.data),
        quick=context.quick,
    )
    data_gb = peak.result["data_bytes"] / 2**30
    above_gb = (peak.peak_mb - peak.start_mb) / 1024
    allowed = 3 * data_gb + 1.0
    result = CaseResult()
    result.claims = [
        fewer(
            f"covtype, peak memory of a fit, data of {data_gb:.3f} GB included",
            *(above_gb + data_gb, allowed),
            unit="GB",
        )
    ]
    result.tables["Covtype, memory"] = [
        {
            "float32 data GB": data_gb,
            "before the fit GB": peak.start_mb / 1024,
            "peak GB": peak.peak_mb / 1024,
            "above the start GB": above_gb,
        }
    ]
    return result


def prepare_fit(folder, quick):
    """Target of the memory measurement: data first, then the fit as work."""
    from pathlib import Path

    context = Context(data=Path(folder), rivals=RivalCache("unused"), quick=quick)
    problem = load(context, "covtype")
    X, y = problem.X.copy(), problem.y.copy()
    del problem
    model = dtsvm()
    model.fit(X[:1_000], y[:1_000])  # the compiled code is no part of the fit

    def work():
        model.fit(X, y)
        return {"data_bytes": X.nbytes}

    return work
