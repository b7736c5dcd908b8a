"""Boosted stumps against scikit-learn's AdaBoost."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier

from benchmarks.papers.stumps import StumpBoosting


@pytest.mark.parametrize("seed", range(5))
def test_stumps_are_those_of_adaboost(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 5)).round(2)
    X[rng.random(300) < 0.8, 0] = 0.5  # a value in the middle that most rows have
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=300) > 0, "b", "a")
    ours = StumpBoosting(25).fit(X, y)
    theirs = AdaBoostClassifier(n_estimators=25, random_state=0).fit(X, y)
    assert len(ours.stumps_) == len(theirs.estimators_) == 25
    trees = [tree.tree_ for tree in theirs.estimators_]
    assert [s.feature for s in ours.stumps_] == [tree.feature[0] for tree in trees]
    cuts = [tree.threshold[0] for tree in trees]
    assert [s.cut for s in ours.stumps_] == pytest.approx(cuts)
    weights = [s.weight for s in ours.stumps_]
    assert weights == pytest.approx(theirs.estimator_weights_)
    new = rng.normal(size=(500, 5))
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))


def test_a_perfect_stump_ends_the_boosting():
    X = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    model = StumpBoosting(10).fit(X, [0, 0, 1, 1])
    assert len(model.stumps_) == 1
    assert model.stumps_[0].cut == 1.5
    assert model.score(X, [0, 0, 1, 1]) == 1.0


def test_constant_columns_have_no_stump():
    model = StumpBoosting(10).fit(np.ones((4, 2)), [0, 0, 0, 1])
    assert model.stumps_ == []


def test_three_classes_are_refused():
    with pytest.raises(ValueError, match="not 3"):
        StumpBoosting().fit(np.arange(3.0)[:, None], [0, 1, 2])
