"""Cost-complexity pruning against enumeration."""

import itertools

import naive_linear
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treesvm.trees.axis import grow_axis_tree
from treesvm.trees.pruning import (
    best_cut,
    errors_along,
    prune_by_rows,
    pruning_path,
    totals_along,
    training_risk,
)


def grown(seed, n_rows=40, ceiling=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2))
    y = (rng.random(n_rows) < 0.3 + 0.4 * (X[:, 0] > 0)).astype(int)
    return (
        grow_axis_tree(X, y, max_leaf_size=ceiling, n_classes=2, random_state=0),
        X,
        y,
    )


def leaves_after(tree, cuts):
    """Old numbers of the leaves of the cut tree."""
    leaves, stack = set(), [0]
    while stack:
        k = stack.pop()
        if tree.left[k] == -1 or k in cuts:
            leaves.add(k)
        else:
            stack += [int(tree.left[k]), int(tree.right[k])]
    return leaves


@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_pruned_cost_is_minimal_at_every_price(seed):
    tree, _, _ = grown(seed)
    path, risk = pruning_path(tree), training_risk(tree)
    steps = np.unique(np.r_[0.0, path.alphas])
    prices = np.r_[steps + 1e-9, (steps[1:] + steps[:-1]) / 2, steps[-1] + 1]
    for price in prices:
        ours = leaves_after(tree, set(path.cuts_up_to(price).tolist()))
        best = naive_linear.cheapest_leaves(tree.left, tree.right, risk, price)
        cost = sum(risk[k] for k in ours) + price * len(ours)
        expected = sum(risk[k] for k in best) + price * len(best)
        assert cost == pytest.approx(expected, abs=1e-12)
        assert len(ours) == len(best)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_prices_never_fall_and_the_trees_are_nested(seed):
    tree, _, _ = grown(seed, n_rows=200)
    path = pruning_path(tree)
    assert np.all(np.diff(path.alphas) >= 0)
    assert path.nodes[-1] == 0
    sizes = [
        len(leaves_after(tree, set(path.nodes[:t]))) for t in range(len(path.nodes))
    ]
    assert all(b < a for a, b in itertools.pairwise(sizes))
    totals = totals_along(tree, path, np.ones(tree.n_nodes))
    np.testing.assert_array_equal(totals[:-1], sizes)


@pytest.mark.parametrize("seed", range(5))
def test_errors_along_equal_predicting_with_every_cut_tree(seed):
    tree, X, y = grown(seed, n_rows=150)
    rng = np.random.default_rng(seed + 100)
    X, y = X + 0.3 * rng.normal(size=X.shape), rng.permutation(y)
    path = pruning_path(tree)
    errors = errors_along(tree, path, tree.apply(X), y)
    for t in range(len(path.nodes) + 1):
        cut = tree.cut(path.nodes[:t])
        wrong = cut.value.argmax(axis=1)[cut.apply(X)] != y
        assert errors[t] == pytest.approx(wrong.sum())


@pytest.mark.parametrize("seed", range(5))
def test_the_smallest_of_the_best_trees_is_chosen(seed):
    tree, _X, _y = grown(seed, n_rows=150)
    rng = np.random.default_rng(seed + 200)
    X_new = rng.normal(size=(60, 2))
    y_new = (rng.random(60) < 0.3 + 0.4 * (X_new[:, 0] > 0)).astype(int)
    path = pruning_path(tree)
    errors = errors_along(tree, path, tree.apply(X_new), y_new)
    chosen = best_cut(path, errors)
    ends = [
        0,
        *(
            t + 1
            for t in range(len(path.alphas))
            if t + 1 == len(path.alphas) or path.alphas[t + 1] > path.alphas[t]
        ),
    ]
    assert chosen in ends
    assert errors[chosen] == min(errors[t] for t in ends)
    assert all(errors[t] > errors[chosen] for t in ends if t > chosen)
    pruned = prune_by_rows(tree, X_new, y_new)
    assert pruned.n_leaves == tree.cut(path.nodes[:chosen]).n_leaves


def test_a_single_leaf_has_an_empty_path():
    tree, X, y = grown(0, ceiling=1000)
    assert tree.n_nodes == 1
    assert len(pruning_path(tree).nodes) == 0
    assert prune_by_rows(tree, X, y) is tree
