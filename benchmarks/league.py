"""Tuned and untuned models on public tables, ours beside what people use instead.

classification  error, AUC and log loss of each method on each table; mean ranks
regression      R² of each method on each table; mean ranks
defaults        `DTSVMClassifier()` on raw features beside StandardScaler + SVC

Every method gets the same rows, columns as numbers, and chooses on training rows only.
What was measured is kept in docs/benchmarks/league.json, set by set, so that a run can
be stopped and taken up again; delete an entry to measure it anew.
"""

import importlib.util
import json
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import is_regressor
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.metrics import log_loss, r2_score, roc_auc_score
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedKFold,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from benchmarks.data import MissingData, load
from benchmarks.records import CaseResult, Claim, Record
from treesvm import DTSVMClassifier, TreeSVC, TreeSVR

STORE = Path("docs/benchmarks/league.json")
CORE = [
    "c_allhypo",
    "c_ann_thyroid",
    "c_car",
    "c_churn",
    "c_cmc",
    "c_credit_g",
    "c_hill_valley_with_noise",
    "c_led24",
    "c_mfeat_fourier",
    "c_mfeat_morphological",
    "c_nursery",
    "c_tic_tac_toe",
    "c_tokyo1",
    "c_vowel",
    "c_waveform_40",
    "c_wine_quality_red",
    "c_wine_quality_white",
    "c_yeast",
]
NUMBERS = [
    "r_cpu_act",
    "r_cpu_small",
    "r_geographicaloriginalofmusic",
    "r_pollen",
    "r_puma8nh",
    "r_wind",
    "r_house_8l",
    "r_houses",
]
FAMILIAR = ["dna", "satimage", "letter", "adult", "magic", "spambase"]
_MOST_ROWS = 4000  # that train; the others test, at most as many again
_QUICK_SETS = 2


def classifiers(n_jobs=2):
    """Name -> classifier with sensible settings."""
    found = {
        "TreeSVC, 10 s": TreeSVC(time_limit=10, n_jobs=n_jobs, random_state=0),
        "DTSVMClassifier()": DTSVMClassifier(n_jobs=n_jobs, random_state=0),
        "HistGradientBoosting": HistGradientBoostingClassifier(random_state=0),
        "random forest": RandomForestClassifier(300, n_jobs=n_jobs, random_state=0),
        "SVC, standardised": make_pipeline(StandardScaler(), SVC()),
    }
    if importlib.util.find_spec("lightgbm"):
        from lightgbm import LGBMClassifier

        found["LightGBM"] = LGBMClassifier(n_jobs=n_jobs, verbose=-1, random_state=0)
    return found


def regressors(n_jobs=2):
    """Name -> regressor with sensible settings."""
    found = {
        "TreeSVR, 10 s": TreeSVR(time_limit=10, n_jobs=n_jobs, random_state=0),
        "HistGradientBoosting": HistGradientBoostingRegressor(random_state=0),
        "random forest": RandomForestRegressor(300, n_jobs=n_jobs, random_state=0),
        "SVR, standardised": make_pipeline(StandardScaler(), SVR()),
    }
    if importlib.util.find_spec("lightgbm"):
        from lightgbm import LGBMRegressor

        found["LightGBM"] = LGBMRegressor(n_jobs=n_jobs, verbose=-1, random_state=0)
    return found


def classification_case(context):
    """Classification tables: a row for each, and mean ranks."""
    results = _measured(context, CORE, classifiers(), "classification")
    table = [
        {"table": name} | {m: 100 * r["error"] for m, r in found.items()}
        for name, found in results.items()
    ]
    binary = [
        {"table": name} | {m: r["auc"] for m, r in found.items()}
        for name, found in results.items()
        if all(r["auc"] is not None for r in found.values())
    ]
    ranks = _mean_ranks(results, lambda r: r["error"])
    result = CaseResult(records=_records(results, "classification"))
    result.tables = {
        "Error in percent": table,
        "Mean rank by error (1 is best), and what it took": _summary(results, ranks),
        "AUC of tables with two classes": binary,
    }
    ours = ranks["TreeSVC, 10 s"]
    others = [rank for name, rank in ranks.items() if not name.startswith("TreeSVC")]
    result.claims = [
        Claim(
            "mean rank of TreeSVC below that of the best other",
            min(others) - ours,
            0.0,
            unit="",
        )
    ]
    return result


def regression_case(context):
    """Regression tables: a row for each, and mean ranks."""
    results = _measured(context, NUMBERS, regressors(), "regression")
    table = [
        {"table": name} | {m: r["r2"] for m, r in found.items()}
        for name, found in results.items()
    ]
    ranks = _mean_ranks(results, lambda r: -r["r2"])
    result = CaseResult(records=_records(results, "regression"))
    result.tables = {
        "R²": table,
        "Mean rank by R² (1 is best), and what it took": _summary(results, ranks),
    }
    return result


def defaults_case(context):
    """One line on familiar sets: our defaults beside StandardScaler + SVC."""
    rows = []
    for name, X, y in familiar_sets(context):
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        if len(y) < 1000:
            folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=10, random_state=0)
        scores = []
        for train, test in folds.split(X, y):
            ours = DTSVMClassifier(n_jobs=2, random_state=0).fit(X[train], y[train])
            rival = make_pipeline(StandardScaler(), SVC()).fit(X[train], y[train])
            scores.append((ours.score(X[test], y[test]), rival.score(X[test], y[test])))
        ours, rival = 100 * np.array(scores).T
        gap = ours - rival
        rows.append(
            {
                "set": name,
                "DTSVMClassifier()": float(ours.mean()),
                "StandardScaler + SVC": float(rival.mean()),
                "difference": float(gap.mean()),
                "standard error": float(gap.std(ddof=1) / np.sqrt(len(gap))),
            }
        )
    result = CaseResult(tables={"Accuracy in percent, five folds": rows})
    allowed = [max(0.5, 2 * row["standard error"]) for row in rows]
    short = [
        -row["difference"] <= most for row, most in zip(rows, allowed, strict=True)
    ]
    result.claims = [
        Claim(
            "sets on which the defaults are not behind",
            int(sum(short)),
            len(rows),
            unit="",
        )
    ]
    return result


def familiar_sets(context):
    """Yield (name, X, y): scikit-learn's own sets, and those of the data folder."""
    own = {
        "digits": load_digits,
        "breast cancer": load_breast_cancer,
        "wine": load_wine,
        "iris": load_iris,
    }
    for name, read in own.items():
        yield name, *read(return_X_y=True)
    for name in FAMILIAR[: 1 if context.quick else None]:
        try:
            found = load(context.data, name)
        except MissingData:
            continue
        chosen = np.random.default_rng(0).permutation(len(found.y))[:_MOST_ROWS]
        yield name, np.asarray(found.X)[chosen], found.y[chosen]


def _measured(context, names, methods, kind):
    """Return set -> method -> figures, from the store or measured now."""
    stored = json.loads(STORE.read_text(encoding="utf8")) if STORE.exists() else {}
    results = {}
    for name in names[: _QUICK_SETS if context.quick else None]:
        known = stored.setdefault(kind, {}).setdefault(name, {})
        missing = {m: model for m, model in methods.items() if m not in known}
        if missing:
            rows = _split(load(context.data / "league", name), kind)
            for method, model in missing.items():
                known[method] = _figures(model, *rows)
                print(name, method, known[method], flush=True)
            if not context.quick:
                text = json.dumps(stored, indent=1, sort_keys=True)
                STORE.write_text(text + "\n", encoding="utf8")
        results[name] = {m: known[m] for m in methods}
    return results


def _split(found, kind):
    """Return training and test rows; two thirds train, at most `_MOST_ROWS`."""
    y = found.y
    n_train = min(2 * len(y) // 3, _MOST_ROWS)
    n_test = min(len(y) - n_train, _MOST_ROWS)
    stratify = y if kind == "classification" and np.bincount(y).min() > 2 else None
    return train_test_split(
        np.asarray(found.X, np.float64),
        y,
        train_size=n_train,
        test_size=n_test,
        stratify=stratify,
        random_state=0,
    )


def _figures(model, X, X_test, y, y_test):
    """Fit and ask one method; return plain numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        model.fit(X, y)
        fit_seconds = time.perf_counter() - start
        start = time.perf_counter()
        said = model.predict(X_test)
        micros = 1e6 * (time.perf_counter() - start) / len(X_test)
    figures = {"fit_seconds": round(fit_seconds, 3), "micros": round(micros, 2)}
    if is_regressor(model):
        return figures | {"r2": round(float(r2_score(y_test, said)), 5)}
    figures["error"] = round(float(np.mean(said != y_test)), 5)
    figures["auc"] = _auc(model, X_test, y_test)
    figures["log_loss"] = None
    if hasattr(model, "predict_proba"):
        probabilities = np.clip(model.predict_proba(X_test), 1e-15, 1.0)
        labels = np.unique(y)
        figures["log_loss"] = round(
            float(log_loss(y_test, probabilities, labels=labels)), 5
        )
    return figures


def _auc(model, X_test, y_test):
    """AUC for two classes, None for more."""
    if len(np.unique(y_test)) != 2:
        return None
    if hasattr(model, "decision_function"):
        values = model.decision_function(X_test)
    else:
        values = model.predict_proba(X_test)[:, 1]
    return round(float(roc_auc_score(y_test, values)), 5)


def _mean_ranks(results, loss):
    """Return method -> mean rank, equal ones sharing theirs."""
    from scipy.stats import rankdata

    methods = list(next(iter(results.values())))
    ranks = [rankdata([loss(found[m]) for m in methods]) for found in results.values()]
    return dict(zip(methods, np.mean(ranks, axis=0).tolist(), strict=True))


def _summary(results, ranks):
    rows = []
    for method, rank in sorted(ranks.items(), key=lambda item: item[1]):
        own = [found[method] for found in results.values()]
        rows.append(
            {
                "method": method,
                "mean rank": rank,
                "median fit, s": float(np.median([r["fit_seconds"] for r in own])),
                "median µs a row": float(np.median([r["micros"] for r in own])),
            }
        )
    return rows


def _records(results, case):
    return [
        Record(
            case,
            f"treesvm {method}" if "SV" in method and "SVC," not in method else method,
            name,
            figures["fit_seconds"],
            threads=2,
            accuracy=figures.get("r2", 1.0 - figures.get("error", 0.0)),
        )
        for name, found in results.items()
        for method, figures in found.items()
    ]


CASES = {
    "classification": classification_case,
    "regression": regression_case,
    "defaults": defaults_case,
}
