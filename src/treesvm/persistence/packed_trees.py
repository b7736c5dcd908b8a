"""Trees of one model, joined to a few arrays.

A file with a member for every array of every tree would be slow for a committee of
thousands, so the nodes of all trees stand one after the other, and `trees.sizes` says
how many nodes and hyperplanes each tree has.
"""

import numpy as np

from treesvm.files.failures import require
from treesvm.trees.routing import LEAF
from treesvm.trees.tree import Tree

_TREE_BYTES = 4096  # what the objects of one tree take
_MAX_NODES = 2**31 - 1
# Array of a tree -> dtype and smallest value; the order is that of `Tree`.
_NODES = {
    "feature": ("i4", LEAF),
    "threshold": ("f8", None),
    "left": ("i4", LEAF),
    "right": ("i4", LEAF),
    "n_rows": ("i8", 0),
}


def write_trees(trees, arrays):
    """Put the trees, which share width and classes, into `arrays`."""
    sizes = [(tree.n_nodes, len(tree.weights)) for tree in trees]
    arrays["trees.sizes"] = np.array(sizes, np.int64).reshape(-1, 2)
    for name in (*_NODES, "value"):
        joined = np.concatenate([getattr(tree, name) for tree in trees])
        arrays[f"trees.{name}"] = joined
    if any(len(tree.weights) for tree in trees):
        arrays["trees.weights"] = np.concatenate([tree.weights for tree in trees])


def read_trees(arrays, *, n_trees, n_features, n_values, is_count=True):
    """Return the trees after checking every link.

    Parameters
    ----------
    arrays : ArrayReader
    n_trees : int
        How many there must be.
    n_features : int
    n_values : int
        Columns of `Tree.value`.
    is_count : bool
        Whether values are weights of classes, which cannot be negative.
    """
    sizes = arrays.take("trees.sizes", "i8", (n_trees, 2), low=0, high=_MAX_NODES)
    require(n_trees >= 1, "it has no tree")
    arrays.charge(_TREE_BYTES * n_trees)
    n_nodes, n_planes = sizes.T
    columns = [
        arrays.take_pieces(f"trees.{name}", dtype, n_nodes, low=low)
        for name, (dtype, low) in _NODES.items()
    ]
    low = 0.0 if is_count else None
    columns.append(
        arrays.take_pieces("trees.value", "f8", n_nodes, width=n_values, low=low)
    )
    weights = [np.empty((0, n_features))] * n_trees
    if n_planes.any():
        weights = arrays.take_pieces("trees.weights", "f8", n_planes, width=n_features)
    trees = [Tree(*own) for own in zip(*columns, weights, strict=True)]
    for tree in trees:
        _check_nodes(tree, len(tree.weights) or n_features)
    return trees


def _check_nodes(tree, n_tests):
    """Refuse nodes that are no cut in two by a known test."""
    is_inner = tree.left != LEAF
    parents_of(tree.left, tree.right)
    require(
        np.array_equal(is_inner, tree.feature != LEAF),
        "a node of a tree is half a leaf",
    )
    require(
        bool((tree.left != tree.right)[is_inner].all()),
        "a node of a tree has one child only",
    )
    require(
        tree.feature.max() < n_tests or not is_inner.any(),
        "a node of a tree tests a feature or hyperplane that does not exist",
    )


def parents_of(left, right):
    """Return the parent of every node, -1 at the root, if the links are one tree.

    If each node but the root is the child of exactly one node with a smaller number,
    then every node is reached from the root, and no path returns. A node whose two
    links are equal has one child.
    """
    n_nodes, is_inner = len(left), left != LEAF
    require(n_nodes >= 1, "a tree has no node")
    is_even = np.array_equal(is_inner, right != LEAF)
    require(is_even, "a node of a tree is half a leaf")
    splits = is_inner & (left != right)
    owners = np.concatenate([np.flatnonzero(is_inner), np.flatnonzero(splits)])
    links = np.concatenate([left[is_inner], right[splits]])
    require(
        bool((links > owners).all()),
        "a node of a tree is its own ancestor or stands before its parent",
    )
    require(links.max(initial=0) < n_nodes, "a tree links to no node of it")
    parents = np.full(n_nodes, -1)
    parents[links] = owners
    require(
        len(links) == n_nodes - 1 and bool((parents[1:] >= 0).all()),
        "a node of a tree has no parent or several parents",
    )
    return parents
