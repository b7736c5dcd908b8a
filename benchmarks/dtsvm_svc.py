"""scikit-learn's SVC on all training rows: the grid that DTSVM is to replace.

SVC has one thread, and its time is the smaller of wall and processor time. Every point
is kept in the cache of rivals, so that an interrupted grid goes on where it was.

pendigits and letter get all 63 points. Shuttle gets nine, every γ once with C going
round; the grid's time is 63 times their mean. The others are too slow for that: they
get the points in `FEW_POINTS`, which are cheap ones, so that 63 times their mean is
less than what the grid would take.
"""

from typing import NamedTuple

import numpy as np
from sklearn.svm import SVC

from benchmarks import environment
from benchmarks.data import fingerprint
from benchmarks.dtsvm_problems import CS, GAMMAS
from benchmarks.timing import measure

CACHE_MB = 500
FULL_GRID = ("pendigits", "letter")
SAMPLED_GRID = ("shuttle",)
# (C, gamma) with features in [0, 1]: winners of the paper's search (no leaf scaling) on
# training and validation rows.
FEW_POINTS = {
    "shuttle": [(1e4, 10.0), (1e5, 10.0)],
    "poker": [(10.0, 1.0)],
    "adult": [(10.0, 0.1)],
    "kdd99_10pct": [(100.0, 1.0)],
}


class SVCGrid(NamedTuple):
    """What the points that were run say."""

    C: float  # of the best point by validation accuracy
    gamma: float
    best: dict
    grid_seconds: float  # of 63 points, fitted and validated
    n_points: int  # that were run

    @property
    def is_extrapolated(self):
        return self.n_points < len(CS) * len(GAMMAS)


def svc_grid(context, problem):
    """Run, or look up, the points of a set and take the best of them."""
    points = points_of(problem.name, context.quick)
    marks = fingerprint(*problem[1:3], *problem.test)
    runs = [fetch(context, problem, marks, C, gamma) for C, gamma in points]
    seconds = [run["fit_seconds"] + run["validation_seconds"] for run in runs]
    best = int(np.argmax([run["validation"] for run in runs]))
    n_grid = len(CS) * len(GAMMAS)
    return SVCGrid(
        *points[best], runs[best], float(np.mean(seconds)) * n_grid, len(points)
    )


def points_of(name, quick=False):
    """The (C, gamma) that SVC is run with."""
    if quick:
        return [(1.0, 1.0), (10.0, 1.0)]
    if name in FULL_GRID:
        # The harmless ones first: an interrupted grid has then most of its points.
        return [(C, gamma) for C in CS for gamma in GAMMAS]
    sampled = [(CS[3 * k % len(CS)], gamma) for k, gamma in enumerate(GAMMAS)]
    return FEW_POINTS.get(name, []) + (sampled if name in SAMPLED_GRID else [])


def fetch(context, problem, marks, C, gamma):
    """One point on the training rows, judged on the validation and the test rows."""
    key = {
        "method": "sklearn.svm.SVC, training and validation",
        "params": {"C": C, "gamma": gamma, "cache_size": CACHE_MB},
        "data": [problem.name, problem.n_train, marks],
        "versions": environment.versions(["numpy", "scipy", "scikit-learn"]),
        "machine": environment.machine(),
    }
    return context.rivals.fetch(key, lambda: _run(problem, C, gamma))


def _run(problem, C, gamma):
    machine = SVC(C=C, gamma=gamma, cache_size=CACHE_MB)
    fit = measure(lambda: machine.fit(*problem.train))
    X_val, y_val = problem.validation
    validate = measure(lambda: machine.predict(X_val))
    test = measure(lambda: machine.predict(problem.X_test))
    return {
        "fit_seconds": fit.seconds,
        "fit_cpu_seconds": fit.cpu_seconds,
        "validation_seconds": validate.seconds,
        "test_seconds": test.seconds,
        "validation": 100.0 * float(np.mean(validate.result == y_val)),
        "test": 100.0 * float(np.mean(test.result == problem.y_test)),
        "n_support": int(machine.n_support_.sum()),
        "n_coefficients": int(np.count_nonzero(machine.dual_coef_)),
    }
