"""A search with little memory finds what one with ample memory finds."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from treesvm import DTSVMClassifierCV


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_a_small_memory_budget_finds_the_same(multi_class):
    """Whole leaves, pairs of classes, or single machines: what fits is used."""
    X, y = load_digits(return_X_y=True)
    models = [
        DTSVMClassifierCV(
            [1.0, 10.0],
            [0.01, 0.1],
            2000,
            cv=0.25,
            cache_size=megabytes,
            multi_class=multi_class,
            n_jobs=2,
            random_state=0,
        ).fit(X, y)
        for megabytes in (500, 2, 0.1)
    ]
    for model in models[1:]:
        assert (model.C_, model.gamma_) == (models[0].C_, models[0].gamma_)
        assert np.mean(model.predict(X) == models[0].predict(X)) > 0.999


def test_leaves_too_large_for_a_grid_are_solved_one_by_one():
    X, y = load_digits(n_class=3, return_X_y=True)
    model = DTSVMClassifierCV([1.0, 10.0], [0.1, 1.0], 200, random_state=0)
    ample = clone(model).fit(X, y)
    tight = clone(model).set_params(cache_size=0.05).fit(X, y)
    assert tight.C_ == ample.C_
    assert tight.best_score_ == pytest.approx(ample.best_score_, abs=0.021)
