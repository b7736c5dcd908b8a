"""What `DTSVMClassifier` chooses by itself, beside the best fixed C, γ and kernel.

Two thirds of each table of the league are its training rows; some of them train, others
of them judge, and the last third is not looked at.
"""

import numpy as np

from benchmarks.data import MissingData, load
from benchmarks.records import CaseResult, Claim
from treesvm import DTSVMClassifier

_SIZES = (150, 700)
_MOST_JUDGED, _QUICK_TABLES = 3000, 2
_FIXED = {"C": 5.0, "gamma_scale": 1.0, "kernel": "laplacian"}
_CLEAR = 0.5  # points


def choice_case(context):
    """Mean accuracy with everything left open and with what was the default before."""
    context.start_ours()
    names = sorted(path.stem for path in (context.data / "league").glob("c_*.npz"))
    if not names:
        raise MissingData(f"{context.data / 'league'} holds no table")
    names = names[: _QUICK_TABLES if context.quick else None]
    rows, gains = [], []
    for size in _SIZES:
        found = [_compared(load(context.data / "league", name), size) for name in names]
        fixed, chosen = np.mean(found, axis=0)
        gain = np.subtract(*np.transpose(found)[::-1])
        gains.append(float(gain.mean()))
        rows.append(
            {
                "training rows, at most": size,
                "C = 5, Laplacian": float(fixed),
                "chosen": float(chosen),
                "gain": gains[-1],
                "standard error": float(gain.std(ddof=1) / np.sqrt(len(gain))),
                "tables ahead by half a point": int((gain > _CLEAR).sum()),
                "behind by as much": int((gain < -_CLEAR).sum()),
            }
        )
    return CaseResult(
        timed=False,
        tables={f"Accuracy %, {len(names)} tables": rows},
        claims=[
            Claim("least gain by choosing, over sizes", min(gains), 0.0, unit="points")
        ],
    )


def _compared(found, size):
    """Return the accuracies of the fixed and of the open model, in percent."""
    X = np.nan_to_num(np.asarray(found.X, np.float64))
    y = np.unique(found.y, return_inverse=True)[1]
    own = np.random.default_rng(0).permutation(len(y))[: 2 * len(y) // 3]
    n_train = min(size, len(own) // 2)
    train, judge = own[:n_train], own[n_train:][:_MOST_JUDGED]
    models = (DTSVMClassifier(**o, random_state=0) for o in (_FIXED, {}))
    return [
        100 * model.fit(X[train], y[train]).score(X[judge], y[judge])
        for model in models
    ]
