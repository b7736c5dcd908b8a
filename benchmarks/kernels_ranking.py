"""Kernels and learned weights beside LightGBM on the league's tables, seed by seed.

Two thirds of a table train, at most 1,500 rows, in one part; a quarter of them judges a
grid of C and γ, and the winner is trained on all of them.  "searched" is the kernel and
weights that did best on the held-out rows.  What was measured is kept in
docs/benchmarks/kernel_ranks.json, table by table and seed by seed, so that a run can be
stopped and taken up again.
"""

import importlib.util
import json
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import rankdata
from sklearn.model_selection import train_test_split

from benchmarks.data import load
from benchmarks.records import CaseResult, Claim
from treesvm import DTSVMClassifier

STORE = Path("docs/benchmarks/kernel_ranks.json")
_CS, _SCALES = (1.0, 10.0, 100.0), (1.0 / 3.0, 1.0, 3.0)
_MOST_ROWS, _MOST_TESTED = 1500, 5000
_KINDS = {
    "rbf": {"kernel": "rbf"},
    "rbf, learned": {"kernel": "rbf", "feature_weights": "learned"},
    "laplacian": {"kernel": "laplacian"},
    "laplacian, learned": {"kernel": "laplacian", "feature_weights": "learned"},
}
_QUICK_TABLES = 2


def ranking_case(context):
    """Mean ranks over tables; ``--repeat`` says how many seeds."""
    if importlib.util.find_spec("lightgbm") is None:
        return CaseResult(notes=["LightGBM is not installed."])
    context.start_ours()
    names = sorted(path.stem for path in (context.data / "league").glob("c_*.npz"))
    names = names[: _QUICK_TABLES if context.quick else None]
    stored = json.loads(STORE.read_text(encoding="utf8")) if STORE.exists() else {}
    for seed in range(context.repeat):
        for name in names:
            known = stored.setdefault(name, {})
            if str(seed) not in known:
                known[str(seed)] = _errors(load(context.data / "league", name), seed)
                print(name, seed, known[str(seed)], flush=True)
                if not context.quick:
                    text = json.dumps(stored, sort_keys=True).replace('}}, "', '}},\n"')
                    STORE.write_text(text + "\n", encoding="utf8")
    return _result({name: stored[name] for name in names}, context.repeat)


def _result(found, n_seeds):
    """Return the tables and claims of the seeds that were asked for."""
    methods = [*_KINDS, "searched", "LightGBM"]
    errors = np.array(
        [
            np.mean([[own[str(s)][m] for m in methods] for s in range(n_seeds)], axis=0)
            for own in found.values()
        ]
    )
    ranks = dict(zip(methods, rankdata(errors, axis=1).mean(axis=0), strict=True))
    means = dict(zip(methods, errors.mean(axis=0), strict=True))
    table = [
        {"method": m, "mean rank": float(ranks[m]), "mean error %": 100 * means[m]}
        for m in sorted(methods, key=ranks.get)
    ]
    ours, fixed = ranks["laplacian, learned"], min(ranks[m] for m in _KINDS)
    title = f"{len(found)} tables, seeds: {n_seeds}"
    return CaseResult(
        timed=False,
        tables={title: table},
        claims=[
            Claim(
                "mean rank of laplacian, learned, below LightGBM's",
                float(ranks["LightGBM"] - ours),
                0.0,
                unit="",
            ),
            Claim(
                "mean rank of laplacian, learned, below rbf's",
                float(ranks["rbf"] - ours),
                0.0,
                unit="",
            ),
            Claim(
                "mean rank of the searched choice below the best fixed one's",
                float(fixed - ranks["searched"]),
                0.0,
                unit="",
            ),
        ],
    )


def _errors(found, seed):
    """Return method -> error on one table with one seed."""
    X, y = np.asarray(found.X, np.float64), np.unique(found.y, return_inverse=True)[1]
    n_train = min(2 * len(y) // 3, _MOST_ROWS)
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:n_train], order[n_train:][:_MOST_TESTED]
    fitting, judging = train_test_split(train, test_size=0.25, random_state=seed)
    rows = X[train], y[train], X[test], y[test]
    errors, judged = {}, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, options in _KINDS.items():
            model, judged[kind] = _chosen(options, X, y, fitting, judging)
            errors[kind] = _error(model, *rows)
        errors["searched"] = errors[min(judged, key=judged.get)]
        errors["LightGBM"] = _error(_lightgbm(seed), *rows)
    return errors


def _chosen(options, X, y, fitting, judging):
    """Return the model of the best theta of the grid, unfitted, and its error."""
    best, lowest = None, np.inf
    for scale in _SCALES:
        for C in _CS:
            model = DTSVMClassifier(
                C,
                gamma_scale=scale,
                partition="whole",
                probability=False,
                random_state=0,
                **options,
            )
            error = _error(model, X[fitting], y[fitting], X[judging], y[judging])
            if error < lowest:
                best, lowest = model, error
    return best, lowest


def _error(model, X, y, X_test, y_test):
    return round(float(np.mean(model.fit(X, y).predict(X_test) != y_test)), 5)


def _lightgbm(seed):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbose=-1, random_state=seed)
