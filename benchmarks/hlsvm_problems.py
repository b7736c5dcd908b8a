"""The two-class and many-class problems of the H-LSVM benchmark, and its choices."""

from typing import NamedTuple

import numpy as np
from sklearn.model_selection import ShuffleSplit

from benchmarks import data
from treesvm import HLSVMClassifierCV

THREADS = 2
PRUNE_SHARES = (0.0, 0.1, 0.2)
# Twice the exponents of λ: the paper's grid 10^i / n with its half decades, and as wide
# a one for λ in every node.
HALF_EXPONENTS = {"paper": range(-12, 13), "mean": range(-12, 5)}
POSITIVE = {"covtype": 2, "ijcnn1": 1, "shuttle": 1, "mnist": 3, "cbcl_faces": 1}


class Problem(NamedTuple):
    name: str
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    def head(self, n_rows):
        """The same problem with the first training rows only."""
        return self._replace(X=self.X[:n_rows], y=self.y[:n_rows])


def load(context, name, *, binary=True, seed=0):
    """A problem by name: the official split, or a shuffled one (covtype 9 : 1).

    With `binary` one class stands against the rest, as in the paper.
    """
    stored = data.load(context.data, name)
    X, y = np.ascontiguousarray(stored.X, dtype=np.float32), stored.y
    if stored.X_test is None:
        order = np.random.default_rng(seed).permutation(len(y))
        n_train = len(y) * (9 if name == "covtype" else 8) // 10
        train, test = order[:n_train], order[n_train:]
        parts = X[train], y[train], X[test], y[test]
    else:
        order = np.arange(len(y))
        if name == "cbcl_faces":  # sorted by class, and folds are taken in order
            order = np.random.default_rng(seed).permutation(len(y))
        X_test = np.ascontiguousarray(stored.X_test, dtype=np.float32)
        parts = X[order], y[order], X_test, stored.y_test
    problem = Problem(name, *parts)
    if binary and name in POSITIVE:
        wanted = POSITIVE[name]
        problem = problem._replace(
            y=problem.y == wanted, y_test=problem.y_test == wanted
        )
    return problem.head(3_000) if context.quick else problem


def tuned(problem, *, cv=5, shares=PRUNE_SHARES, step=1):
    """Choose regularization, λ and ρ by cross-validation on training rows.

    `step` counts half decades of λ: 2 takes the powers of ten, 4 every second one, for
    sets too large for all of them.
    """
    found = [
        HLSVMClassifierCV(
            _alphas(kind, len(problem.y), step),
            prune_shares=shares,
            cv=cv,
            regularization=kind,
            n_jobs=THREADS,
            random_state=0,
        ).fit(problem.X, problem.y)
        for kind in HALF_EXPONENTS
    ]
    return max(found, key=lambda model: model.best_score_)


def _alphas(kind, n_rows, step):
    """The grid of one regularization."""
    divisor = n_rows if kind == "paper" else 1
    return [10.0 ** (i / 2) / divisor for i in HALF_EXPONENTS[kind][::step]]


def one_split():
    """A single held-out part, for sets too large for five folds."""
    return ShuffleSplit(1, train_size=0.3, test_size=0.1, random_state=0)


def error(model, problem):
    """Test error in percent."""
    return 100.0 * float(np.mean(model.predict(problem.X_test) != problem.y_test))
