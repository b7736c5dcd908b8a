"""Boxes and neighbours equal those of plain loops over pairs."""

import numpy as np
import pytest

from tests import naive_candidates as naive
from treesvm import HLSVMClassifier
from treesvm.trees.adjacency import neighbour_blocks
from treesvm.trees.axis import grow_axis_tree
from treesvm.trees.boxes import leaf_boxes


def grown(rng, n=150, d=3, n_classes=2, grid=False):
    X = rng.integers(0, 4, size=(n, d)) if grid else rng.normal(size=(n, d))
    y = rng.integers(0, n_classes, size=n)
    return grow_axis_tree(X.astype(float), y, max_leaf_size=8, random_state=0)


def naive_boxes(tree):
    return naive.boxes(
        tree.feature, tree.threshold, tree.left, tree.right, tree.n_features
    )


def adjacent_leaves(tree, labels=None):
    """Return the neighbours of all leaves, which are few enough for one block."""
    (block,) = neighbour_blocks(tree, labels)
    return block


def majorities(tree):
    return tree.value[tree.leaves()].argmax(axis=1)


def as_set(block):
    own = block.first + np.repeat(np.arange(block.n_leaves), np.diff(block.starts))
    return set(zip(own.tolist(), block.indices.tolist(), strict=True))


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("grid", [False, True])
def test_boxes_and_neighbours_equal_the_loops(d, grid, rng):
    tree = grown(rng, d=d, grid=grid)
    lower, upper = naive_boxes(tree)
    boxes = leaf_boxes(tree)
    np.testing.assert_array_equal(boxes.lower, lower[:, boxes.features])
    np.testing.assert_array_equal(boxes.upper, upper[:, boxes.features])
    assert as_set(adjacent_leaves(tree)) == naive.adjacent(lower, upper)


def test_only_neighbours_of_another_label_are_listed(rng):
    tree = grown(rng, n_classes=3)
    labels = majorities(tree)
    wanted = {
        (a, b) for a, b in naive.adjacent(*naive_boxes(tree)) if labels[a] != labels[b]
    }
    assert as_set(adjacent_leaves(tree, labels)) == wanted
    assert not as_set(adjacent_leaves(tree, np.zeros(tree.n_leaves, int)))


@pytest.mark.parametrize("max_pairs", [1, 7, 40])
def test_blocks_are_small_and_together_the_whole(max_pairs, rng):
    tree = grown(rng)
    blocks = list(neighbour_blocks(tree, max_pairs=max_pairs))
    most = max(np.diff(adjacent_leaves(tree).starts))
    assert all(len(block.indices) <= max(max_pairs, 2 * most) for block in blocks)
    assert sum(block.n_leaves for block in blocks) == tree.n_leaves
    assert set().union(*map(as_set, blocks)) == as_set(adjacent_leaves(tree))


def test_corners_do_not_count():
    """Figure 2 of the paper: boxes that meet in a corner are no neighbours."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    tree = grow_axis_tree(X, np.array([0, 1, 1, 0]), max_leaf_size=2, random_state=0)
    pairs = as_set(adjacent_leaves(tree))
    leaf = tree.leaf_numbers[tree.apply(X)]
    assert (leaf[0], leaf[1]) in pairs
    assert (leaf[0], leaf[3]) not in pairs
    assert (leaf[1], leaf[2]) not in pairs


def test_one_leaf_has_no_neighbours():
    tree = grow_axis_tree(np.zeros((5, 2)), np.array([0, 1, 0, 1, 0]), max_leaf_size=2)
    assert tree.n_leaves == 1
    assert len(adjacent_leaves(tree).indices) == 0
    assert leaf_boxes(tree).lower.shape == (1, 0)


def test_many_leaves_in_a_hundred_dimensions_in_bounded_memory(rng):
    """Twenty thousand leaves: a table of all pairs would have 4e8 entries."""
    X = rng.normal(size=(40_000, 100)).astype(np.float32)
    y = rng.integers(0, 2, size=len(X))
    tree = grow_axis_tree(
        X, y, max_leaf_size=2, splitter="random", max_features=1, random_state=0
    )
    assert tree.n_leaves > 15_000
    blocks = neighbour_blocks(tree, majorities(tree), max_pairs=2**16)
    block = next(blocks)
    assert 0 < block.n_leaves < tree.n_leaves
    assert len(block.indices) <= 2**17


def test_oblique_trees_are_refused(rng):
    X = rng.normal(size=(60, 2))
    y = (X.sum(axis=1) > 0).astype(int)
    tree = HLSVMClassifier(random_state=0).fit(X, y).trees_[0]
    with pytest.raises(ValueError, match="not boxes"):
        leaf_boxes(tree)
    with pytest.raises(ValueError, match="not boxes"):
        adjacent_leaves(tree)
