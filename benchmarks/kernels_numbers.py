"""`DTSVRegressor()` as it is beside StandardScaler + SVR, and beside fixed numbers.

The league's regression tables: at most 3,000 rows train, up to 5,000 others judge, each
seed with other rows.  SVR gets a scaled target too.
"""

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from benchmarks.data import load
from benchmarks.records import CaseResult, Claim
from treesvm import DTSVRegressor

_MOST_ROWS, _MOST_TESTED = 3000, 5000
_QUICK_TABLES = 2
_BEFORE = {"gamma_scale": 1.0, "kernel": "laplacian", "epsilon": 0.1}
_OPEN, _FIXED, _RIVAL = "DTSVRegressor()", "C = 10, Laplacian", "StandardScaler + SVR"


def numbers_case(context):
    """R² without any parameters; ``--repeat`` says how many seeds."""
    context.start_ours()
    names = sorted(path.stem for path in (context.data / "league").glob("r_*.npz"))
    rows = []
    for name in names[: _QUICK_TABLES if context.quick else None]:
        found = load(context.data / "league", name)
        scores = [_scores(found, seed) for seed in range(context.repeat)]
        mean = {m: float(np.mean([own[m] for own in scores])) for m in scores[0]}
        rows.append({"table": name, **mean})
        print(rows[-1], flush=True)
    means = {m: float(np.mean([row[m] for row in rows])) for m in mean}
    rows.append({"table": "mean", **means})
    ahead = sum(row[_OPEN] > row[_RIVAL] for row in rows[:-1])
    return CaseResult(
        timed=False,
        tables={f"R², {len(rows) - 1} tables, seeds: {context.repeat}": rows},
        claims=[
            Claim("R² less that of SVR", means[_OPEN] - means[_RIVAL], 0.0, unit=""),
            Claim(
                f"regression tables of {len(rows) - 1} ahead of SVR",
                float(ahead),
                aim=0.8 * (len(rows) - 1),
                unit="",
            ),
            Claim("R² less that of C = 10", means[_OPEN] - means[_FIXED], 0.0, unit=""),
        ],
    )


def _scores(found, seed):
    X, y = np.nan_to_num(np.asarray(found.X, np.float64)), np.asarray(found.y, float)
    order = np.random.default_rng(seed).permutation(len(y))
    n_train = min(2 * len(y) // 3, _MOST_ROWS)
    train, test = order[:n_train], order[n_train:][:_MOST_TESTED]
    rival = make_pipeline(StandardScaler(), SVR())
    models = {
        _OPEN: DTSVRegressor(random_state=0),
        _FIXED: DTSVRegressor(10.0, random_state=0, **_BEFORE),
        _RIVAL: TransformedTargetRegressor(rival, transformer=StandardScaler()),
    }
    return {
        name: model.fit(X[train], y[train]).score(X[test], y[test])
        for name, model in models.items()
    }
