"""T-scores equal the naive twin's exactly; trees are pruned; quotas hold."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.tree import DecisionTreeClassifier

from tests import naive_candidates as naive
from treesvm.candidates import TRSD
from treesvm.candidates.partition import partition_rows
from treesvm.candidates.support_distance import (
    majority_centroids,
    majority_rows,
    support_scores,
)
from treesvm.candidates.trsd import rows_of_leaves


def blobs(seed, n=160, d=3, n_classes=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, size=n)
    return rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(n_classes, d))[y], y


def partition_of(X, y, **options):
    return partition_rows(X, y, rng=np.random.RandomState(0), **options)


def naive_scores(X, y, partition):
    tree = partition.tree
    boxes = naive.boxes(tree.feature, tree.threshold, tree.left, tree.right, X.shape[1])
    pairs = naive.adjacent(*boxes)
    return naive.support_scores(X, y, partition.leaf, partition.majority, pairs)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("pruning", [None, 5])
def test_scores_equal_the_naive_twin_exactly(seed, pruning):
    X, y = blobs(seed, d=2 + seed % 3)
    partition = partition_of(X, y, pruning=pruning)
    scores = support_scores(X, y, partition)
    np.testing.assert_array_equal(scores, naive_scores(X, y, partition))


def test_scores_with_ties_and_constant_features():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, size=(90, 2)), np.full(90, 7.0)])
    y = rng.integers(0, 2, size=90)
    partition = partition_of(X, y, tree=DecisionTreeClassifier(max_depth=3))
    scores = support_scores(X, y, partition)
    np.testing.assert_array_equal(scores, naive_scores(X, y, partition))
    assert np.isfinite(scores[scores > -np.inf]).all()


def test_centred_formula_is_the_papers():
    """h by z = x - m is |W (x - M)| / |W|, far from the origin too."""
    rng = np.random.default_rng(1)
    own, other, x = rng.normal(size=(3, 5)) + 100.0
    W, z = own - other, x - own
    h = abs(W @ z + 0.5 * (W @ W)) / np.sqrt(W @ W)
    assert h == pytest.approx(naive.paper_distance(x, own, other), rel=1e-10)


def test_centroids_are_of_the_majority_class():
    X, y = blobs(3)
    partition = partition_of(X, y, pruning=5)
    centroids = majority_centroids(X, majority_rows(y, partition))
    for k in range(partition.tree.n_leaves):
        rows = (partition.leaf == k) & (y == partition.majority[k])
        np.testing.assert_allclose(centroids[k], X[rows].mean(axis=0), rtol=1e-12)


def test_best_rows_of_each_leaf_and_random_ones():
    X, y = blobs(4, n=400)
    partition = partition_of(X, y, pruning=5)
    scores = support_scores(X, y, partition)
    rows = rows_of_leaves(scores, partition, 80, 0.5, np.random.RandomState(0))
    best, drawn = set(rows[:40].tolist()), rows[40:]
    assert len(set(rows.tolist())) == 80
    for k in range(partition.tree.n_leaves):
        own = np.flatnonzero((partition.leaf == k) & (scores > -np.inf))
        n_best = len(best & set(own.tolist()))
        worst_kept = np.sort(scores[own])[::-1][:n_best]
        kept = sorted((scores[i] for i in best & set(own.tolist())), reverse=True)
        assert kept == worst_kept.tolist()
        inside = (partition.leaf[drawn] == k).sum()
        assert abs(inside - 40 * partition.n_rows[k] / 400) <= 1 + n_best


def test_leaf_without_distinct_neighbour_gives_random_rows_only():
    """A stripe of class 0 on either side of class 0 has no distinct neighbour."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 3, size=(300, 1))
    y = (X[:, 0] > 2).astype(int)
    tree = DecisionTreeClassifier(random_state=0).fit(X, np.digitize(X[:, 0], [1, 2]))
    partition = partition_of(X, y, tree=tree)
    scores = support_scores(X, y, partition)
    far = X[:, 0] <= 1
    assert (scores[far] == -np.inf).all()
    rows = rows_of_leaves(scores, partition, 60, 0.0, np.random.RandomState(0))
    assert not far[rows].any()
    assert len(rows) == 60  # the other leaves give what it does not


def test_default_tree_is_pruned():
    X, y = make_moons(600, noise=0.4, random_state=0)
    grown = TRSD(pruning=None, random_state=0).fit(X, y).tree_
    folds = TRSD(pruning=5, random_state=0).fit(X, y).tree_
    held_out = TRSD(pruning=0.2, random_state=0).fit(X, y).tree_
    assert folds.n_leaves < grown.n_leaves / 3
    assert held_out.n_leaves < grown.n_leaves / 3
    assert TRSD(random_state=0).fit(X, y).tree_.n_leaves == folds.n_leaves


def test_pruning_price_is_the_best_of_the_folds():
    """The pruned tree is better on new rows than the grown one."""
    X, y = make_moons(4000, noise=0.5, random_state=0)
    tree = TRSD(pruning=5, random_state=0).fit(X[:1000], y[:1000]).tree_
    answers = tree.value[tree.apply(X[1000:])].argmax(axis=1)
    grown = DecisionTreeClassifier(random_state=0).fit(X[:1000], y[:1000])
    assert np.mean(answers == y[1000:]) > grown.score(X[1000:], y[1000:]) + 0.02


def test_a_fitted_tree_is_used_as_it_is():
    X, y = make_moons(300, noise=0.2, random_state=0)
    given = DecisionTreeClassifier(max_leaf_nodes=7, random_state=0).fit(X, y)
    selector = TRSD(tree=given, random_state=0).fit(X, y)
    assert selector.tree_.n_leaves == 7
    np.testing.assert_array_equal(selector.tree_.apply(X), given.apply(X))
    unfitted = TRSD(tree=DecisionTreeClassifier(max_leaf_nodes=5), random_state=0)
    assert unfitted.fit(X, y).tree_.n_leaves == 5
    assert not hasattr(unfitted.tree, "tree_")
    with pytest.raises(ValueError, match="fitted on 2 features"):
        TRSD(tree=given).fit(np.column_stack([X, X]), y)


def test_border_rows_are_preferred():
    """In two separate squares the best rows lie near the gap between them."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 2))
    y = (X[:, 0] > 0.5).astype(int)
    kept = TRSD(0.1, random_share=0.0, random_state=0).fit(X, y).sample_indices_
    assert np.abs(X[kept, 0] - 0.5).mean() < 0.1
