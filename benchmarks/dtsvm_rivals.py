"""Rivals of DTSVM that are quick enough to be measured in the same run.

LightGBM has 100 trees of 255 leaves, two threads, and a hessian of one or more in every
leaf: with its default of 0.001 some leaves of a rare class take huge values, and the
accuracy on covtype falls by several points, differently for each order of summation.
The C of the linear SVM is chosen on the validation rows. CART is scikit-learn's tree,
grown out.

The time of a run, ours or a rival's, is the smaller of the wall clock and of the
processor time of all its threads. On a quiet machine that is the wall clock; on a busy
one it is an upper bound of what the wall clock of a quiet one would be.
"""

import functools
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks.dtsvm_problems import THREADS
from benchmarks.timing import measure

DEFAULT_HESSIAN = 1e-3
LIGHTGBM = {
    "n_estimators": 100,
    "num_leaves": 255,
    "min_sum_hessian_in_leaf": 1.0,
    "n_jobs": THREADS,
    "random_state": 0,
    "verbosity": -1,
}
LINEAR_CS = (0.1, 1.0, 10.0)
WARM_UP_ROWS = 2_000


class Fitted(NamedTuple):
    """A model with what it took and what it reached."""

    model: object
    seconds: float  # of everything, the choice of parameters included
    accuracy: float  # on the test rows, per cent
    note: str = ""

    def row(self, method):
        """A line of a table of methods."""
        return {
            "method": method,
            "test accuracy %": self.accuracy,
            "fit s": self.seconds,
            "note": self.note,
        }


def fit(problem, model, rows=slice(None), *, repeat=1, threads=THREADS, note=""):
    """Fit on `rows` of the problem, warmed up, the best of several; score on the test.

    scikit-learn warns where LIBLINEAR stops at its cap; the table shows its accuracy.
    """
    X, y = problem.X[rows], problem.y[rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        timing = measure(
            lambda: model.fit(X, y),
            repeat=repeat,
            warm_up=lambda: _warm_up(model, X, y),
            threads=threads,
        )
    seconds = min(timing.seconds, timing.cpu_seconds)
    return Fitted(model, seconds, problem.score(model), note)


def _warm_up(model, X, y):
    """Load compiled functions; only ours have any."""
    if not type(model).__module__.startswith("treesvm"):
        return
    small = clone(model)
    if hasattr(small, "cv"):  # a splitter knows all rows
        small.set_params(cv=0.2, Cs=[1.0], gammas=[1.0])
    small.fit(X[:WARM_UP_ROWS], y[:WARM_UP_ROWS])


def training_rows(problem):
    return slice(0, problem.n_train)


def lightgbm(problem, rows=slice(None), repeat=1, **changed):
    """Boosted trees with two threads."""
    from lightgbm import LGBMClassifier

    class Boosted(LGBMClassifier):
        """Predicts with its own booster; scikit-learn's check warns about names."""

        def predict(self, X):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                return super().predict(X)

    return fit(problem, Boosted(**(LIGHTGBM | changed)), rows, repeat=repeat)


def cart(problem, rows=slice(None)):
    """An entropy tree grown out; one thread is all it has."""
    model = DecisionTreeClassifier(criterion="entropy", random_state=0)
    return fit(problem, model, rows, threads=1)


def linear_svm(problem, refit=False):
    """LIBLINEAR with C chosen on the validation rows, trained with them if asked to."""
    make = functools.partial(LinearSVC, random_state=0)
    chosen = _chosen(problem, [(f"C={C:g}", make(C=C)) for C in LINEAR_CS])
    if not refit:
        return chosen
    last = fit(problem, chosen.model, threads=1, note=chosen.note)
    return last._replace(seconds=chosen.seconds + last.seconds)


def _chosen(problem, candidates):
    """Fit every candidate on the training rows; keep the best on validation rows."""
    X_val, y_val = problem.validation
    runs = [
        fit(problem, model, training_rows(problem), threads=1, note=note)
        for note, model in candidates
    ]
    scores = [np.mean(run.model.predict(X_val) == y_val) for run in runs]
    best = runs[int(np.argmax(scores))]
    return best._replace(seconds=sum(run.seconds for run in runs))
