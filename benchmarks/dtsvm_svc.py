"""scikit-learn's SVC on all training rows: the grid that DTSVM is to replace.

SVC has one thread, and its time is the smaller of wall and processor time. Every point
is kept in the cache of rivals, so that an interrupted grid goes on where it was.

pendigits and letter get all 63 points with `--rivals-only`; without it the points that
are known already, and at least nine: every γ once, with C going round. The other sets
get these nine. A point that was not run counts like the one with the same γ and the
nearest C. Our own search has no part in this choice.
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
# (C, gamma) near the best of the grid, so that a sample of it is not without one.
GOOD_POINTS = {
    "pendigits": [(10.0, 1.0), (10.0, 10.0)],
    "letter": [(10.0, 10.0), (100.0, 10.0)],
    "shuttle": [(1e4, 10.0), (1e5, 10.0)],
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
    marks = fingerprint(*problem[1:3], *problem.test)
    least = points_of(problem.name, context.quick)
    rest = []
    if problem.name in FULL_GRID and not context.quick:
        rest = [(C, gamma) for C in CS for gamma in GAMMAS if (C, gamma) not in least]
    if not context.rivals_only:
        rest = [p for p in rest if _key(problem, marks, *p) in context.rivals]
    runs = {p: fetch(context, problem, marks, *p) for p in least + rest}
    best = max(runs, key=lambda p: runs[p]["validation"])
    seconds = {p: r["fit_seconds"] + r["validation_seconds"] for p, r in runs.items()}
    return SVCGrid(*best, runs[best], grid_seconds(seconds), len(runs))


def grid_seconds(seconds):
    """Time of all 63 points from that of some, ``{(C, gamma): seconds}``."""
    if {gamma for _, gamma in seconds} != set(GAMMAS):
        return float(np.mean(list(seconds.values()))) * len(CS) * len(GAMMAS)
    total = 0.0
    for gamma in GAMMAS:
        known = [C for C, other in seconds if other == gamma]
        for C in CS:
            nearest = min(known, key=lambda k: abs(np.log(k / C)))
            total += seconds[nearest, gamma]
    return total


def points_of(name, quick=False):
    """The (C, gamma) that SVC is always run with."""
    if quick:
        return [(1.0, 1.0), (10.0, 1.0)]
    sampled = [(CS[3 * k % len(CS)], gamma) for k, gamma in enumerate(GAMMAS)]
    return list(dict.fromkeys(GOOD_POINTS.get(name, []) + sampled))


def fetch(context, problem, marks, C, gamma):
    """One point on the training rows, judged on the validation and the test rows."""
    key = _key(problem, marks, C, gamma)
    return context.rivals.fetch(key, lambda: _run(problem, C, gamma))


def _key(problem, marks, C, gamma):
    """Everything that the result of a point depends on."""
    return {
        "method": "sklearn.svm.SVC, training and validation",
        "params": {"C": C, "gamma": gamma, "cache_size": CACHE_MB},
        "data": [problem.name, problem.n_train, marks],
        "versions": environment.versions(["numpy", "scipy", "scikit-learn"]),
        "machine": environment.machine(),
    }


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
