"""Rows near a cut: the twin, samples, blocks, cut trees, oblique trees."""

import naive_trees
import numpy as np
import pytest
from scipy import sparse

from treesvm.trees import border_rows, coarsen, grow_axis_tree
from treesvm.trees.borders import (
    border_widths,
    crossing_rows,
    rows_across,
    tree_sample,
    widths_after_cut,
)
from treesvm.trees.tree import Tree


def rings(seed, n_rows=200, n_features=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    radius = np.sqrt((X**2).sum(axis=1)) + 0.2 * rng.normal(size=n_rows)
    return X.round(1), np.digitize(radius, [1.2, 1.8])  # rounded: ties at the limit


def pairs_of(tree, extra):
    by_leaf = zip(tree.leaves().tolist(), extra, strict=True)
    return {(leaf, int(i)) for leaf, rows in by_leaf for i in rows}


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_border_rows_equal_the_naive_twin(seed, share):
    X, y = rings(seed)
    tree = grow_axis_tree(X, y, max_leaf_size=30, random_state=0)
    extra = border_rows(tree, X, share)
    pairs = pairs_of(tree, extra)
    assert pairs == naive_trees.border_rows(X, tree, share)
    assert len(pairs) == sum(map(len, extra))
    assert all(np.all(np.diff(rows) > 0) for rows in extra)
    own = set(zip(tree.apply(X).tolist(), range(len(X)), strict=True))
    assert not pairs & own
    from_sparse = border_rows(tree, sparse.csr_matrix(X), share)
    for ours, theirs in zip(from_sparse, extra, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(3))
def test_tree_of_a_sample_has_the_sample_s_widths(seed, dtype):
    X, y = rings(seed, 300)
    X = X.astype(dtype)
    y[:20] = 3  # too few for the sample to know where they are
    how = {"max_leaf_size": 30, "max_tree_rows": 80}
    tree = grow_axis_tree(X, y, random_state=seed, **how)
    plan = tree_sample(len(X), **how, seed=seed)
    widths, least = border_widths(tree, X, 0.2, plan), max(2, plan.ceiling)
    assert np.isfinite(widths).all()
    sampled = [
        len(set(naive_trees.rows_of_node(X, tree, k)) & set(plan.rows)) >= least
        for k in np.flatnonzero(~tree.is_leaf)
    ]
    assert sampled[0]
    assert not all(sampled)  # some leaves were split further
    twin = naive_trees.border_rows(X, tree, 0.2, plan.rows, least)
    assert pairs_of(tree, border_rows(tree, X, 0.2, plan)) == twin
    thin = border_widths(tree, sparse.csr_matrix(X), 0.2, plan)
    np.testing.assert_array_equal(thin, widths)


def test_sample_of_all_rows_is_no_sample():
    X, y = rings(0)
    tree = grow_axis_tree(X, y, max_leaf_size=30, max_tree_rows=200, random_state=0)
    plan = tree_sample(200, 30, 200, 0)
    np.testing.assert_array_equal(
        border_widths(tree, X, 0.1, plan), border_widths(tree, X, 0.1)
    )


def test_blocks_cross_like_the_whole():
    X, y = rings(1, 500)
    tree = grow_axis_tree(X, y, max_leaf_size=40, random_state=0)
    widths = border_widths(tree, X, 0.1)
    whole = crossing_rows(tree, X, widths)
    blocks = [
        (a, crossing_rows(tree, X[a : a + 90], widths)) for a in range(0, 500, 90)
    ]
    assert len(whole.rows) > 0
    np.testing.assert_array_equal(
        np.concatenate([block.rows + a for a, block in blocks]), whole.rows
    )
    np.testing.assert_array_equal(
        np.concatenate([block.leaves for _, block in blocks]), whole.leaves
    )


@pytest.mark.parametrize("ceiling", [31, 100, 400, 501])
def test_cut_tree_keeps_the_widths_of_its_nodes(ceiling):
    X, y = rings(2, 500)
    tree = grow_axis_tree(X, y, max_leaf_size=30, random_state=0)
    cut = coarsen(tree, ceiling).tree
    widths = widths_after_cut(tree, border_widths(tree, X, 0.1), cut)
    np.testing.assert_array_equal(widths, border_widths(cut, X, 0.1))
    assert pairs_of(cut, rows_across(cut, X, widths)) == naive_trees.border_rows(
        X, cut, 0.1
    )


def test_nobody_crosses_a_cut_between_two_values():
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    tree = grow_axis_tree(X, np.repeat([0, 1], 50), max_leaf_size=10, random_state=0)
    assert all(len(rows) == 0 for rows in border_rows(tree, X, 0.5))


def test_oblique_cuts_have_borders_too(rng):
    X = rng.normal(size=(150, 4))
    tree = Tree(
        feature=np.array([0, 1, -1, -1, -1], np.int32),
        threshold=np.array([0.1, -0.2, 0.0, 0.0, 0.0]),
        left=np.array([1, 3, -1, -1, -1], np.int32),
        right=np.array([2, 4, -1, -1, -1], np.int32),
        n_rows=np.zeros(5, np.int64),
        value=np.zeros((5, 1)),
        weights=rng.normal(size=(2, 4)),
    )
    extra = border_rows(tree, X, 0.2)
    assert pairs_of(tree, extra) == naive_trees.border_rows(X, tree, 0.2)
    assert 25 < sum(map(len, extra)) <= 60
