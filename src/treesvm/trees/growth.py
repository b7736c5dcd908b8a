"""Grow an oblique tree with any rule that splits a node.

Nodes are split from an explicit stack, so depth is limited by the data and never by
Python's recursion. Large nodes near the root are split side by side; below them whole
subtrees are grown side by side. A node's seed follows from its path alone, so the tree
is the same for every number of jobs.
"""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from treesvm.trees.routing import LEAF
from treesvm.trees.tree import Tree

_SEED_RANGE = 2**63
_SEED_FACTOR = 6364136223846793005  # Knuth's MMIX generator: one step for each child
_TRACE = 1e-6  # other classes that weigh less, as a share of the node, do not count
_SUBTREES_PER_JOB = 8  # enough to even out subtrees that take unequally long


class Split(NamedTuple):
    """A hyperplane and the side of it on which each row of the node lies."""

    weights: np.ndarray  # (n_features,)
    threshold: float  # rows with weights @ x <= threshold go left
    goes_left: np.ndarray  # (rows of the node,) bool, by that same rule
    parts: np.ndarray | None = None  # (2, n_classes) class weights left and right
    is_last: bool = False  # whether both children stay leaves


class _Node:
    """A node while the tree grows; its rows are dropped once it is split."""

    __slots__ = ("depth", "left", "n_rows", "right", "rows", "seed", "split", "value")

    def __init__(self, rows, value, depth, seed):
        self.rows, self.n_rows, self.value = rows, len(rows), value
        self.depth, self.seed = depth, seed % _SEED_RANGE
        self.split = self.left = self.right = None


class _Rules(NamedTuple):
    """What stays the same for all nodes."""

    y: np.ndarray
    sample_weight: np.ndarray | None
    n_classes: int
    find_split: object
    max_leaf_weight: float
    max_depth: float

    def class_weights(self, rows):
        """Return the summed weight of each class in the given rows."""
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        return np.bincount(self.y[rows], weights=weight, minlength=self.n_classes)

    def split(self, node):
        """Split a node in place if the rules allow it; return its children."""
        rows, node.rows = node.rows, None
        is_pure = node.value.max() >= (1.0 - _TRACE) * node.value.sum()
        is_light = node.value.sum() <= self.max_leaf_weight
        if is_pure or is_light or node.depth >= self.max_depth:
            return ()
        split = self.find_split(rows, node.seed)
        if split is None:
            return ()
        goes_left, depth = split.goes_left, node.depth + 1
        node.split = split._replace(goes_left=None, parts=None)
        next_seed = node.seed * _SEED_FACTOR
        left, right = rows[goes_left], rows[~goes_left]
        parts = split.parts
        if parts is None:
            parts = self.class_weights(left), self.class_weights(right)
        node.left = _Node(left, parts[0], depth, next_seed + 1)
        node.right = _Node(right, parts[1], depth, next_seed + 2)
        return () if split.is_last else (node.left, node.right)

    def split_all_below(self, node):
        """Split a node and everything below it."""
        stack = [node]
        while stack:
            stack.extend(self.split(stack.pop()))


def grow(
    y,
    find_split,
    *,
    n_classes,
    n_features,
    sample_weight=None,
    max_leaf_weight=0.0,
    max_depth=None,
    seed=0,
    n_jobs=None,
    kept=None,
):
    """Grow an oblique tree on the rows 0 … len(y) - 1.

    Parameters
    ----------
    y : ndarray of int, shape (n_rows,)
        Class codes 0 … n_classes - 1.
    find_split : callable
        ``find_split(rows, seed)`` returns a `Split` of the given row numbers with both
        sides non-empty, or None if the node should be a leaf. It is called from several
        threads at once.
    n_classes, n_features : int
    sample_weight : ndarray of shape (n_rows,), optional
    max_leaf_weight : float
        Nodes whose rows weigh no more (that are no more, without weights) are leaves;
        so are nodes of one class (up to a millionth of their weight).
    max_depth : int, optional
        Largest number of tests on a path.
    seed : int
    n_jobs : int, optional
    kept : object with methods get and put, optional
        Finished subtrees: ``kept.get(name)`` returns one that an earlier run has handed
        to ``kept.put(name, tree)``, or None.

    Returns
    -------
    Tree
    """
    limit = np.inf if max_depth is None else max_depth
    rules = _Rules(y, sample_weight, n_classes, find_split, max_leaf_weight, limit)
    rows = np.arange(len(y))
    root = _Node(rows, rules.class_weights(rows), 0, seed)
    n_workers = effective_n_jobs(n_jobs)
    if n_workers == 1 and kept is None:
        rules.split_all_below(root)
    else:
        _grow_in_threads(rules, root, n_workers, _Subtrees(rules, n_features, kept))
    return _flatten(root, n_classes, n_features)


class _Subtrees(NamedTuple):
    """Grows whole subtrees, or takes them from an earlier run."""

    rules: _Rules
    n_features: int
    kept: object | None

    def grow_below(self, node):
        """Split a node and everything below it; its seed follows from its path."""
        if self.kept is None:
            self.rules.split_all_below(node)
            return
        known = self.kept.get(f"below {node.seed}")
        if known is not None and known.n_rows[0] == node.n_rows:
            _unflatten(known, node)
            return
        self.rules.split_all_below(node)
        tree = _flatten(node, self.rules.n_classes, self.n_features)
        self.kept.put(f"below {node.seed}", tree)


def _grow_in_threads(rules, root, n_workers, subtrees):
    """Split large nodes side by side, then grow small subtrees side by side."""
    size = root.n_rows / (_SUBTREES_PER_JOB * n_workers)
    large, small = [root], []
    with Parallel(n_jobs=n_workers, require="sharedmem") as parallel:
        while large:
            families = parallel(delayed(rules.split)(node) for node in large)
            children = [child for family in families for child in family]
            large = [child for child in children if child.n_rows > size]
            small += [child for child in children if child.n_rows <= size]
        # The longest first, so that no thread is left with a large one at the end.
        small.sort(key=lambda node: -node.n_rows)
        parallel(delayed(subtrees.grow_below)(node) for node in small)


def _unflatten(tree, top):
    """Hang the nodes of a flat tree below `top`, which takes the place of its root."""
    top.rows, waiting = None, {0: top}
    for k in np.flatnonzero(~tree.is_leaf):  # parents come first
        node = waiting.pop(k)
        weights = tree.weights[tree.feature[k]]
        node.split = Split(weights, float(tree.threshold[k]), None)
        for side in ("left", "right"):
            child = getattr(tree, side)[k]
            below = _Node((), tree.value[child], node.depth + 1, 0)
            below.n_rows = tree.n_rows[child]
            setattr(node, side, below)
            waiting[child] = below


def _flatten(root, n_classes, n_features):
    """Number the nodes depth first, left before right, and copy them to arrays."""
    nodes, stack, number = [], [root], {}
    while stack:
        node = stack.pop()
        number[id(node)] = len(nodes)
        nodes.append(node)
        if node.split is not None:
            stack += [node.right, node.left]
    inner = [node for node in nodes if node.split is not None]
    is_leaf = np.array([node.split is None for node in nodes])
    columns = {
        name: np.full(len(nodes), LEAF, np.int32)
        for name in ("feature", "left", "right")
    }
    columns["feature"][~is_leaf] = np.arange(len(inner))
    columns["left"][~is_leaf] = [number[id(node.left)] for node in inner]
    columns["right"][~is_leaf] = [number[id(node.right)] for node in inner]
    threshold = np.zeros(len(nodes))
    threshold[~is_leaf] = [node.split.threshold for node in inner]
    weights = np.empty((len(inner), n_features))
    for plane, node in zip(weights, inner, strict=True):
        plane[:] = node.split.weights
    value = np.array([node.value for node in nodes], dtype=np.float64)
    return Tree(
        threshold=threshold,
        n_rows=np.array([node.n_rows for node in nodes]),
        value=value.reshape(len(nodes), n_classes),
        weights=weights,
        **columns,
    )
