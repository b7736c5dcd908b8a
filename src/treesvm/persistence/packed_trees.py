"""Trees of one model, joined to a few arrays.

A file with a member for every array of every tree would be slow for a committee of
thousands, so the nodes of all trees stand one after the other, and `trees.sizes` says
how many nodes and hyperplanes each tree has.
"""

import numpy as np

from treesvm.files.checked_arrays import edges_of
from treesvm.files.failures import require
from treesvm.trees.routing import LEAF
from treesvm.trees.tree import Tree

_TREE_BYTES = 4096  # what the objects of one tree take
_MAX_NODES = 2**31 - 1


def write_trees(trees, arrays):
    """Put the trees, which share width and classes, into `arrays`."""
    sizes = [(tree.n_nodes, len(tree.weights)) for tree in trees]
    arrays["trees.sizes"] = np.array(sizes, np.int64).reshape(-1, 2)
    for name in ("feature", "threshold", "left", "right", "n_rows", "value"):
        joined = np.concatenate([getattr(tree, name) for tree in trees])
        arrays[f"trees.{name}"] = joined
    if any(len(tree.weights) for tree in trees):
        arrays["trees.weights"] = np.concatenate([tree.weights for tree in trees])


def read_trees(arrays, *, n_trees, n_features, n_values, is_oblique, is_count=True):
    """Return the trees after checking every link.

    Parameters
    ----------
    arrays : ArrayReader
    n_trees : int or None
        How many there must be, if that is known.
    n_features : int
    n_values : int
        Columns of `Tree.value`.
    is_oblique : bool
        Whether inner nodes test hyperplanes.
    is_count : bool
        Whether values are weights of classes, which cannot be negative.
    """
    sizes = arrays.take("trees.sizes", "i8", (n_trees, 2), low=0, high=_MAX_NODES)
    require(len(sizes) >= 1, "it has no tree")
    arrays.charge(_TREE_BYTES * len(sizes))
    left = arrays.take("trees.left", "i4", (None,), low=LEAF)
    total = len(left)
    nodes = edges_of(sizes[:, 0], total, "its trees")
    right = arrays.take("trees.right", "i4", (total,), low=LEAF)
    feature = arrays.take("trees.feature", "i4", (total,), low=LEAF)
    threshold = arrays.take("trees.threshold", "f8", (total,))
    n_rows = arrays.take("trees.n_rows", "i8", (total,), low=0)
    value = arrays.take(
        "trees.value", "f8", (total, n_values), low=0.0 if is_count else None
    )
    n_planes = int(sizes[:, 1].sum())
    weights = np.empty((0, n_features))
    if n_planes:
        require(is_oblique, "a tree with axis-parallel cuts has hyperplanes")
        weights = arrays.take("trees.weights", "f8", (None, n_features))
    planes = edges_of(sizes[:, 1], len(weights), "its hyperplanes")
    trees = []
    for k in range(len(sizes)):
        own, plane = slice(*nodes[k : k + 2]), slice(*planes[k : k + 2])
        tree = Tree(
            feature[own],
            threshold[own],
            left[own],
            right[own],
            n_rows[own],
            value[own],
            weights[plane],
        )
        check_links(tree, len(tree.weights) if is_oblique else n_features)
        trees.append(tree)
    return trees


def check_links(tree, n_tests):
    """Refuse anything but one tree: every node reached once, parents before children.

    If each node but the root is the child of exactly one node with a smaller number,
    then every node is reached from the root, and no path returns.
    """
    n_nodes, is_inner = tree.n_nodes, tree.left != LEAF
    require(n_nodes >= 1, "a tree has no node")
    require(
        np.array_equal(is_inner, tree.right != LEAF)
        and np.array_equal(is_inner, tree.feature != LEAF),
        "a node of a tree is half a leaf",
    )
    require(
        2 * np.count_nonzero(is_inner) == n_nodes - 1,
        "a tree has too many or too few nodes for its links",
    )
    number = np.arange(n_nodes, dtype=np.int32)
    is_child = np.zeros(n_nodes, bool)
    for links in (tree.left, tree.right):
        require(
            bool((links > number)[is_inner].all()),
            "a node of a tree is its own ancestor or stands before its parent",
        )
        require(links.max() < n_nodes, "a tree links to no node of it")
        is_child[links[is_inner]] = True
    # As many links as children: if all are children, none is so twice.
    require(
        bool(is_child[1:].all()), "a node of a tree has no parent or several parents"
    )
    require(
        tree.feature.max() < n_tests or not is_inner.any(),
        "a node of a tree tests a feature or hyperplane that does not exist",
    )
