"""What estimators of kernel machines tell about features."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.explanations import explanations, gradients, importances
from treesvm.inputs.array_types import MatrixLike
from treesvm.inputs.estimator import Estimator


class ExplainsFeatures(Estimator):
    """Importances, slopes and Shapley values, from an estimator's `decompositions_`."""

    decompositions_: list[Decomposition]
    n_features_in_: int

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
