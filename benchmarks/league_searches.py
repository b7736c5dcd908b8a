"""Searches timed beside their own exhaustive selves, and within their limits.

raced    a race of all candidates beside the exhaustive search of the same ones
limit    `TreeSVC(time_limit=10)` on 500,000 rows of covtype
covtype  the search on all of covtype beside LightGBM
"""

import time

import numpy as np

from benchmarks.data import load
from benchmarks.dtsvm_covtype import boosted, covtype, fewer
from benchmarks.dtsvm_problems import THREADS
from benchmarks.dtsvm_sparse import prepared
from benchmarks.league_tables import load_table
from benchmarks.records import CaseResult, Claim
from treesvm import DTSVMClassifierCV, TreeSVC
from treesvm.model_selection.candidates_of_tables import first_thetas

_LIMIT_ROWS = 500_000
# Below 20,000 rows, numbers only.
_TABLES = ("phoneme", "spambase", "satimage", "pendigits", "eeg_eye_state", "magic")
_TEXTS = ("sector_scale", "news20_bydate_counts")


def raced_case(context):
    """Validation score and time of a race and of the exhaustive search."""
    context.start_ours()
    lines = []
    for name, X, y in _sets(context):
        is_sparse = name in _TEXTS
        candidates = _listed(first_thetas(is_sparse, len(np.unique(y))))
        line = {"set": name, "candidates": len(candidates)}
        for search in ("raced", "exhaustive"):
            model = DTSVMClassifierCV(
                candidates=candidates,
                search=search,
                cv=0.2,
                n_jobs=THREADS,
                random_state=0,
            )
            start = time.perf_counter()
            model.fit(X, y)
            line[f"{search}, s"] = time.perf_counter() - start
            line[f"{search}, validation %"] = 100.0 * model.best_score_
            line[f"{search}, σ"] = model.max_leaf_size_
        line["times faster"] = line["exhaustive, s"] / line["raced, s"]
        line["points behind"] = (
            line["exhaustive, validation %"] - line["raced, validation %"]
        )
        print(line, flush=True)
        lines.append(line)
    behind = max(line["points behind"] for line in lines)
    ratio = np.exp(np.mean([np.log(line["times faster"]) for line in lines]))
    return CaseResult(
        claims=[
            fewer("raced search, most points behind exhaustive", behind, 0.3, unit=""),
            Claim("raced search, speed against exhaustive", float(ratio), 5.0, 20.0),
        ],
        tables={"A race of the same candidates": lines},
    )


def _sets(context):
    """Yield (name, X, y): tables as they are, texts with rows of unit length."""
    for name in _TABLES[: 1 if context.quick else None]:
        table = load_table(context.data, name)
        yield name, table.X.to_numpy(), table.y
    for name in () if context.quick else _TEXTS:
        problem = prepared(context, name)
        yield name, problem.X, problem.y


def _listed(thetas):
    """Return thetas as users write them."""
    return [theta._asdict() | {"kernel": theta.kernel.name} for theta in thetas]


def limit_case(context):
    """Ten seconds for 500,000 × 54 rows: does it answer in time, and how well?"""
    context.start_ours()
    found = load(context.data, "covtype")
    order = np.random.default_rng(0).permutation(len(found.y))
    n_train = 20_000 if context.quick else _LIMIT_ROWS
    train, test = order[:n_train], order[n_train : n_train + 50_000]
    X = np.asarray(found.X, np.float64)
    _warmed_up(X, found.y)
    model = TreeSVC(time_limit=10, n_jobs=THREADS, random_state=0)
    start = time.perf_counter()
    model.fit(X[train], found.y[train])
    seconds = time.perf_counter() - start
    accuracy = 100.0 * float(model.score(X[test], found.y[test]))
    return CaseResult(
        claims=[
            fewer("limit of 10 s, time until fitted", seconds, 12.0, unit="s"),
            Claim("limit of 10 s, accuracy", accuracy, 94.0, unit="%"),
        ],
        tables={
            "covtype within ten seconds": [
                {
                    "rows": n_train,
                    "seconds": seconds,
                    "test accuracy %": accuracy,
                    "stopped early": str(model.stopped_early_),
                }
            ]
        },
    )


def _warmed_up(X, y):
    """Load compiled functions, which a user does once a session."""
    TreeSVC(time_limit=1, n_jobs=THREADS, random_state=0).fit(X[:2000], y[:2000])


def covtype_case(context):
    """All of covtype, searched, beside LightGBM."""
    rival = boosted(context)
    context.start_ours()
    problem = covtype(context)
    _warmed_up(problem.X, problem.y)
    model = TreeSVC(n_jobs=THREADS, random_state=0)
    start = time.perf_counter()
    model.fit(problem.X, problem.y)
    seconds = time.perf_counter() - start
    accuracy = problem.score(model)
    return CaseResult(
        claims=[
            Claim("covtype, searched, accuracy", accuracy, 96.8, 97.2, unit="%"),
            fewer(
                "covtype, searched, time against LightGBM",
                seconds / rival.seconds,
                4.0,
            ),
        ],
        tables={
            f"covtype, {len(problem.y):,} training rows": [
                {
                    "method": "TreeSVC, 60 s",
                    "test accuracy %": accuracy,
                    "fit s": seconds,
                    "note": str(model.best_theta_),
                },
                rival.row("LightGBM, 100 × 255 leaves"),
            ]
        },
    )


SEARCH_CASES = {"raced": raced_case, "limit": limit_case, "covtype": covtype_case}
