"""Oblique splits and trees: what a split must do, limit cases, sides of classes."""

import naive_linear
import naive_trees
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from treesvm.solvers.dual_descent import solve_dual_descent
from treesvm.trees import oblique_split
from treesvm.trees.cascade_split import settling_threshold
from treesvm.trees.class_sides import centroid_sides, majority_sides
from treesvm.trees.growth import grow
from treesvm.trees.oblique import grow_oblique_tree, split_for_pruning
from treesvm.trees.oblique_split import ObliqueSplit, PlaneOptions, standardise
from treesvm.trees.text import export_text

PLANE = PlaneOptions(alpha=0.01, regularization="mean")


def moons(seed, n_rows=400, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)) * [1.0, 50.0, 0.01] + [0.0, 1000.0, 5.0]
    angle = X[:, 0] + np.sin((X[:, 1] - 1000.0) / 25.0)
    return X, np.digitize(angle, np.linspace(-1, 1, n_classes + 1)[1:-1])


@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 6))
@settings(max_examples=15, deadline=None)
def test_every_split_lowers_the_entropy_and_leaves_no_side_empty(seed, n_classes):
    X, y = moons(seed, n_classes=n_classes)
    tree = grow_oblique_tree(X, y, n_classes=n_classes, plane=PLANE, min_share=0.02)
    for k in np.flatnonzero(~tree.is_leaf):
        rows = naive_trees.rows_of_node(X, tree, k)
        left = naive_trees.rows_of_node(X, tree, tree.left[k])
        right = naive_trees.rows_of_node(X, tree, tree.right[k])
        assert len(left) > 0
        assert len(right) > 0
        after = len(left) * naive_linear.entropy(y[left])
        after += len(right) * naive_linear.entropy(y[right])
        assert after < len(rows) * naive_linear.entropy(y[rows])
        assert len(rows) > 0.02 * len(y)


def test_pure_and_tiny_nodes_stop():
    X, y = moons(0)
    one = grow_oblique_tree(X, np.zeros(400, int), n_classes=1, plane=PLANE)
    assert one.n_nodes == 1
    tiny = grow_oblique_tree(X, y, n_classes=2, plane=PLANE, min_share=1.0)
    assert tiny.n_nodes == 1


def test_standardised_rows_and_folding_back(monkeypatch):
    X, _ = moons(1)
    X[:, 2] = 7.0
    rows = np.arange(0, 400, 3)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(rows))
    node = standardise(X, rows, weight)
    mean = np.average(X[rows], axis=0, weights=weight)
    deviation = np.sqrt(np.average((X[rows] - mean) ** 2, axis=0, weights=weight))
    np.testing.assert_allclose(
        node.Z[:, :2], ((X[rows] - mean) / deviation)[:, :2], atol=1e-5
    )
    assert np.all(node.Z[:, 2] == 0.0)
    np.testing.assert_array_equal(
        standardise(sparse.csr_matrix(X), rows, weight).Z, node.Z
    )
    monkeypatch.setattr(oblique_split, "_DENSE_ENTRIES", 0)  # as for wide rows
    scaled = standardise(sparse.csr_matrix(X), rows, weight)
    np.testing.assert_allclose(
        scaled.Z.toarray()[:, :2], (X[rows] / deviation)[:, :2], rtol=1e-4
    )


def test_scaling_of_features_does_not_matter():
    X, y = moons(2)
    a = grow_oblique_tree(X, y, n_classes=2, plane=PLANE)
    b = grow_oblique_tree(X * [8.0, 0.25, 2.0], y, n_classes=2, plane=PLANE)
    np.testing.assert_array_equal(a.apply(X), b.apply(X * [8.0, 0.25, 2.0]))


def test_constant_and_duplicate_rows_end_in_a_leaf():
    X = np.ones((60, 2))
    tree = grow_oblique_tree(X, np.arange(60) % 2, n_classes=2, plane=PLANE)
    assert tree.n_nodes == 1


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_tree_does_not_depend_on_n_jobs(n_jobs):
    X, y = moons(3, n_rows=2000, n_classes=4)
    options = {"n_classes": 4, "plane": PLANE, "seed": 5, "prune_share": 0.1}
    one = grow_oblique_tree(X, y, **options)
    many = grow_oblique_tree(X, y, n_jobs=n_jobs, **options)
    np.testing.assert_array_equal(one.weights, many.weights)
    np.testing.assert_array_equal(one.left, many.left)


def test_no_pruning_share_keeps_the_grown_tree():
    X, y = moons(4)
    finder = ObliqueSplit(X, y, n_classes=2, options=PLANE)
    grown = grow(y, finder, n_classes=2, n_features=3, max_leaf_weight=4.0)
    tree = grow_oblique_tree(X, y, n_classes=2, plane=PLANE, min_share=0.01)
    assert naive_trees.same_tree(grown, tree)


@pytest.mark.parametrize("solver", ["pegasos", "pegasos-paper"])
def test_other_solvers_grow_good_trees(solver):
    X, y = moons(5)
    plane = PLANE._replace(solver=solver)
    tree = grow_oblique_tree(X, y, n_classes=2, plane=plane)
    assert np.mean(tree.value.argmax(axis=1)[tree.apply(X)] == y) > 0.9


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix])
def test_without_standardising_a_node_is_the_svm_of_its_rows(as_rows):
    X, y = moons(7)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0) * [1.0, 1.0, 0.1]
    plane = PLANE._replace(standardize=False, tol=1e-6, max_passes=20_000)
    finder = ObliqueSplit(as_rows(X), y, n_classes=2, options=plane)
    split = finder(np.arange(len(y)), 0)
    counts = np.bincount(y)
    exact = solve_dual_descent(
        X, 2.0 * y - 1.0, 0.5 / counts[y], 0.01, tol=1e-8, max_iter=100_000
    )
    np.testing.assert_allclose(split.weights, exact.coefficients, atol=2e-3)
    assert split.threshold == pytest.approx(-exact.bias, abs=2e-3)
    scaled = ObliqueSplit(X, y, n_classes=2, options=plane._replace(standardize=True))
    assert not np.allclose(scaled(np.arange(len(y)), 0).weights, split.weights, 0.1)


def test_sample_of_a_large_node_splits_all_its_rows():
    X, y = moons(6, n_rows=1000)
    plane = PLANE._replace(max_node_rows=50)
    tree = grow_oblique_tree(X, y, n_classes=2, plane=plane)
    counts = np.bincount(tree.apply(X), minlength=tree.n_nodes)
    np.testing.assert_array_equal(counts[tree.is_leaf], tree.n_rows[tree.is_leaf])
    assert tree.n_rows[0] == 1000


def test_two_classes_are_their_own_sides():
    mass = np.array([0.0, 3.0, 0.0, 1.0])
    np.testing.assert_array_equal(centroid_sides(None, mass), [0, -1, 0, 1])


@given(seed=st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_sides_are_the_best_cut_along_the_spread(seed):
    rng = np.random.default_rng(seed)
    place = rng.normal(size=7)
    mass = rng.integers(1, 9, size=7).astype(float)
    sides = centroid_sides(place[:, None], mass)

    def within(group):
        centre = np.average(place[group], weights=mass[group])
        return mass[group] @ (place[group] - centre) ** 2

    order = np.argsort(place)
    costs = [within(order[:t]) + within(order[t:]) for t in range(1, 7)]
    ours = within(np.flatnonzero(sides < 0)) + within(np.flatnonzero(sides > 0))
    assert ours == pytest.approx(min(costs))


def test_classes_move_to_the_side_where_most_of_them_fell():
    sides = np.array([-1.0, -1.0, 1.0, 0.0])
    left, right = np.array([9.0, 1.0, 0.0, 0.0]), np.array([1.0, 5.0, 4.0, 0.0])
    assert majority_sides(sides, left, right).tolist() == [-1, 1, 1, 0]
    assert majority_sides(sides, left * 0, right).tolist() == sides.tolist()


@given(seed=st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_settling_threshold_leaves_one_pure_side(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size=12)
    y[:2] = [0, 1]
    values = (rng.normal(size=12) + y).round(1)
    threshold = settling_threshold(values, y, np.ones(12))
    settled = {
        0: np.sum(values < values[y == 1].min()),
        1: np.sum(values > values[y == 0].max()),
    }
    if threshold is None:
        assert max(settled.values()) == 0
        return
    left, right = y[values <= threshold], y[values > threshold]
    assert (len(left) == settled[0] and not left.any()) or (
        len(right) == settled[1] and right.all()
    )
    assert max(settled.values()) in (len(left), len(right))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_pruning_rows_leave_every_class_at_home(share):
    y = np.repeat([0, 1, 2], [100, 10, 1])
    kept, held = split_for_pruning(y, share, seed=1)
    assert np.sort(np.r_[kept, held]).tolist() == list(range(111))
    expected = [int(share * n) for n in (100, 10, 1)]
    assert np.bincount(y[held], minlength=3).tolist() == expected


def test_text_shows_every_node():
    X, y = moons(7)
    tree = grow_oblique_tree(X, y, n_classes=2, plane=PLANE, min_share=0.2)
    text = export_text(
        tree, feature_names=["a", "b", "c"], class_names=["no", "yes"], max_terms=2
    )
    assert text.count("class:") == tree.n_leaves
    assert text.count("<=") == text.count(" > ") == tree.n_nodes - tree.n_leaves
    assert "+ 1 more" in text
