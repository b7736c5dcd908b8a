"""The post-pruned tree whose leaves the selectors compare.

A CART tree is grown out and cut back by cost-complexity pruning. The price of a leaf is
chosen on rows that did not grow the tree: by a held-out share of them, or, on few rows,
by cross-validation as Breiman et al. (1984, section 11.5) do it.
"""

from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from treesvm.inputs.estimator import is_fitted
from treesvm.inputs.parameter_rules import Rule, is_count, is_number
from treesvm.inputs.training_rows import LARGEST_SPLIT, check_magnitude
from treesvm.trees.axis import copied_tree, grow_axis_tree
from treesvm.trees.grafting import count_rows
from treesvm.trees.pruning import errors_along, prune_by_rows, pruning_path
from treesvm.trees.tree import Tree

_FEW_ROWS = 10_000  # up to here "auto" can afford one tree for each fold
_FOLDS = 5
_HELD_OUT = 0.2


class Partition(NamedTuple):
    """A tree and where the rows lie in it; leaves are numbered as in its `leaves()`."""

    tree: Tree
    leaf: np.ndarray  # (n_rows,)
    majority: np.ndarray  # (n_leaves,) class code

    @property
    def n_rows(self):
        """Rows of each leaf."""
        return self.tree.n_rows[self.tree.leaves()]


def _is_pruning(value):
    if value is None or isinstance(value, str):
        return value in (None, "auto")
    if isinstance(value, float):
        return is_number(value, above=0.0, most=0.9)
    return is_count(value, 2)


# What the parameters of `partition_rows` may be.
PARTITION_RULES: dict[str, Rule] = {
    "tree": (
        lambda value: value is None or hasattr(value, "fit"),
        "use None or a DecisionTreeClassifier of scikit-learn",
    ),
    "pruning": (
        _is_pruning,
        "use 'auto', a share of the rows up to 0.9, a number of folds, or None",
    ),
}


def partition_rows(X, codes, *, tree=None, pruning="auto", rng=None):
    """Grow and prune a tree, or take the one given, and send the rows down.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    codes : ndarray of int, shape (n_rows,)
    tree : DecisionTreeClassifier, optional
        Grown as it says and not pruned further; if it is fitted already, used as it is.
    pruning : {"auto"}, float, int or None
        A held-out share, a number of folds, or no pruning. "auto" is 5 folds up to
        10,000 rows and a fifth of the rows beyond.
    rng : RandomState
    """
    n_classes = int(codes.max()) + 1
    if tree is not None:
        grown = _given_tree(tree, X, codes, rng)
    else:
        grown = _grow_pruned(X, codes, n_classes, pruning, rng)
    leaf_ids = grown.apply(X)
    grown = count_rows(grown, leaf_ids, codes, n_classes=n_classes)
    majority = grown.value[grown.leaves()].argmax(axis=1)
    return Partition(grown, grown.leaf_numbers[leaf_ids], majority)


def _given_tree(tree, X, codes, rng):
    """Copy a scikit-learn tree, fitted or not."""
    if not is_fitted(tree):
        tree = clone(tree)
        if getattr(tree, "random_state", 0) is None:
            tree.set_params(random_state=rng.randint(np.iinfo(np.int32).max))
        check_magnitude(X, LARGEST_SPLIT)
        tree.fit(X, codes)
    if tree.n_features_in_ != X.shape[1]:
        raise ValueError(
            f"tree was fitted on {tree.n_features_in_} features, X has {X.shape[1]}; "
            "give an unfitted tree, or one of the same rows."
        )
    return copied_tree(tree.tree_)


def _grow_pruned(X, codes, n_classes, pruning, rng):
    """Grow out and prune as `pruning` says."""
    n = len(codes)
    if pruning == "auto":
        pruning = _FOLDS if n <= _FEW_ROWS else _HELD_OUT
    if pruning is None or n < 2 * _FOLDS:
        return _grow(X, codes, n_classes, rng)
    if isinstance(pruning, float):
        order = rng.permutation(n)
        held_out = np.sort(order[: max(1, round(pruning * n))])
        rest = np.sort(order[len(held_out) :])
        tree = _grow(X[rest], codes[rest], n_classes, rng)
        return prune_by_rows(tree, X[held_out], codes[held_out])
    return _prune_by_folds(X, codes, n_classes, min(pruning, n), rng)


def _prune_by_folds(X, codes, n_classes, n_folds, rng):
    """Choose the price of a leaf by cross-validation; cut the tree of all rows."""
    tree = _grow(X, codes, n_classes, rng)
    path = pruning_path(tree)
    alphas = np.unique(path.alphas)
    # Between two prices the pruned tree is the same; their geometric mean stands for
    # the range (Breiman et al., section 3.4.2). The last one cuts everything.
    prices = np.append(0.0, np.append(np.sqrt(alphas[1:] * alphas[:-1]), np.inf))
    prices = prices[-len(alphas) - 1 :] if len(alphas) else prices[:1]
    errors = np.zeros(len(prices))
    folds = KFold(n_folds, shuffle=True, random_state=rng)
    for train, test in folds.split(codes):
        grown = _grow(X[train], codes[train], n_classes, rng)
        own = pruning_path(grown)
        along = errors_along(grown, own, grown.apply(X[test]), codes[test])
        errors += along[np.searchsorted(own.alphas, prices, side="right")]
    best = np.flatnonzero(errors == errors.min())[-1]  # the smallest tree among equals
    return tree.cut(path.cuts_up_to(prices[best]))


def _grow(X, codes, n_classes, rng):
    """Grow a tree until its leaves are pure."""
    return grow_axis_tree(
        X,
        codes,
        max_leaf_size=2,
        n_classes=n_classes,
        criterion="gini",
        random_state=rng,
    )
