"""Fit on as many rows as a stated time allows.

Training a kernel SVM costs at least the square of the rows, and how much more depends
on the data.  So samples of growing size are fitted, each time the next size is
predicted from the growth seen so far, and the last one that fits the time is kept.
"""

import math
import time

import numpy as np
from sklearn.base import clone

_FIRST_ROWS = 1_000
_GROWTH = 2


def fit_within(estimator, X, y, seconds, *, seed=0):
    """Return (fitted estimator, rows used, seconds of that fit).

    Parameters
    ----------
    estimator : classifier, unfitted
    X, y : rows and labels
    seconds : float
        For all fits together. The smallest sample is fitted in any case.
    seed : int
        Of the samples; each holds every class.

    Notes
    -----
    A fit that has begun is not stopped, so the time can be exceeded where the cost
    grows faster than expected.
    """
    order = class_first_order(y, seed)
    n_rows, started = min(_FIRST_ROWS, len(y)), time.monotonic()
    before = None  # (rows, seconds) of the last but one fit
    while True:
        rows = order[:n_rows]
        start = time.perf_counter()
        model = clone(estimator).fit(X[rows], y[rows])
        took = time.perf_counter() - start
        left = seconds - (time.monotonic() - started)
        larger = min(_GROWTH * n_rows, len(y))
        power = 2.0
        if before is not None and took > before[1]:
            seen = math.log(took / before[1]) / math.log(n_rows / before[0])
            power = min(max(seen, 1.0), 3.0)
        if n_rows == len(y) or took * (larger / n_rows) ** power > left:
            return model, n_rows, took
        before, n_rows = (n_rows, took), larger


def class_first_order(y, seed):
    """Return a random order in which the first rows hold two rows of each class."""
    order = np.random.default_rng(seed).permutation(len(y))
    y = np.asarray(y)[order]
    by_class = np.argsort(y, kind="stable")
    edges = np.r_[0, np.flatnonzero(y[by_class][1:] != y[by_class][:-1]) + 1]
    ends = np.r_[edges[1:], len(y)]
    pairs = zip(edges, ends, strict=True)
    first = np.concatenate([by_class[a : min(a + 2, b)] for a, b in pairs])
    is_first = np.zeros(len(y), bool)
    is_first[first] = True
    return order[np.r_[np.sort(first), np.flatnonzero(~is_first)]]
