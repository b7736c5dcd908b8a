"""Axis-parallel growth: the ceiling, counts, coarsening, samples."""

import naive_trees
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treesvm.partitions import TreeParts
from treesvm.trees.axis import grow_axis_regression_tree, grow_axis_tree
from treesvm.trees.leaf_rows import rows_by_leaf


def rings(seed, n_rows=600, n_features=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    radius = np.sqrt((X**2).sum(axis=1)) + 0.2 * rng.normal(size=n_rows)
    return X, np.digitize(radius, [1.2, 1.8])


def assert_obeys_ceiling(tree, X, y, ceiling):
    """Inner nodes reach the ceiling; leaves stay below it unless of one class."""
    leaf_ids = tree.apply(X)
    assert np.all(tree.n_rows[~tree.is_leaf] >= ceiling)
    for leaf in tree.leaves():
        inside = leaf_ids == leaf
        assert tree.n_rows[leaf] == inside.sum()
        same = np.unique(y[inside]).size == 1
        assert inside.sum() < ceiling or same


@given(seed=st.integers(0, 10_000), ceiling=st.sampled_from([2, 9, 50, 601]))
@settings(max_examples=20, deadline=None)
def test_leaves_stay_below_the_ceiling(seed, ceiling):
    X, y = rings(seed)
    tree = grow_axis_tree(X, y, max_leaf_size=ceiling, random_state=0)
    assert_obeys_ceiling(tree, X, y, ceiling)
    assert (tree.n_nodes == 1) == (ceiling > 600)


@pytest.mark.parametrize("seed", range(5))
def test_grafted_sample_tree_obeys_the_ceiling_and_counts_all_rows(seed):
    X, y = rings(seed, n_rows=3000)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, size=len(y))
    options = {"max_leaf_size": 40, "sample_weight": weight, "random_state": seed}
    tree = grow_axis_tree(X, y, max_tree_rows=500, **options)
    assert_obeys_ceiling(tree, X, y, 40)
    for node in range(0, tree.n_nodes, 7):
        inside = naive_trees.rows_of_node(X, tree, node)
        assert tree.n_rows[node] == len(inside)
        expected = np.bincount(y[inside], weights=weight[inside], minlength=3)
        np.testing.assert_allclose(tree.value[node], expected)


def test_rows_that_cannot_be_separated_stay_together():
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    y = np.tile([0, 1], 50)
    tree = grow_axis_tree(X, y, max_leaf_size=10, random_state=0)
    assert tree.n_rows.tolist() == [100, 50, 50]


# Smaller nodes have equally good cuts, which scikit-learn chooses between at random.
@pytest.mark.parametrize("ceiling", [80, 320, 1000])
@pytest.mark.parametrize("seed", range(4))
def test_coarsened_equals_grown(seed, ceiling):
    X, y = rings(seed)
    fine = grow_axis_tree(X, y, max_leaf_size=5, random_state=0)
    coarse, place = TreeParts(fine).coarsen(ceiling)
    grown = grow_axis_tree(X, y, max_leaf_size=ceiling, random_state=0)
    assert naive_trees.same_tree(coarse.tree, grown)
    np.testing.assert_array_equal(place[TreeParts(fine).apply(X)], coarse.apply(X))


def test_weight_two_equals_row_twice():
    X, y = rings(3)
    twice = np.arange(len(y)) % 3 == 0
    weighted = grow_axis_tree(
        X, y, max_leaf_size=30, sample_weight=1.0 + twice, random_state=0
    )
    repeated = grow_axis_tree(
        np.vstack([X, X[twice]]), np.r_[y, y[twice]], max_leaf_size=30, random_state=0
    )
    np.testing.assert_allclose(weighted.value[0], repeated.value[0])
    assert weighted.feature[0] == repeated.feature[0]
    assert weighted.threshold[0] == repeated.threshold[0]


def test_random_splits_make_members_differ():
    X, y = rings(0)
    trees = [
        grow_axis_tree(X, y, max_leaf_size=50, splitter="random", random_state=seed)
        for seed in (0, 0, 1)
    ]
    assert naive_trees.same_tree(trees[0], trees[1])
    assert not naive_trees.same_tree(trees[0], trees[2])


@pytest.mark.parametrize("max_tree_rows", [None, 200])
def test_regression_tree_averages_targets(max_tree_rows, rng):
    X = rng.normal(size=(800, 2))
    y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=800)
    tree = grow_axis_regression_tree(
        X, y, max_leaf_size=25, max_tree_rows=max_tree_rows, random_state=0
    )
    for node in range(0, tree.n_nodes, 5):
        inside = naive_trees.rows_of_node(X, tree, node)
        assert tree.n_rows[node] == len(inside)
        assert tree.value[node, 0] == pytest.approx(y[inside].mean())
    assert tree.n_rows[tree.is_leaf].max() < 25


@given(st.lists(st.integers(0, 8), max_size=60))
@settings(deadline=None)
def test_rows_by_leaf_equals_scanning(leaf_ids):
    leaf_ids = np.array(leaf_ids, dtype=np.int32)
    groups = rows_by_leaf(leaf_ids, 9)
    for leaf in range(9):
        expected = np.flatnonzero(leaf_ids == leaf)
        np.testing.assert_array_equal(groups.rows(leaf), expected)
    assert groups.sizes.sum() == len(leaf_ids)
