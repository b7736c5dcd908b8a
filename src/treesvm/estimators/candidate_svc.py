"""A selector in front of a machine: most rows are thrown away before training."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treesvm.candidates.trsd import TRSD
from treesvm.estimators.kernel_svc import KernelSVC
from treesvm.inputs.array_types import Array, ArrayLike, MatrixLike, Seed
from treesvm.inputs.estimator import Estimator
from treesvm.inputs.training_rows import class_rows
from treesvm.inputs.whole_fit import all_or_nothing


def _machine_has(name):
    """The method exists when the machine inside has it."""

    def check(model):
        machine = getattr(model, "estimator_", None)
        if machine is None:
            machine = model._made_estimator()
        getattr(machine, name)  # its own AttributeError says why it is not there
        return True

    return available_if(check)


class CandidateSVC(MetaEstimatorMixin, ClassifierMixin, Estimator):
    """Train a classifier on the rows that a selector keeps.

    Parameters
    ----------
    selector : selector of `treesvm.candidates`, optional
        Anything with ``fit_resample`` and ``sample_indices_``; ``TRSD()`` by default.
    estimator : classifier, optional
        ``KernelSVC()`` by default; any classifier that takes the rows will do.
    random_state : int, RandomState or None
        Seeds the selector and the estimator where they have none of their own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    selector_ : the fitted selector
        The selector, fitted.
    estimator_ : the classifier, fitted on the kept rows
        The machine, trained on the kept rows.
    sample_indices_ : ndarray of shape (n_kept,)
        Rows that the machine was trained on, ascending.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of str, if X had names
        Names of the columns.

    Notes
    -----
    Both parts are cloned, so those given stay as they are. Rows of weight zero are left
    out before the selection; the other weights go to the machine.

    When not to use it: below a few thousand rows the machine of all rows costs little
    and is better. With many rows compare `DTSVMClassifier`, which uses all of them.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import CandidateSVC, KernelSVC
    >>> from treesvm.candidates import TRSD
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> model = CandidateSVC(TRSD(0.1), KernelSVC(C=10), random_state=0)
    >>> model = model.fit(X[:1000], y[:1000])
    >>> len(model.sample_indices_)
    100
    >>> bool(model.score(X[1000:], y[1000:]) > 0.95)
    True
    """

    def __init__(
        self, selector: Any = None, estimator: Any = None, *, random_state: Seed = None
    ) -> None:
        self.selector = selector
        self.estimator = estimator
        self.random_state = random_state

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Select rows and train the machine on them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            Not negative.

        Returns
        -------
        self
        """
        self.check_parameters()
        X, codes, weight, _ = class_rows(self, X, y, sample_weight)
        rng = check_random_state(self.random_state)
        present = np.flatnonzero(weight > 0)
        selector = _seeded(clone(self._made_selector()), rng)
        selector.fit_resample(X[present], codes[present])
        kept = present[selector.sample_indices_]
        machine = _seeded(clone(self._made_estimator()), rng)
        fit_options = {}
        if sample_weight is not None:
            fit_options["sample_weight"] = weight[kept]
        machine.fit(X[kept], self.classes_[codes[kept]], **fit_options)
        self.estimator_, self.sample_indices_ = machine, kept
        self.restore_fitted(selector)
        return self

    def restore_fitted(self, selector: Any = None) -> Self:
        """Set the attributes that follow from the machine and the parameters."""
        self.selector_ = self._made_selector() if selector is None else selector
        for name in ("n_iter_", "gap_", "converged_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def predict(self, X: MatrixLike) -> Array:
        """Return the class of every row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        X = self._checked(X)  # before it is asked for what an unfitted one lacks
        return self.estimator_.predict(X)

    @_machine_has("decision_function")
    def decision_function(self, X: MatrixLike) -> Array:
        """Return the machine's decision values.

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
        X = self._checked(X)
        return self.estimator_.decision_function(X)

    @_machine_has("predict_proba")
    def predict_proba(self, X: MatrixLike) -> Array:
        """Return the machine's class probabilities.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        X = self._checked(X)
        return self.estimator_.predict_proba(X)

    @_machine_has("predictor")
    def predictor(self) -> Callable[..., Any]:
        """Return the machine's compiled predictor, see `KernelSVC.predictor`.

        Returns
        -------
        callable
        """
        check_is_fitted(self)
        return self.estimator_.predictor()

    def _made_selector(self):
        return TRSD() if self.selector is None else self.selector

    def _made_estimator(self):
        return KernelSVC() if self.estimator is None else self.estimator

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        super().check_parameters()
        if not hasattr(self._made_selector(), "fit_resample"):
            raise ValueError(
                f"selector={self.selector!r} has no fit_resample; use a selector of "
                "treesvm.candidates, such as TRSD(0.1)."
            )
        if not hasattr(self._made_estimator(), "fit"):
            raise ValueError(
                f"estimator={self.estimator!r} cannot be fitted; use a classifier, "
                "such as KernelSVC()."
            )


def _seeded(part, rng):
    """Give a part a seed if it takes one and has none."""
    parameters = part.get_params(deep=False)
    if "random_state" in parameters and parameters["random_state"] is None:
        part.set_params(random_state=rng.randint(np.iinfo(np.int32).max))
    return part
