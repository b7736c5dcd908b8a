"""What the estimators on Dask share: a model to fit, and lazy answers."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treesvm.decomposition.checkpointing import open_checkpoint
from treesvm.distributed.clusters import cluster_size, find_client
from treesvm.distributed.collections import is_collection
from treesvm.distributed.prediction import lazy_answers
from treesvm.distributed.row_blocks import RowBlocks, read_rows
from treesvm.inputs.array_types import Array
from treesvm.inputs.estimator import Estimator


class ClusterRows(NamedTuple):
    """Training rows, and the cluster that holds them."""

    client: Any
    n_threads: int
    rows: RowBlocks

    def open_checkpoint(self, model, **marks):
        """Return the store that ``model.checkpoint`` names; marks tell fits apart."""
        return open_checkpoint(
            model,
            lambda: self.rows.identity(self.client) | marks,
            n_classes=len(self.rows.classes),
            n_features=self.rows.layout.n_features,
        )


def _has(method):
    """Whether the ordinary model has a method."""
    return lambda self: hasattr(getattr(self, "model_", self._template()), method)


class DaskClassifier(ClassifierMixin, Estimator):
    """A classifier that is fitted on a Dask cluster; see its subclasses."""

    def _template(self):
        """Return the estimator that says how to fit, unfitted."""
        given = self.estimator
        if given is None:
            return self._default()
        if not isinstance(given, self._default):
            raise ValueError(
                f"estimator is a {type(given).__name__}; give a "
                f"{self._default.__name__} with the parameters you want."
            )
        return clone(given)

    def _check_model(self, model):
        """Refuse a model that cannot be fitted on a cluster."""

    def _started(self, X, y, sample_weight):
        """Return the model to fit, checked, and the `ClusterRows` to fit it to."""
        client = find_client(self.client)
        size, model = cluster_size(client), self._template()
        model.check_parameters()
        self._check_model(model)
        rows = read_rows(client, model, X, y, sample_weight, size.total_memory)
        return model, ClusterRows(client, size.n_threads, rows)

    def predict(self, X: Any) -> Any:
        """Return the class of every row: lazily for a Dask collection.

        Parameters
        ----------
        X : Dask array or DataFrame, or anything that the ordinary model takes

        Returns
        -------
        dask.array.Array with the blocks of X that are not empty, or ndarray
        """
        return self._answers(X, "predict")

    def decision_function(self, X: Any) -> Any:
        """Return decision values as the ordinary model does; lazily, see `predict`.

        Parameters
        ----------
        X : Dask array or DataFrame, or anything that the ordinary model takes
            Rows to answer.

        Returns
        -------
        Dask or NumPy array of shape (n_rows,) or (n_rows, n_classes)
        """
        return self._answers(X, "decision_function")

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Return class probabilities; lazily, see `predict`.

        Parameters
        ----------
        X : Dask array or DataFrame, or anything that the ordinary model takes
            Rows to answer.

        Returns
        -------
        Dask or NumPy array of shape (n_rows, n_classes)
        """
        return self._answers(X, "predict_proba")

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, computed on the cluster if X is a Dask collection."""
        if not is_collection(X):
            return self.model_.score(X, y, sample_weight)
        if sample_weight is not None:
            raise ValueError(
                "score weighs all rows of a Dask collection alike; leave out "
                "sample_weight, or compute the answers of predict and weigh them."
            )
        right = self.predict(X) == _as_array(y)
        return float(right.mean().compute())

    def _answers(self, X, method):
        check_is_fitted(self, "model_")
        if not is_collection(X):
            return getattr(self.model_, method)(X)
        return lazy_answers(self.model_, X, method, client=self.client)

    @property
    def classes_(self) -> Array:
        """Labels that the model knows."""
        check_is_fitted(self, "model_")
        return self.model_.classes_

    @property
    def n_features_in_(self) -> int:
        """Width of the rows that the model was trained on."""
        check_is_fitted(self, "model_")
        return self.model_.n_features_in_


def _as_array(y):
    """Labels of a Series, array or list as something that compares row by row."""
    if hasattr(y, "to_dask_array"):
        return y.to_dask_array()
    return y if hasattr(y, "dask") else np.asarray(y)
