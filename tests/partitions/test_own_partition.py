"""A partition of a user's own: `grow`, and what it returns, are all that is asked."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from treesvm import DTSVMClassifier, DTSVMClassifierCV, DTSVRegressor
from treesvm.partitions import AxisTree, find_partition


class Halves:
    """Cut at zero of the first feature."""

    n_parts = 2

    def grow(self, X, target, weight, seed, *, max_leaf_size, n_classes=None):
        return self, self.apply(X)

    def apply(self, X, n_jobs=None):
        return (X[:, 0] > 0).astype(np.intp)


@pytest.mark.parametrize("estimator", [DTSVMClassifier, DTSVRegressor])
def test_the_parts_of_an_own_partition_are_trained(estimator):
    X, y = make_moons(200, noise=0.1, random_state=0)
    model = estimator(1.0, partition=Halves(), random_state=0).fit(X, y)
    assert model.n_leaves_ == 2
    np.testing.assert_array_equal(model.apply(X), (X[:, 0] > 0).astype(int))
    assert model.score(X, y) > 0.8


def test_an_own_partition_has_single_rows_members_and_a_search():
    X, y = make_moons(200, noise=0.1, random_state=0)
    options = {"partition": Halves(), "random_state": 0}
    model = DTSVMClassifier(1.0, n_estimators=2, **options).fit(X, y)
    assert [model.predictor()(x) for x in X[:20]] == model.predict(X[:20]).tolist()
    search = DTSVMClassifierCV([1.0, 10.0], [1.0], max_leaf_size=40, **options)
    assert search.fit(X, y).n_leaves_ == 2
    assert search.score(X, y) > 0.8


def test_a_partition_of_the_library_is_checked():
    with pytest.raises(ValueError, match="criterion='none' is not possible"):
        find_partition(AxisTree("none"))
