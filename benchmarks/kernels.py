"""Kernels for tables: the Laplacian, and feature weights learned in every part.

covtype  one tree at fixed θ: Gaussian, Laplacian, learned weights, beside LightGBM
committee  members that average, beside LightGBM
gram     the Manhattan Gram matrix of a part against the Gaussian's, one thread
explain  exact Shapley values of a row, and answers of a batch
sampled  the same values beside shap.KernelExplainer, if it is installed
defaults  no parameters at all, beside StandardScaler + SVC on eleven sets
numbers  the same of regression, beside StandardScaler + SVR on the league's tables
choice   what the defaults choose by themselves, beside fixed ones, on the league
ranking  kernels, weights and LightGBM on the league's tables; --repeat 10 is ten seeds
"""

import importlib.util

import numpy as np

from benchmarks.dtsvm_covtype import boosted, covtype, record
from benchmarks.dtsvm_problems import THREADS
from benchmarks.dtsvm_rivals import fit
from benchmarks.kernels_choice import choice_case
from benchmarks.kernels_defaults import defaults_case
from benchmarks.kernels_numbers import numbers_case
from benchmarks.kernels_ranking import ranking_case
from benchmarks.records import CaseResult, Claim, fewer
from benchmarks.timing import measure
from treesvm import DTSVMClassifier
from treesvm.kernels.kernel import Gaussian, Laplacian

# γ three times the inverse of the median distance, known from earlier runs on this set.
_SCALE = 3.0
_C = 10.0
_MEMBERS = {
    "4 members, leaves of 1,000": {"n_estimators": 4, "max_leaf_size": 1000},
    "8 members, leaves of 1,000": {"n_estimators": 8, "max_leaf_size": 1000},
}
_METHODS = {
    "Gaussian": {"kernel": "rbf"},
    "Laplacian": {"kernel": "laplacian"},
    "Laplacian, learned weights": {
        "kernel": "laplacian",
        "feature_weights": "learned",
    },
}
_ROWS, _FEATURES = 1500, 54
_EXACT = "exact Shapley values of all machines of its part"
_BACKGROUND = 20  # rows that stand for what is not known, in `shap`


def covtype_case(context):
    """C = 10, γ in units of the median distance, one tree."""
    context.start_ours()
    problem, rival = covtype(context), boosted(context)
    result, fitted = CaseResult(), {}
    for name, options in _METHODS.items():
        model = DTSVMClassifier(
            _C, gamma_scale=_SCALE, n_jobs=THREADS, random_state=0, **options
        )
        fitted[name] = fit(problem, model, repeat=min(2, context.repeat))
        result.records.append(record("covtype", name, fitted[name]))
    result.tables[f"Covtype, {len(problem.y):,} training rows"] = [
        *(run.row(f"DTSVM, {name}") for name, run in fitted.items()),
        rival.row("LightGBM, 100 × 255 leaves"),
    ]
    plain, learned = fitted["Laplacian"], fitted["Laplacian, learned weights"]
    result.claims = [
        Claim("learned weights, accuracy", learned.accuracy, 96.8, 97.1, unit="%"),
        fewer(
            "learned weights, time against LightGBM",
            learned.seconds / rival.seconds,
            0.9,
            0.5,
        ),
        fewer(
            "learned weights, time against a plain fit",
            learned.seconds / plain.seconds,
            3.5,
            2.5,
        ),
    ]
    return result


def committee_case(context):
    """The same with several members, whose probabilities are averaged."""
    context.start_ours()
    problem, rival = covtype(context), boosted(context)
    result, rows = CaseResult(), []
    for name, options in _MEMBERS.items():
        model = DTSVMClassifier(
            _C,
            gamma_scale=_SCALE,
            kernel="laplacian",
            feature_weights="learned",
            n_jobs=THREADS,
            random_state=0,
            **options,
        )
        found = fit(problem, model)
        result.records.append(record("committee", name, found))
        rows.append(found.row(f"DTSVM, {name}"))
        ratio = found.seconds / rival.seconds
        result.claims += [
            Claim(f"{name}, accuracy", found.accuracy, 97.2, 97.5, unit="%"),
            fewer(f"{name}, time against LightGBM", ratio, 3.0),
        ]
    rows.append(rival.row("LightGBM, 100 × 255 leaves"))
    result.tables["Covtype, learned weights, members that average"] = rows
    return result


def gram_case(context):
    """One part of 1,500 rows and 54 features."""
    context.start_ours()
    X = np.random.default_rng(0).random((_ROWS, _FEATURES))

    def gram(kernel):
        return lambda: kernel.gram(X).matrix(kernel, is_last=True)

    times = {}
    for kernel in (Gaussian(0.1), Laplacian(0.1)):
        work = gram(kernel)
        times[kernel.name] = measure(work, repeat=10, warm_up=work).seconds
    ratio = times["laplacian"] / times["rbf"]
    result = CaseResult(
        claims=[
            fewer(
                "Manhattan Gram matrix with exp against the Gaussian's", ratio, 3.0, 1.5
            )
        ]
    )
    result.tables["Gram matrix of 1,500 × 1,500 × 54, one thread"] = [
        {"kernel": name, "ms": 1e3 * seconds} for name, seconds in times.items()
    ]
    return result


def explain_case(context):
    """Rows of covtype, Laplacian machines of one tree."""
    context.start_ours()
    problem = covtype(context)
    model, _, per_row = _explained(problem)
    batch = problem.X_test[:50_000]
    said = measure(
        lambda: model.predict(batch),
        threads=THREADS,
        warm_up=lambda: model.predict(batch[:2000]),
        repeat=3,
    )
    micros = 1e6 * said.seconds / len(batch)
    result = CaseResult(
        claims=[
            fewer("explain, a row of covtype", per_row, 2.0, 0.5, unit="ms"),
            fewer(
                "answers of a batch, Laplacian, 2 threads", micros, 10.0, 5.0, unit="µs"
            ),
        ]
    )
    result.tables["What a row of covtype costs"] = [
        {"work": _EXACT, "ms": per_row},
        {"work": "an answer in a batch of 50,000", "ms": micros / 1e3},
    ]
    return result


def sampled_case(context):
    """Exact Shapley values beside those that `shap` draws, one thread each."""
    if importlib.util.find_spec("shap") is None:
        return CaseResult(notes=["shap is not installed."])
    import shap

    context.start_ours()
    model, some, per_row = _explained(covtype(context))
    explainer = shap.KernelExplainer(model.decision_function, some[:_BACKGROUND])
    rows = some[_BACKGROUND : _BACKGROUND + 2]
    told = measure(lambda: explainer.shap_values(rows, silent=True))
    sampled = 1e3 * told.seconds / len(rows)
    work = "exact values against shap.KernelExplainer, times as fast"
    result = CaseResult(claims=[Claim(work, sampled / per_row, aim=1.0)])
    result.tables["Shapley values of a row of covtype, one thread"] = [
        {"work": _EXACT, "ms": per_row},
        {"work": f"shap.KernelExplainer, {_BACKGROUND} background rows", "ms": sampled},
    ]
    return result


def _explained(problem):
    """Return a fitted model, some rows, and the milliseconds to explain one of them."""
    model = DTSVMClassifier(
        _C,
        gamma_scale=_SCALE,
        kernel="laplacian",
        n_jobs=THREADS,
        random_state=0,
    )
    model.fit(problem.X, problem.y)
    some = problem.X_test[:500]
    told = measure(
        lambda: model.explain(some), warm_up=lambda: model.explain(some[:50])
    )
    return model, some, 1e3 * told.seconds / len(some)


CASES = {
    "covtype": covtype_case,
    "committee": committee_case,
    "gram": gram_case,
    "explain": explain_case,
    "sampled": sampled_case,
    "defaults": defaults_case,
    "numbers": numbers_case,
    "choice": choice_case,
    "ranking": ranking_case,
}
