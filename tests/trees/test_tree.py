"""Routing and cutting of flat trees, against slow twins and scikit-learn."""

import pickle

import naive_trees
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

from treesvm.trees.axis import grow_axis_tree
from treesvm.trees.routing import LEAF
from treesvm.trees.single_rows import RowRouter
from treesvm.trees.tree import Tree


def grown(seed, *, n_rows=300, n_features=4, ceiling=10, digits=None):
    """A tree and its rows; `digits` rounds the features, so that rows lie on cuts."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    X = X if digits is None else X.round(digits)
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    return grow_axis_tree(X, y, max_leaf_size=ceiling, random_state=0), X, y


def oblique(seed, n_features=5):
    """A hand-made oblique tree of three hyperplanes and four leaves."""
    weights = np.random.default_rng(seed).normal(size=(3, n_features))
    return Tree(
        feature=np.array([0, 1, LEAF, LEAF, 2, LEAF, LEAF], np.int32),
        threshold=np.array([0.1, -0.2, 0, 0, 0.3, 0, 0]),
        left=np.array([1, 2, LEAF, LEAF, 5, LEAF, LEAF], np.int32),
        right=np.array([4, 3, LEAF, LEAF, 6, LEAF, LEAF], np.int32),
        n_rows=np.array([8, 4, 2, 2, 4, 2, 2]),
        value=np.ones((7, 2)),
        weights=weights,
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_apply_equals_scikit_learn_also_on_cuts(dtype, rng):
    X = rng.integers(0, 5, size=(500, 3)).astype(dtype) / 10
    y = rng.integers(0, 3, size=500)
    theirs = DecisionTreeClassifier(min_samples_split=7, random_state=0).fit(X, y)
    state = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    theirs.set_params(random_state=state, criterion="entropy").fit(X, y)
    ours = grow_axis_tree(X, y, max_leaf_size=7, random_state=0)
    on_cuts = np.unique(ours.threshold[~ours.is_leaf])
    probe = rng.choice(np.concatenate([on_cuts, X[:, 0]]), size=(2000, 3)).astype(dtype)
    np.testing.assert_array_equal(ours.apply(probe), theirs.apply(probe))
    np.testing.assert_array_equal(
        ours.decision_path(probe).toarray(), theirs.decision_path(probe).toarray()
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_single_rows_reach_the_leaf_of_the_batch(dtype, rng):
    axis, X, _ = grown(0, digits=1)
    for tree, rows in ((axis, X), (oblique(0), rng.normal(size=(100, 5)))):
        rows = rows.astype(dtype)
        expected = tree.leaf_numbers[tree.apply(rows)].tolist()
        part_of = RowRouter(tree).part
        assert [part_of(x) for x in rows] == expected
        columns = np.asfortranarray(rows)
        assert [part_of(x) for x in columns] == expected


@given(seed=st.integers(0, 10_000), digits=st.sampled_from([None, 1]))
@settings(max_examples=20, deadline=None)
def test_apply_equals_naive_routing(seed, digits):
    tree, X, _ = grown(seed, digits=digits)
    np.testing.assert_array_equal(tree.apply(X), naive_trees.apply(X, tree))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_oblique_apply_equals_naive_routing(seed, dtype):
    tree = oblique(seed)
    X = np.random.default_rng(seed).normal(size=(200, 5)).astype(dtype)
    np.testing.assert_array_equal(tree.apply(X), naive_trees.apply(X, tree))
    np.testing.assert_array_equal(tree.apply(sparse.csr_matrix(X)), tree.apply(X))


def test_sparse_rows_route_like_dense_ones_even_unsorted(rng):
    X = sparse.random(400, 30, density=0.2, format="csr", random_state=0)
    y = rng.integers(0, 2, size=400)
    tree = grow_axis_tree(X, y, max_leaf_size=5, random_state=0)
    dense = grow_axis_tree(X.toarray(), y, max_leaf_size=5, random_state=0)
    assert naive_trees.same_tree(tree, dense)
    np.testing.assert_array_equal(tree.apply(X), tree.apply(X.toarray()))
    backwards = sparse.csr_matrix(
        (X.data[::-1], X.indices[::-1], (X.nnz - X.indptr)[::-1]), shape=X.shape
    )
    assert not backwards.has_sorted_indices
    np.testing.assert_array_equal(tree.apply(backwards), tree.apply(X)[::-1])


def test_shape_of_a_tree():
    tree = oblique(0)
    assert (tree.n_nodes, tree.n_leaves, tree.depth, tree.n_features) == (7, 4, 2, 5)
    assert tree.leaves().tolist() == [2, 3, 5, 6]
    assert tree.leaf_numbers.tolist() == [-1, -1, 0, 1, -1, 2, 3]
    assert tree.parent.tolist() == [-1, 0, 1, 1, 0, 4, 4]
    assert tree.is_oblique
    assert tree.cut([0]).n_nodes == 1


@given(seed=st.integers(0, 10_000), data=st.data())
@settings(max_examples=30, deadline=None)
def test_cut_sends_rows_to_the_cut_ancestor(seed, data):
    tree, X, _ = grown(seed, n_rows=120)
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    nodes = data.draw(st.lists(st.sampled_from(inner), max_size=4))
    cut, node_map = tree.cut(nodes), tree.node_map(nodes)
    np.testing.assert_array_equal(cut.apply(X), node_map[tree.apply(X)])
    for x, leaf in zip(X, cut.apply(X), strict=True):
        path = naive_trees.route(x, tree)
        end = next((k for k in path if k in nodes), path[-1])
        assert node_map[end] == leaf
        assert cut.n_rows[leaf] == tree.n_rows[end]
    inner_cut = ~cut.is_leaf
    assert np.all(cut.left[inner_cut] > np.flatnonzero(inner_cut))


def test_cut_oblique_tree_keeps_the_hyperplanes_it_needs(rng):
    tree, X = oblique(3), rng.normal(size=(100, 5))
    cut = tree.cut([1])
    assert len(cut.weights) == 2
    assert cut.n_nodes == 5
    np.testing.assert_array_equal(cut.apply(X), tree.node_map([1])[tree.apply(X)])


def test_rows_may_enter_at_any_node(rng):
    tree, X = oblique(1), rng.normal(size=(50, 5))
    expected = [naive_trees.route(x, tree, 4)[-1] for x in X]
    np.testing.assert_array_equal(tree.apply(X, start=4), expected)


def test_a_tree_survives_pickling():
    tree, X, _ = grown(7)
    copy = pickle.loads(pickle.dumps(tree))
    np.testing.assert_array_equal(copy.apply(X), tree.apply(X))


@pytest.mark.parametrize("as_type", [np.asarray, sparse.csr_matrix])
def test_blocks_of_rows_in_threads_route_alike(as_type, rng):
    tree, X = oblique(2), as_type(rng.normal(size=(20_000, 5)))
    np.testing.assert_array_equal(tree.apply(X, n_jobs=2), tree.apply(X))
