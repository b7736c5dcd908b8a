"""Which ceilings a raced search looks at."""

import numpy as np
from sklearn.datasets import make_moons

from treesvm import DTSVMClassifierCV


def searched(noise, **parameters):
    X, y = make_moons(900, noise=noise, random_state=0)
    model = DTSVMClassifierCV(
        [1.0, 100.0], [1.0, 10.0], 100, random_state=0, **parameters
    )
    return model.fit(X, y)


def test_no_larger_ceiling_when_accuracy_cannot_rise_enough():
    model = searched(noise=0.01)
    assert model.best_score_ > 1.0 - model.min_gain
    assert set(model.search_results_["max_leaf_size"]) == {100}
    assert list(model.seconds_per_ceiling_) == [100]


def test_larger_ceilings_are_tried_while_accuracy_can_rise():
    model = searched(noise=0.35)
    assert np.max(model.search_results_["max_leaf_size"]) >= 400
