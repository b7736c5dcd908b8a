"""Small machine problems that several solver tests share."""

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist


class Problem(NamedTuple):
    """A C-SVC on a float64 Gram matrix; `K32` is what solvers read."""

    X: np.ndarray
    K: np.ndarray
    y: np.ndarray
    sizes: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @property
    def K32(self):
        return self.K.astype(np.float32)


def boxes(y, sizes):
    return np.where(y > 0, 0.0, -sizes), np.where(y > 0, sizes, 0.0)


def from_rows(X, y, C, gamma=1.0, weight=None):
    """A problem with an RBF kernel minus one, as the path uses it."""
    K = np.expm1(-gamma * cdist(X, X, "sqeuclidean"))
    sizes = C * (np.ones(len(y)) if weight is None else weight)
    return Problem(X, K, y, sizes, *boxes(y, sizes))


def overlapping(seed, n=30, C=1.0, gamma=1.0, d=2):
    """Two noisy classes with a weight for every row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return from_rows(X, y, C, gamma, rng.uniform(0.2, 2.0, n))


def nasty(seed, n=60, C=1.0, gamma=1.0):
    """Duplicates with different labels, a constant feature, rows of weight zero."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 2)), np.full(n, 7.0)])
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    X[n // 2 : n // 2 + 8] = X[:8]
    y[n // 2 : n // 2 + 8] = -y[:8]
    weight = np.where(rng.random(n) < 0.2, 0.0, 1.0)
    weight[:2] = 1.0
    return from_rows(X, y, C, gamma, weight)
