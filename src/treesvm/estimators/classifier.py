"""How classifiers answer: labels from a score for each class, and probabilities."""

from abc import abstractmethod
from typing import Any

from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from treesvm.decomposition.calibration import has_probability
from treesvm.inputs.array_types import Array, MatrixLike
from treesvm.inputs.estimator import Estimator


class Classifier(ClassifierMixin, Estimator):
    """Answers with the class of the largest score."""

    classes_: Array

    def predict(self, X: MatrixLike) -> Array:
        """Return the class of every row; the first in `classes_` among equals.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        codes = self._codes(self._checked(X))
        return self.classes_[codes]

    def _codes(self, X):
        """Return the class code of every checked row."""
        return self._scores(X).argmax(axis=1)

    @abstractmethod
    def _scores(self, X: Any) -> Array:
        """Return one score for each class of every checked row."""

    def _second_or_all(self, X):
        """Return the scores of rows as given; of two classes those of the second."""
        scores = self._scores(self._checked(X))
        return scores[:, 1] if len(self.classes_) == 2 else scores


class CalibratedClassifier(Classifier):
    """A classifier that has probabilities if its `probability` says so."""

    @available_if(has_probability)
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
        return self._probabilities(self._checked(X))

    @abstractmethod
    def _probabilities(self, X: Any) -> Array:
        """Return the probabilities of the classes of every checked row."""
