"""Searches timed beside their own exhaustive selves, and within their limits.

limit   `TreeSVC(time_limit=10)` on 500,000 rows of covtype
covtype the search on all of covtype beside LightGBM
"""

import time

import numpy as np

from benchmarks.data import load
from benchmarks.dtsvm_covtype import boosted, covtype, fewer
from benchmarks.dtsvm_problems import THREADS
from benchmarks.records import CaseResult, Claim
from treesvm import TreeSVC

_LIMIT_ROWS = 500_000


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


SEARCH_CASES = {"limit": limit_case, "covtype": covtype_case}
