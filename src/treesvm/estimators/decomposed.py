"""What `DTSVMClassifier` and `DTSVRegressor` share: parts, and what these tell."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treesvm.decomposition.decomposition import Decomposition, trees_of
from treesvm.decomposition.explanations import explanations, gradients, importances
from treesvm.decomposition.theta import OPEN, Theta
from treesvm.decomposition.training import Recipe
from treesvm.inputs.array_types import Array, MatrixLike
from treesvm.inputs.estimator import Estimator
from treesvm.inputs.parameter_rules import RULES, Rule, either, number
from treesvm.inputs.training_rows import takes_gram
from treesvm.partitions.choice import find_partition
from treesvm.trees.tree import Tree

OPEN_RULES: dict[str, Rule] = {
    name: either(OPEN, number(f'use a positive number or "{OPEN}"', above=0.0))
    for name in ("C", "gamma_scale")
} | {"epsilon": either(OPEN, RULES["epsilon"])}


class DecomposedEstimator(Estimator):
    """Cuts the space and holds a machine in every part; tells about features."""

    partition: Any
    max_leaf_size: Any
    n_jobs: int | None
    verbose: int
    kernel: Any
    decompositions_: list[Decomposition]
    trees_: list[Tree]
    n_features_in_: int

    _of_a_gram: ClassVar[str]  # the estimator that takes a Gram matrix instead

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        super().check_parameters()
        find_partition(self.partition)
        if takes_gram(self):
            raise ValueError(
                "kernel='precomputed' cannot be cut by a tree, which needs features; "
                f"use {self._of_a_gram} for a Gram matrix."
            )

    def _recipe(self, partition, options):
        """Return how each member is made."""
        return Recipe(partition, self.max_leaf_size, options, self.n_jobs, self.verbose)

    def restore_fitted(self, members: list[Any], theta: Theta | None = None) -> Self:
        """Set the fitted attributes from trained members, wherever they come from.

        Without a theta, the parameters say it, unless it was read from a file.
        """
        if theta is not None or not hasattr(self, "C_"):
            self._note_theta(theta)
        self.decompositions_, self.trees_ = members, trees_of(members)
        parts = [part for member in members for part in member.parts]
        self.n_leaves_ = len(parts)
        self.n_support_vectors_ = sum(part.n_vectors for part in parts)
        machines = [part.machine for part in parts if part.machine is not None]
        self.n_iter_ = max([1, *(machine.most_steps for machine in machines)])
        return self

    def _note_theta(self, theta):
        """Set `C_`, `gamma_scale_`, `kernel_` and, of a regressor, `epsilon_`."""
        said = self if theta is None else theta
        self.C_, self.gamma_scale_ = float(said.C), float(said.gamma_scale)
        is_open = isinstance(self.kernel, str) and self.kernel == OPEN
        is_chosen = theta is not None and is_open
        self.kernel_ = theta.kernel.name if is_chosen else self.kernel
        if hasattr(self, "epsilon"):
            is_given = self.epsilon != OPEN
            self.epsilon_ = float(self.epsilon if is_given else said.epsilon)

    def apply(self, X: MatrixLike) -> Array:
        """Return the part of every row, one column for each member if several.

        Where a tree cuts the space, its leaf: a node number.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_estimators)
        """
        X = self._checked(X)
        found = [member.places(X, self.n_jobs) for member in self.decompositions_]
        return found[0] if len(found) == 1 else np.stack(found, axis=1)

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much the values change along each feature; sums to one.

        In each part the change over the part's range of the feature, averaged over the
        rows of all parts, so that the units of features do not matter.
        """
        check_is_fitted(self)
        return importances(self.decompositions_, self.n_features_in_)

    def gradient(self, X: MatrixLike) -> np.ndarray:
        """Return the slope of the decision values by each feature.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to explain.

        Returns
        -------
        ndarray of shape (n_rows, n_features), or (n_rows, n_features, n_classes)
            Zero in a part with one class, and for features that a part does not see.
            With more than two classes, the values of a class are those of its binary
            machines, summed; several members are averaged.
        """
        X = self._checked(X)
        return gradients(self.decompositions_, X)

    def explain(self, X: MatrixLike) -> np.ndarray:
        """Return what each feature adds to the decision values: exact Shapley values.

        The kernel is a product over features; one whose value is not known has the
        factor one. The values of a row sum to the value of the machine that answers it,
        minus the value of a row of which nothing is known; what `decision_function`
        adds for the part belongs to no feature.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to explain.

        Returns
        -------
        ndarray of the shapes of `gradient`

        References
        ----------
        M. Mohammadi, S. L. Chau, K. Muandet, "Computing exact Shapley values in
        polynomial time for product-kernel methods", arXiv 2505.16516 (2025).
        """
        X = self._checked(X)
        return explanations(self.decompositions_, X)
