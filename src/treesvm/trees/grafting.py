"""Assemble flat trees: grow further trees in leaves, and count rows in every node."""

from dataclasses import replace

import numpy as np

from treesvm.trees.routing import LEAF


def graft(tree, branches):
    """Return `tree` with some leaves replaced by whole trees.

    Parameters
    ----------
    tree : Tree
    branches : dict of int to Tree
        For each leaf to replace, the tree of the same kind (axis-parallel or oblique)
        whose root takes its place.

    Returns
    -------
    Tree
        The nodes of `tree` keep their numbers; those of the branches follow.
    """
    firsts, planes, root_of = first_numbers(tree, branches), len(tree.weights), {}
    for leaf, branch in branches.items():
        root_of[leaf] = _renumbered(branch, firsts[leaf], planes)
        planes += len(branch.weights)
    columns = {
        name: np.concatenate(
            [
                getattr(tree, name),
                *(getattr(branch, name)[1:] for branch in root_of.values()),
            ]
        )
        for name in ("feature", "threshold", "left", "right", "n_rows", "value")
    }
    columns["weights"] = np.concatenate(
        [tree.weights, *(branch.weights for branch in root_of.values())]
    )
    for leaf, branch in root_of.items():
        for name in ("feature", "threshold", "left", "right"):
            columns[name][leaf] = getattr(branch, name)[0]
    return replace(tree, **columns)


def first_numbers(tree, branches):
    """For each branch, the number that its node 1 gets from `graft`."""
    sizes = [branch.n_nodes - 1 for branch in branches.values()]
    firsts = tree.n_nodes + np.cumsum([0, *sizes])
    return dict(zip(branches, firsts.tolist(), strict=False))


def count_rows(tree, leaf_ids, y, *, n_classes, sample_weight=None):
    """Return `tree` with `n_rows` and class weights of the rows given by their leaves.

    Parameters
    ----------
    leaf_ids : ndarray of shape (n_rows,)
        Leaf of each row, as `Tree.apply` returns it.
    y : ndarray of int, shape (n_rows,)
        Class codes 0 … n_classes - 1.
    """
    totals = leaf_totals(leaf_ids, y, tree.n_nodes, n_classes, sample_weight)
    return with_totals(tree, *totals)


def leaf_totals(leaf_ids, y, n_nodes, n_classes, sample_weight=None):
    """Return rows and class weights of every node that is some row's leaf."""
    n_rows = np.bincount(leaf_ids, minlength=n_nodes)
    cell = leaf_ids.astype(np.int64) * n_classes + y
    value = np.bincount(cell, weights=sample_weight, minlength=n_nodes * n_classes)
    return n_rows, value.reshape(n_nodes, n_classes).astype(np.float64)


def with_totals(tree, n_rows, value):
    """Return `tree` with rows and class weights that are given at its leaves."""
    return replace(tree, n_rows=_summed(tree, n_rows), value=_summed(tree, value))


def average_targets(tree, leaf_ids, y, *, sample_weight=None):
    """Return `tree` with `n_rows` and the weighted mean target of every node."""
    n_nodes = tree.n_nodes
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    n_rows = _summed(tree, np.bincount(leaf_ids, minlength=n_nodes))
    total = _summed(tree, np.bincount(leaf_ids, weights=weight * y, minlength=n_nodes))
    mass = _summed(tree, np.bincount(leaf_ids, weights=weight, minlength=n_nodes))
    mean = np.divide(total, mass, out=np.zeros(n_nodes), where=mass > 0)
    return replace(tree, n_rows=n_rows, value=mean[:, None])


def _summed(tree, leaf_values):
    """Add up values given at leaves towards the root, level by level."""
    total = leaf_values.copy()
    depth = tree.node_depth
    inner = np.flatnonzero(~tree.is_leaf)
    inner = inner[np.argsort(-depth[inner], kind="stable")]
    for level in np.split(inner, np.flatnonzero(np.diff(depth[inner])) + 1):
        total[level] = total[tree.left[level]] + total[tree.right[level]]
    return total


def _renumbered(branch, first, first_plane):
    """Shift child numbers so that nodes 1, 2, … become `first`, `first` + 1, ….

    Hyperplanes are shifted likewise; features of axis-parallel nodes stay.
    """
    shifts = {"left": first - 1, "right": first - 1}
    if branch.is_oblique:
        shifts["feature"] = first_plane
    shifted = {
        name: np.where(
            getattr(branch, name) == LEAF, LEAF, getattr(branch, name) + shift
        ).astype(np.int32)
        for name, shift in shifts.items()
    }
    return replace(branch, **shifted)
