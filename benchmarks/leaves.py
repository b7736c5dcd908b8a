"""Leaves as a tree-decomposed machine meets them: rows of one leaf, and its validation.

An entropy tree is grown on the scaled training rows until nodes hold fewer than the
ceiling. The mixed leaves nearest to the ceiling are taken, with the validation rows
that fall into each. A set whose leaves stay much smaller gives random rows instead.
"""

from typing import NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks import data

CEILING = 1500
SMALLEST = 1000  # below this a leaf no longer stands for a 1,500-row problem


class Leaf(NamedTuple):
    name: str
    X: np.ndarray
    y: np.ndarray
    X_val: np.ndarray
    y_val: np.ndarray


def largest_leaves(folder, name, count):
    """The `count` mixed leaves of the set nearest to the ceiling, or random rows."""
    stored = data.load(folder, name)
    split = data.split_4_1_1(len(stored.y))
    X, X_val = data.scale(stored.X[split.train], stored.X[split.validation])
    y, y_val = stored.y[split.train], stored.y[split.validation]
    tree = DecisionTreeClassifier(
        criterion="entropy", min_samples_split=CEILING, random_state=0
    ).fit(X, y)
    where, where_val = tree.apply(X), tree.apply(X_val)
    chosen = _mixed_leaves(where, y)[:count]
    if not chosen:
        return [_random_rows(name, X, y, X_val, y_val)]
    return [
        Leaf(
            f"{name} leaf {k}",
            *(X[where == k], y[where == k]),
            *(X_val[where_val == k], y_val[where_val == k]),
        )
        for k in chosen
    ]


def _mixed_leaves(where, y):
    """Leaves of a fitting size with a real second class, largest first."""
    ids, counts = np.unique(where, return_counts=True)
    mixed = []
    for k in ids[np.argsort(-counts)]:
        size = np.count_nonzero(where == k)
        largest_class = np.unique(y[where == k], return_counts=True)[1].max()
        # A leaf of 99 % one class is solved at once by everybody: it shows nothing.
        if SMALLEST <= size <= CEILING and largest_class <= 0.9 * size:
            mixed.append(int(k))
    return mixed


def _random_rows(name, X, y, X_val, y_val):
    rows = data.sample_rows(len(y), CEILING)
    rows_val = data.sample_rows(len(y_val), CEILING // 4)
    name = f"{name}, {len(rows):,} random rows"
    return Leaf(name, X[rows], y[rows], X_val[rows_val], y_val[rows_val])
