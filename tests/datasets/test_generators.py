"""Generated problems are the same for a seed, and as hard as they say."""

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from treesvm.datasets import make_spirals, make_waves


def test_same_seed_same_rows():
    for make in (make_waves, make_spirals):
        (X, y), (again, labels) = make(300, seed=5), make(300, seed=5)
        assert np.array_equal(X, again)
        assert np.array_equal(y, labels)
        assert not np.array_equal(X, make(300, seed=6)[0])


def test_waves_have_three_equal_classes_in_the_unit_cube():
    X, y = make_waves(3000, noise=0.0)
    assert np.bincount(y).tolist() == [1000, 1000, 1000]
    assert (X.min(), X.max()) >= (0.0, 0.9)
    assert X.dtype == np.float32


def test_spirals_are_curved_and_separable():
    X, y = make_spirals(2000)
    assert LinearSVC().fit(X, y).score(X, y) < 0.8
    near = KNeighborsClassifier(5).fit(X[:1000], y[:1000])
    assert near.score(X[1000:], y[1000:]) > 0.97
