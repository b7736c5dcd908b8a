"""A partition of a user's own: `grow`, and what it returns, are all that is asked."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from treesvm import DTSVMClassifier, DTSVRegressor
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


def test_a_partition_of_the_library_is_checked():
    with pytest.raises(ValueError, match="criterion='none' is not possible"):
        find_partition(AxisTree("none"))
