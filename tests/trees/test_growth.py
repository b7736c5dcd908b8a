"""The growth loop: stop rules, order, seeds, threads."""

import naive_trees
import numpy as np
import pytest

from treesvm.trees.growth import Split, grow


def random_splitter(X):
    """Split midway along a random direction drawn from the node's seed.

    The cut lies between two rows, so that rounding of sums cannot move any of them.
    """

    def find_split(rows, seed):
        w = np.random.default_rng(seed).normal(size=X.shape[1])
        values = X[rows] @ w
        threshold = np.sort(values)[len(rows) // 2 - 1 :][:2].mean()
        goes_left = values <= threshold
        return None if goes_left.all() else Split(w, threshold, goes_left)

    return find_split


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(700, 3))
    return X, rng.integers(0, 3, size=700)


def test_grown_tree_routes_rows_as_it_counted_them(problem):
    X, y = problem
    tree = grow(y, random_splitter(X), n_classes=3, n_features=3, max_leaf_weight=19)
    np.testing.assert_array_equal(tree.apply(X), naive_trees.apply(X, tree))
    counts = np.bincount(tree.apply(X), minlength=tree.n_nodes)
    np.testing.assert_array_equal(counts[tree.is_leaf], tree.n_rows[tree.is_leaf])
    assert tree.n_rows[~tree.is_leaf].min() >= 20
    assert tree.value[0].tolist() == np.bincount(y).tolist()


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_tree_does_not_depend_on_n_jobs(problem, n_jobs):
    X, y = problem
    options = {"n_classes": 3, "n_features": 3, "seed": 9}
    one = grow(y, random_splitter(X), **options)
    many = grow(y, random_splitter(X), n_jobs=n_jobs, **options)
    np.testing.assert_array_equal(one.left, many.left)
    np.testing.assert_array_equal(one.weights, many.weights)
    other = grow(y, random_splitter(X), **{**options, "seed": 10})
    assert not naive_trees.same_tree(one, other)


def test_pure_nodes_depth_and_refused_splits_stop_growth(problem):
    X, y = problem
    options = {"n_classes": 3, "n_features": 3}
    assert grow(np.zeros(9, int), random_splitter(X), **options).n_nodes == 1
    assert grow(y, lambda rows, seed: None, **options).n_nodes == 1
    assert grow(y, random_splitter(X), max_depth=4, **options).depth == 4
    assert grow(y, random_splitter(X), max_depth=0, **options).n_nodes == 1


def test_depth_is_not_limited_by_recursion():
    n = 3000
    X = np.arange(n, dtype=float)[:, None]

    def peel(rows, seed):
        first = X[rows, 0].min()
        return Split(np.ones(1), first, X[rows, 0] <= first)

    tree = grow(np.arange(n) % 2, peel, n_classes=2, n_features=1)
    assert tree.depth == n - 1
    assert tree.cut(tree.node_depth >= 5).depth == 5


def test_sample_weights_fill_the_values(problem):
    X, y = problem
    weight = np.linspace(0.5, 2.0, len(y))
    tree = grow(
        y,
        random_splitter(X),
        n_classes=3,
        n_features=3,
        sample_weight=weight,
        max_leaf_weight=100,
    )
    for node in range(tree.n_nodes):
        inside = naive_trees.rows_of_node(X, tree, node)
        expected = np.bincount(y[inside], weights=weight[inside], minlength=3)
        np.testing.assert_allclose(tree.value[node], expected)


def test_children_of_a_last_split_stay_leaves(problem):
    X, y = problem
    finder = random_splitter(X)

    def last(rows, seed):
        return finder(rows, seed)._replace(is_last=True)

    tree = grow(y, last, n_classes=3, n_features=3)
    assert tree.n_nodes == 3
    assert tree.value[1:].sum(axis=0).tolist() == np.bincount(y).tolist()


def test_class_weights_may_come_with_the_split(problem):
    X, y = problem
    finder = random_splitter(X)

    def counted(rows, seed):
        split = finder(rows, seed)
        sides = (rows[split.goes_left], rows[~split.goes_left])
        parts = np.stack([np.bincount(y[side], minlength=3) for side in sides])
        return split._replace(parts=parts)

    options = {"n_classes": 3, "n_features": 3, "max_leaf_weight": 50}
    with_parts = grow(y, counted, **options)
    assert naive_trees.same_tree(with_parts, grow(y, finder, **options))
