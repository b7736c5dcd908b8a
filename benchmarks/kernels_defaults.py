"""`DTSVMClassifier()` as it is beside StandardScaler + SVC, both without parameters.

Raw features, five folds, ten times over where a set has fewer than 1,000 rows.  A set
counts as behind where the mean difference is below -0.5 points and below minus two of
its standard errors.  SVC needs half an hour for the largest set, so the answers of the
pipeline are kept, fold by fold, with those of other slow rivals.
"""

import numpy as np
import sklearn
from sklearn import datasets
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.data import fingerprint, pooled, sample_rows
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
    sets = list(_sets(context))
    theirs = [rival_scores(context.rivals, X, y) for _, X, y in sets]
    context.start_ours()
    rows = []
    for (name, X, y), rival in zip(sets, theirs, strict=True):
        ours = [_score(DTSVMClassifier(random_state=0), X, y, *f) for f in folds(X, y)]
        rows.append({"set": name, **_beside(np.array(ours), np.array(rival))})
        print(rows[-1], flush=True)
    behind = sum(row.pop("is behind") for row in rows)
    ahead = sum(row["difference"] > 0 for row in rows)
    return CaseResult(
        timed=False,
        tables={"Accuracy %, no parameters": rows},
        claims=[
            Claim(
                f"sets of {len(rows)} behind StandardScaler + SVC",
                float(behind),
                0.0,
                unit="",
                higher_is_better=False,
            ),
            Claim("sets ahead of it", float(ahead), aim=8.0, unit=""),
        ],
    )


def _sets(context):
    """Yield name, rows and labels."""
    for name, X, y in _whole_sets(context.data):
        chosen = sample_rows(len(y), _QUICK_ROWS if context.quick else len(y))
        yield name, X[chosen], y[chosen]


def _whole_sets(folder):
    for name in _KNOWN:
        yield name, *getattr(datasets, f"load_{name}")(return_X_y=True)
    for name in _STORED:
        yield name, *pooled(folder, name)
    codes, y = pooled(folder, "adult", coded=True)
    yield "adult, numeric columns", codes[:, _NUMERIC], y
    yield "adult, one-hot", *pooled(folder, "adult")


def folds(X, y):
    """Yield training and test rows."""
    for seed in range(_REPEATS if len(y) < _SMALL else 1):
        yield from StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)


def rival_scores(rivals, X, y):
    """Return the accuracies of the pipeline, fold by fold."""
    found = []
    for train, test in folds(X, y):
        key = {
            "method": "StandardScaler + SVC, accuracy",
            "data": fingerprint(X, y, train, test),
            "scikit-learn": sklearn.__version__,
        }
        model = make_pipeline(StandardScaler(), SVC())
        work = (model, X, y, train, test)
        found.append(rivals.fetch(key, lambda work=work: _score(*work)))
    return found


def _score(model, X, y, train, test):
    return 100.0 * float(model.fit(X[train], y[train]).score(X[test], y[test]))


def _beside(ours, theirs):
    """Return both means and their difference over paired folds, in points."""
    gap = ours - theirs
    mean, error = gap.mean(), gap.std(ddof=1) / np.sqrt(len(gap))
    return {
        "DTSVMClassifier()": float(ours.mean()),
        "StandardScaler + SVC": float(theirs.mean()),
        "difference": float(mean),
        "standard error": float(error),
        "is behind": bool(mean < _ALLOWED and mean < -2.0 * error),
    }
