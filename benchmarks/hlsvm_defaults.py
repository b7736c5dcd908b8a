"""Where the defaults come from: λ, ρ and the regularization on training rows only.

Sets without an official test part give the training rows of the first split of the
other cases, so that no test row of those cases takes part. (The ten splits of banana
share rows: nine of them test on rows that are training rows here.)
"""

import numpy as np
from scipy.stats import rankdata
from sklearn.model_selection import train_test_split

from benchmarks import data
from benchmarks.hlsvm_problems import load
from benchmarks.records import CaseResult
from treesvm import HLSVMClassifier

SETS = {  # name -> most rows used
    "banana": 5_300,
    "covtype": 60_000,
    "ijcnn1": 30_000,
    "letter": 20_000,
    "magic": 19_020,
    "mnist": 8_000,
    "pendigits": 7_494,
    "phoneme": 5_404,
    "satimage": 4_435,
    "shuttle": 30_000,
    "spambase": 4_601,
}
CHOICES = [
    ("paper", 1.0, 0.1),
    ("paper", 10.0, 0.0),
    ("paper", 10.0, 0.1),
    ("paper", 10.0, 0.2),
    ("paper", 100.0, 0.1),
    ("mean", 0.01, 0.1),
    ("mean", 0.1, 0.0),
    ("mean", 0.1, 0.1),
    ("mean", 0.1, 0.2),
    ("mean", 1.0, 0.1),
]  # regularization, λ (times the rows for "paper"), ρ


def defaults_case(context):
    """Mean validation error of three splits 80/20 of the training rows."""
    context.start_ours()
    names = ["banana", "phoneme"] if context.quick else list(SETS)
    errors = np.array([[_error(context, name, *c) for c in CHOICES] for name in names])
    ranks = np.mean([rankdata(row.round(6)) for row in errors], axis=0)
    rows = []
    for (kind, alpha, share), column, rank in zip(
        CHOICES, errors.T, ranks, strict=True
    ):
        label = f"{alpha:g} / n" if kind == "paper" else f"{alpha:g}"
        by_set = dict(zip(names, column.tolist(), strict=True))
        rows.append(
            {
                "regularization": kind,
                "λ": label,
                "ρ": share,
                "mean rank": rank,
                **by_set,
            }
        )
    rows.sort(key=lambda row: row["mean rank"])
    return CaseResult(tables={"Validation error %, training rows only": rows})


def _error(context, name, kind, alpha, share, n_splits=3):
    """Mean validation error of one choice on one set."""
    problem = load(context, name, binary=False)
    rows = data.sample_rows(len(problem.y), SETS[name])
    X, y = problem.X[rows], problem.y[rows]
    found = []
    for seed in range(n_splits):
        train, test = train_test_split(
            np.arange(len(y)), test_size=0.2, random_state=seed
        )
        model = HLSVMClassifier(
            alpha / len(train) if kind == "paper" else alpha,
            regularization=kind,
            prune_share=share,
            n_jobs=2,
            random_state=seed,
        ).fit(X[train], y[train])
        found.append(100.0 * np.mean(model.predict(X[test]) != y[test]))
    return float(np.mean(found))
