"""`DTSVMClassifier()` as it is beside StandardScaler + SVC, both without parameters.

Raw features, five folds, ten times over where a set has fewer than 1,000 rows.  A set
counts as behind where the mean difference is below -0.5 points and below minus two of
its standard errors.
"""

import numpy as np
from sklearn import datasets
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.data import pooled, sample_rows
from benchmarks.records import CaseResult, Claim
from treesvm import DTSVMClassifier

_SMALL, _REPEATS = 1000, 10
_QUICK_ROWS = 2000
_KNOWN = ("digits", "breast_cancer", "wine", "iris")
_STORED = ("dna", "satimage", "letter", "magic", "spambase")
_NUMERIC = (0, 2, 4, 10, 11, 12)  # columns of adult that are no codes
_ALLOWED = -0.5  # points


def defaults_case(context):
    """Eleven sets, each with the paired difference and its standard error."""
    context.start_ours()
    rows = []
    for name, X, y in _sets(context.data):
        if context.quick:
            chosen = sample_rows(len(y), _QUICK_ROWS)
            X, y = X[chosen], y[chosen]
        rows.append({"set": name, **_compared(X, y)})
        print(rows[-1], flush=True)
    behind = [row["set"] for row in rows if row.pop("behind")]
    ahead = sum(row["difference"] > 0 for row in rows)
    return CaseResult(
        timed=False,
        tables={"Accuracy %, no parameters": rows},
        claims=[
            Claim(
                f"sets of {len(rows)} behind StandardScaler + SVC",
                float(len(behind)),
                0.0,
                unit="",
                higher_is_better=False,
            ),
            Claim("sets ahead of it", float(ahead), aim=8.0, unit=""),
        ],
    )


def _sets(folder):
    """Yield name, rows and labels."""
    for name in _KNOWN:
        yield name, *getattr(datasets, f"load_{name}")(return_X_y=True)
    for name in _STORED:
        yield name, *pooled(folder, name)
    codes, y = pooled(folder, "adult", coded=True)
    yield "adult, numeric columns", codes[:, _NUMERIC], y
    yield "adult, one-hot", *pooled(folder, "adult")


def _compared(X, y):
    """Return both means and their difference over paired folds, in points."""
    found = []
    for seed in range(_REPEATS if len(y) < _SMALL else 1):
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        for train, test in folds.split(X, y):
            models = (
                DTSVMClassifier(random_state=0),
                make_pipeline(StandardScaler(), SVC()),
            )
            found.append(
                [
                    100 * m.fit(X[train], y[train]).score(X[test], y[test])
                    for m in models
                ]
            )
    ours, theirs = np.mean(found, axis=0)
    differences = np.subtract(*np.transpose(found))
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    mean = differences.mean()
    return {
        "DTSVMClassifier()": float(ours),
        "StandardScaler + SVC": float(theirs),
        "difference": float(mean),
        "standard error": float(error),
        "behind": bool(mean < _ALLOWED and mean < -2.0 * error),
    }
