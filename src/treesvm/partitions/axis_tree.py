"""The partition of DTSVM: an axis-parallel tree with a ceiling on its leaves."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from treesvm.inputs.estimator import Estimator
from treesvm.partitions.tree_parts import TreeParts
from treesvm.trees.axis import (
    classification_grower,
    grow_axis_regression_tree,
    grow_axis_tree,
)

# Features tried in each node of a randomised tree: few enough that the trees differ,
# enough that each stays a good one.
_MEMBER_FEATURES = 0.5


class AxisTree(Estimator):
    """Cut the space along single features, by a decision tree.

    A node with at least `max_leaf_size` rows (a parameter of the estimator that the
    partition serves) is split where the impurity falls most.

    Parameters
    ----------
    criterion : {"entropy", "gini", "log_loss"}, default="entropy"
        For classes; numbers are split by their squared error.
    max_tree_rows : int or None, default=100_000
        With more rows than this the tree is grown on a random sample of so many, and
        its leaves are split further where they hold too many rows. None grows on all
        rows.
    max_features : float or None, default=None
        Share of the features tried in each node. None tries all of them, or half of
        them in the members of a committee with ``randomize="features"``.
    splitter : {"best", "random"}, default="best"
        The best cut point of each feature, or one drawn between its smallest and its
        largest value in the node.
    randomize : {"features", "splits"}, default="features"
        How the members of a committee differ (``n_estimators`` above 1): by the half
        of the features that each node may use, or by ``splitter="random"`` over all
        features, the randomised split points of the paper. With one feature only
        "splits" makes them differ.

    Notes
    -----
    When not to use it: where classes are divided by slopes across many features,
    `ObliqueTree` needs fewer cuts.

    Dietterich (2000), whom the paper follows for its committees, draws one of the 20
    best cuts of a node; here a cut point is drawn in every feature, and the best of
    these cuts is taken.

    References
    ----------
    F. Chang, C.-Y. Guo, X.-R. Lin, C.-J. Lu, "Tree decomposition for large-scale SVM
    problems", JMLR 11 (2010), sections 1 and 2.1.

    T. G. Dietterich, "An experimental comparison of three methods for constructing
    ensembles of decision trees", Machine Learning 40 (2000) 139–157.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import DTSVMClassifier
    >>> from treesvm.partitions import AxisTree
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> model = DTSVMClassifier(max_leaf_size=300, partition=AxisTree("gini"))
    >>> bool(model.fit(X, y).score(X, y) > 0.95)
    True
    """

    is_nested = True  # parts at a larger ceiling are unions of smaller ones

    def __init__(
        self,
        criterion: str = "entropy",
        max_tree_rows: int | None = 100_000,
        max_features: float | None = None,
        *,
        splitter: str = "best",
        randomize: str = "features",
    ) -> None:
        self.criterion = criterion
        self.max_tree_rows = max_tree_rows
        self.max_features = max_features
        self.splitter = splitter
        self.randomize = randomize

    def randomized(self) -> "AxisTree":
        """Return the recipe of a committee's members."""
        if self.randomize == "splits":
            return clone(self).set_params(splitter="random")
        if self.max_features is not None:
            return self
        return clone(self).set_params(max_features=_MEMBER_FEATURES)

    def classification_grower(self) -> DecisionTreeClassifier:
        """Return what `treesvm.trees.axis.fit_branch` grows trees of classes with."""
        return classification_grower(self.criterion, self.max_features, self.splitter)

    def grow(
        self,
        X: Any,
        target: np.ndarray,
        weight: np.ndarray,
        seed: int,
        *,
        max_leaf_size: int,
        n_classes: int | None = None,
    ) -> tuple[TreeParts, np.ndarray]:
        """Grow the tree; return the partition and the part of every row.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_rows, n_features)
        target : ndarray of shape (n_rows,)
            Class codes; numbers if `n_classes` is None.
        weight : ndarray of shape (n_rows,)
            Positive.
        seed : int
        max_leaf_size : int
        n_classes : int, optional
        """
        shared = {
            "max_leaf_size": max_leaf_size,
            "sample_weight": weight if np.ptp(weight) > 0 else None,
            "max_features": self.max_features,
            "splitter": self.splitter,
            "random_state": seed,
            "max_tree_rows": self.max_tree_rows,
        }
        if n_classes is None:
            tree = grow_axis_regression_tree(X, target, **shared)
        else:
            tree = grow_axis_tree(
                X, target, n_classes=n_classes, criterion=self.criterion, **shared
            )
        partition = TreeParts(tree)
        return partition, partition.apply(X)
