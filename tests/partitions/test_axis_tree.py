"""The members of a committee: what makes their trees differ."""

import numpy as np
import pytest
from sklearn.base import clone

from treesvm import DTSVMClassifier, DTSVRegressor, load_model, save_model
from treesvm.partitions import AxisTree


def one_feature(rng, n_rows=600):
    X = rng.random((n_rows, 1))
    return X, (np.sin(12 * X[:, 0]) + rng.normal(scale=0.5, size=n_rows) > 0).astype(
        int
    )


def first_cuts(model):
    return {tree.threshold[0] for tree in model.trees_}


@pytest.mark.parametrize(("randomize", "n_different"), [("features", 1), ("splits", 5)])
def test_random_cut_points_make_members_of_one_feature_differ(
    randomize, n_different, rng
):
    X, y = one_feature(rng)
    partition = AxisTree(randomize=randomize)
    model = DTSVMClassifier(max_leaf_size=100, n_estimators=5, random_state=0)
    model.set_params(partition=partition).fit(X, y)
    assert len(first_cuts(model)) == n_different
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_single_tree_of_numbers_takes_random_cut_points(rng):
    X, y = one_feature(rng)
    cuts = set()
    for seed in range(3):
        model = DTSVRegressor(max_leaf_size=100, partition=AxisTree(splitter="random"))
        cuts |= first_cuts(model.set_params(random_state=seed).fit(X, y))
    assert len(cuts) == 3


def test_members_of_random_cut_points_may_cut_any_feature(rng):
    X = np.column_stack([rng.random(800), rng.normal(size=(800, 3))])
    y = (X[:, 0] > 0.5).astype(int)
    options = {"max_leaf_size": 100, "n_estimators": 12, "random_state": 0}
    drawn = DTSVMClassifier(partition=AxisTree(randomize="splits"), **options)
    halves = DTSVMClassifier(**options)
    used = [
        {int(tree.feature[0]) for tree in model.fit(X, y).trees_}
        for model in (drawn, halves)
    ]
    # Half of the features hide the one that matters from some of the roots.
    assert used[0] == {0}
    assert len(used[1]) > 1


def test_a_single_tree_is_not_randomised_and_files_keep_the_recipe(rng, tmp_path):
    X, y = one_feature(rng)
    options = {"max_leaf_size": 100, "random_state": 0}
    plain = DTSVMClassifier(**options).fit(X, y)
    partition = AxisTree(randomize="splits", max_features=0.7)
    model = DTSVMClassifier(partition=partition, **options).fit(X, y)
    assert first_cuts(model) == first_cuts(plain)
    member = partition.randomized().get_params()
    assert (member["splitter"], member["max_features"]) == ("random", 0.7)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.partition.get_params() == partition.get_params()
    with pytest.raises(ValueError, match="randomize='rows'"):
        model.set_params(partition__randomize="rows").fit(X, y)
