"""What a search that holds its winner lets users ask of it."""

from collections.abc import Callable, Sequence
from typing import Any

from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treesvm.inputs.array_types import Array, MatrixLike
from treesvm.inputs.training_rows import checked_rows
from treesvm.trees.tree import Tree

_INPUTS = ("classes_", "n_features_in_", "feature_names_in_")


def copy_fitted_inputs(source, target):
    """Tell an estimator what another has learned of its rows and labels."""
    for name in _INPUTS:
        if hasattr(source, name):
            setattr(target, name, getattr(source, name))


def _winner_has(method):
    """Whether the winner has a method, or will have it."""

    def has(self):
        getattr(getattr(self, "best_estimator_", None) or self.winner(), method)
        return True

    return has


class HoldsBest:
    """Answers of a search: those of ``best_estimator_``."""

    def __sklearn_is_fitted__(self):
        return hasattr(self, "best_estimator_")

    def _best(self):
        check_is_fitted(self)
        return self.best_estimator_

    def _checked(self, X):
        """Check rows here, so that errors name this class."""
        check_is_fitted(self)
        return checked_rows(self, X, reset=False)

    def predict(self, X: MatrixLike) -> Array:
        """Return the class, or the number, of every row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self._best().predict(self._checked(X))

    @available_if(_winner_has("decision_function"))
    def decision_function(self, X: MatrixLike) -> Array:
        """Return the decision values of ``best_estimator_``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            One column for each class in `classes_`; of two classes one number, which
            is positive for the second.
        """
        return self._best().decision_function(self._checked(X))

    @available_if(_winner_has("predict_proba"))
    def predict_proba(self, X: MatrixLike) -> Array:
        """Return class probabilities; the largest is the class that `predict` says.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        return self._best().predict_proba(self._checked(X))

    def apply(self, X: MatrixLike) -> Array:
        """Return the leaf of every row in ``best_estimator_``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_estimators)
        """
        return self._best().apply(self._checked(X))

    @available_if(_winner_has("predictor"))
    def predictor(self) -> Callable[..., Any]:
        """Return a compiled object that answers without checking its input.

        Returns
        -------
        callable
        """
        return self._best().predictor()

    @property
    def trees_(self) -> list[Tree]:
        """Trees of the winner."""
        return self._best().trees_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class HoldsBestTree(HoldsBest):
    """The same, of a search over oblique trees."""

    def decision_path(self, X: MatrixLike) -> Any:
        """Return the nodes that each row meets, its leaves included."""
        return self._best().decision_path(self._checked(X))

    def hyperplanes_met(self, X: MatrixLike) -> Array:
        """Return how many hyperplanes each row is compared with, over all trees.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self._best().hyperplanes_met(self._checked(X))

    def get_depth(self) -> int:
        """Return the number of hyperplanes on the longest path of any tree."""
        return self._best().get_depth()

    def get_n_leaves(self) -> int:
        """Return the number of leaves, over all trees."""
        return self._best().get_n_leaves()

    def export_text(
        self,
        *,
        feature_names: Sequence[str] | None = None,
        max_terms: int = 5,
        decimals: int = 3,
    ) -> str:
        """Return the rules of the trees as text; see `treesvm.trees.text`."""
        if feature_names is None:
            feature_names = getattr(self, "feature_names_in_", None)
        return self._best().export_text(
            feature_names=feature_names, max_terms=max_terms, decimals=decimals
        )


class HoldsBestDecomposition(HoldsBest):
    """The same, of a search over decompositions."""

    def leaf_report(self) -> dict[str, Array]:
        """Return one record for each part; see `DTSVMClassifier.leaf_report`.

        Returns
        -------
        dict of str to ndarray
        """
        return self._best().leaf_report()

    @property
    def decompositions_(self) -> list[Any]:
        """Members of the winner."""
        return self._best().decompositions_

    @property
    def n_leaves_(self) -> int:
        """Parts of the winner."""
        return self._best().n_leaves_

    @property
    def n_support_vectors_(self) -> int:
        """Distinct support vectors of the winner."""
        return self._best().n_support_vectors_

    @property
    def n_iter_(self) -> Any:
        """Most steps that a machine of the winner took."""
        return self._best().n_iter_
