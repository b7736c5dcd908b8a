"""The sets of the thesis, prepared."""

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks import data

# Values that stand for "missing"; NaN always does. In house_votes_84 a missing vote is
# 0 between no (-1) and yes (1), in pima_diabetes zeros are kept, both as published.
_MISSING = {"breast_cancer_wisconsin": -1.0}


def load(folder, name):
    """Return X with NaN where a value is missing, and y."""
    stored = data.load(folder, name)
    X = np.array(stored.X, dtype=np.float64)
    if name in _MISSING:
        X[_MISSING[name] == X] = np.nan
    return X, stored.y


def prepared(X, train, test):
    """Return the two parts: medians for missing values, then mean 0 and deviation 1.

    Medians, means and deviations are those of the training rows.
    """
    median = np.nanmedian(X[train], axis=0)
    filled = np.where(np.isnan(X), median, X)
    scaler = StandardScaler().fit(filled[train])
    return scaler.transform(filled[train]), scaler.transform(filled[test])


def odd_and_even(n_rows):
    """Return the thesis' split: the 1st, 3rd, … row trains, the 2nd, 4th, … tests."""
    return np.arange(0, n_rows, 2), np.arange(1, n_rows, 2)


def random_halves(n_rows, seed):
    """Return a random half to train and the other half to test."""
    order = np.random.default_rng(seed).permutation(n_rows)
    half = (n_rows + 1) // 2
    return np.sort(order[:half]), np.sort(order[half:])


def covtype_rows(folder, n_rows):
    """Return (X, y, X_test, y_test): class 2 against the rest, standardised."""
    stored = data.load(folder, "covtype")
    rows = np.random.default_rng(0).permutation(len(stored.y))[: 2 * n_rows]
    train, test = rows[:n_rows], rows[n_rows:]
    X = np.asarray(stored.X, dtype=np.float64)
    y = (stored.y == 2).astype(int)
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]
