"""The data sets of DTSVM's benchmark, split and scaled as the paper does.

Four parts train, one validates, one tests; sets with an official test part are pooled
first. Features are scaled to [0, 1] by the training rows. News and sectors keep their
official test part, and a fifth of the rest validates.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.model_selection import PredefinedSplit

from benchmarks import data

THREADS = 2
PAPER_GAIN = 0.005  # in validation accuracy, that a larger ceiling has to bring
CS = tuple(10.0**k for k in range(-1, 6))
GAMMAS = tuple(10.0**k for k in range(-4, 5))
# Ours -> the paper's name.
SETS = {
    "pendigits": "PHW",
    "letter": "Letter",
    "shuttle": "Shuttle",
    "poker": "Poker",
    "adult": "CI",
    "kdd99_10pct": "KDD-10%",
}
QUICK_ROWS = 3_000


class Problem(NamedTuple):
    """Rows for fitting and judging; `n_train` of the first ones train."""

    name: str
    X: np.ndarray  # training rows, then validation rows
    y: np.ndarray
    n_train: int
    X_test: np.ndarray
    y_test: np.ndarray

    @property
    def train(self):
        return self.X[: self.n_train], self.y[: self.n_train]

    @property
    def validation(self):
        return self.X[self.n_train :], self.y[self.n_train :]

    @property
    def test(self):
        return self.X_test, self.y_test

    @property
    def cv(self):
        """The one split that a search may use."""
        fold = np.full(len(self.y), -1)
        fold[self.n_train :] = 0
        return PredefinedSplit(fold)

    def score(self, model):
        """Accuracy on the test rows, in per cent."""
        return 100.0 * float(np.mean(model.predict(self.X_test) == self.y_test))


def load(context, name, seed=0):
    """Read a set, pool it, split it 4:1:1 and scale it by its training rows."""
    return split(name, *data.pooled(context.data, name), quick=context.quick, seed=seed)


def load_as_published(folder, name, quick_rows=None):
    """The paper's own form: a column for each feature, categories as their numbers."""
    if name == "adult":
        X, y = data.census_income(folder)
    else:
        X, y = data.pooled(folder, name, coded=True)
    return split(name, X, y, quick=quick_rows is not None, rows=quick_rows)


def split(name, X, y, *, quick=False, rows=None, seed=0):
    """Four parts train, one validates, one tests; quick ones are cut short."""
    cut = data.split_4_1_1(len(y), seed)
    if quick:
        cut = data.Split(*(part[: (rows or QUICK_ROWS) // 3] for part in cut))
    parts = data.scale(X[cut.train], X[cut.validation], X[cut.test])
    train, validation, test = (part.astype(np.float32) for part in parts)
    return Problem(
        name,
        np.concatenate([train, validation]),
        np.concatenate([y[cut.train], y[cut.validation]]),
        len(cut.train),
        test,
        y[cut.test],
    )


def load_sparse(context, name, seed=0):
    """Read a sparse set with its official test part; a fifth of the rest validates."""
    stored = data.load(context.data, name)
    order = np.random.default_rng(seed).permutation(len(stored.y))
    if context.quick:
        order = order[:QUICK_ROWS]
    n_train = len(order) * 4 // 5
    X = sparse.csr_matrix(stored.X[order])
    test = slice(0, 500 if context.quick else None)
    return Problem(
        name, X, stored.y[order], n_train, stored.X_test[test], stored.y_test[test]
    )
