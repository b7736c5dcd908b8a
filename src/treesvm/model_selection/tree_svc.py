"""TreeSVC: the front door for classification."""

from typing import Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight

from treesvm.estimators.dtsvm import DTSVMClassifier
from treesvm.inputs.array_types import Array, ArrayLike, ClassWeight, MatrixLike, Seed
from treesvm.inputs.rows import Rows
from treesvm.inputs.training_rows import (
    check_class_masses,
    checked_target,
    class_codes,
    row_weights,
)
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.model_selection.table_estimator import TableEstimator


class TreeSVC(ClassifierMixin, TableEstimator):
    """Classification of tables: finds its machine by itself, within a time limit.

    Takes data frames with numbers, categories and missing values. Kernels, feature
    weights, scalings, C, widths and leaf sizes are tried on held-out training rows; the
    best, and up to three others that add something to it on those rows, are trained on
    all rows and answer together. Where rows are many, each of them has a tree of its
    own. Probabilities are calibrated on the rows that the search held out.

    Parameters
    ----------
    time_limit : float or None, default=60
        Seconds that the search and the training may take, about. A search that is done
        stops earlier.
    class_weight : dict or "balanced", optional
        Weights of the classes; "balanced" gives each the same sum.
    n_jobs : int, optional
        Threads. Without the limit being hit the model does not depend on it.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.
    verbose : int, default=0
        Above 0, progress goes to standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    members_ : list of DTSVMClassifier
        Trained on encoded rows and class codes, the one that counts most first.
    best_estimator_ : DTSVMClassifier
        The first of them.
    committee_ : WeightedCommittee
        How their values become probabilities.
    best_theta_ : dict
        What the search chose for the first of them.
    best_loss_ : float
        Share of wrong answers of the best single machine on held-out rows.
    search_results_ : dict of ndarray
        What was tried, as a table that pandas takes.
    stopped_early_ : bool
        Whether the time limit ended the search or left out rows.
    encoder_ : ColumnEncoder
        How columns became features.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of str, if X had names
        Names of the columns.

    Notes
    -----
    When not to use it: for raw images, sound or long texts use a network made for them;
    where every microsecond counts, `HLSVMClassifier` answers faster.

    Numbers are taken as they are, since every part of the space scales its own; a
    column with missing values gets an indicator and the median. Categories, texts and
    booleans become indicators, or, if there are many, means of the target, for training
    rows from other folds. What training did not see is answered, not refused.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treesvm import TreeSVC
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = TreeSVC(time_limit=5, random_state=0).fit(X[:400], y[:400])
    >>> bool(model.score(X[400:], y[400:]) > 0.93)
    True
    >>> model.predict_proba(X[:2]).shape
    (2, 2)
    """

    def __init__(
        self,
        time_limit: float | None = 60,
        *,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Search, train and calibrate.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        self
        """
        deadline, seed = self._start()
        rows = self._training_rows(X, y, sample_weight, seed)
        found = self._searched(rows, seed, deadline)

        def fit(member, some):
            model = self._machine(member)
            return model.fit(some.X, some.target, some.weight)

        weights = found.joint.weights
        plan = self._trained(rows, found, weights, fit, deadline, seed)
        weights = np.array([member.weight for member in plan])
        self.committee_ = found.joint._replace(
            weights=weights / weights.sum(),
            slopes=found.joint.slopes[[member.place for member in plan]],
        )
        return self

    def _training_rows(self, X, y, sample_weight, seed):
        """Check and encode training data; set `classes_`."""
        y = checked_target(self, y)
        table = self._training_table(X, len(y))
        self.classes_, codes = class_codes(y)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only, {self.classes_.tolist()[0]!r}; a classifier "
                "needs rows of at least two classes. Check the labels, or use a "
                "one-class method."
            )
        encoded = self._encoded_training(table, codes, len(self.classes_), seed)
        weight = row_weights(encoded, sample_weight)
        weight = weight * compute_sample_weight(self.class_weight, y)
        mass = np.bincount(codes, weights=weight, minlength=len(self.classes_))
        check_class_masses(self.classes_, mass)
        return Rows(encoded, codes, weight, len(self.classes_)).with_weight()

    def _machine(self, member):
        """Return a member, unfitted."""
        theta = member.theta
        return DTSVMClassifier(
            theta.C,
            theta.gamma,
            max(member.max_leaf_size, 2),
            gamma_scale=theta.gamma_scale,
            kernel=theta.kernel.name,
            leaf_scaling=theta.leaf_scaling,
            feature_weights=theta.feature_weights,
            multi_class=theta.multi_class,
            loss=theta.loss,
            partition=member.partition,
            probability=False,
            n_jobs=self.n_jobs,
            random_state=member.seed,
        )

    def _member_weights(self):
        return self.committee_.weights

    def _factors(self):
        """Of the members' values in the log odds; of more classes, their weights."""
        made = self.committee_
        two = len(self.classes_) == 2
        return 2.0 * made.weights * made.slopes if two else made.weights

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Return logarithms of the class probabilities.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        rows = self._encoded(X)
        members = self._decompositions()
        return self.committee_.log_probabilities(members, rows, self.n_jobs)

    def predict_proba(self, X: MatrixLike) -> Array:
        """Return class probabilities.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        return np.exp(self.predict_log_proba(X))

    def decision_function(self, X: MatrixLike) -> Array:
        """Return log odds for two classes, else a log probability for each class.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            One column for each class in `classes_`; of two classes one number, which
            is positive for the second.
        """
        log_p = self.predict_log_proba(X)
        return log_p[:, 1] - log_p[:, 0] if len(self.classes_) == 2 else log_p

    def predict(self, X: MatrixLike) -> Array:
        """Return the most probable class of every row.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        most_probable = self.predict_log_proba(X).argmax(axis=1)
        return self.classes_[most_probable]
