"""TreeSVR: the front door for regression."""

from typing import Self

import numpy as np
from sklearn.base import RegressorMixin

from treesvm.estimators.dtsvr import DTSVRegressor
from treesvm.inputs.array_types import Array, ArrayLike, MatrixLike, Seed
from treesvm.inputs.rows import Rows
from treesvm.inputs.training_rows import checked_target, row_weights
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.model_selection.table_estimator import EPSILON, TableEstimator


class TreeSVR(RegressorMixin, TableEstimator):
    """Regression on tables: finds its machine by itself, within a time limit.

    Takes data frames with numbers, categories and missing values. Kernels, feature
    weights, scalings, C, widths and leaf sizes are tried on held-out training rows; the
    best, and up to three others that add something to it on those rows, are trained on
    all rows and answer together. Where rows are many, each of them has a tree of its
    own. The target is scaled inside, so that its units do not matter.

    Parameters
    ----------
    time_limit : float or None, default=60
        Seconds that the search and the training may take, about. A search that is done
        stops earlier.
    n_jobs : int, optional
        Threads. Without the limit being hit the model does not depend on it.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.
    verbose : int, default=0
        Above 0, progress goes to standard error.

    Attributes
    ----------
    members_ : list of DTSVRegressor
        Trained on encoded rows and the scaled target, the one that counts most first.
    best_estimator_ : DTSVRegressor
        The first of them.
    member_weights_ : ndarray
        By which their answers are added.
    best_theta_ : dict
        What the search chose for the first of them.
    best_loss_ : float
        Mean squared error of the best single machine on held-out rows, in units of the
        target's variance.
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
    When not to use it: where a formula of few terms is expected, a linear model says
    more; extrapolation beyond the training rows is not what kernels do.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from treesvm import TreeSVR
    >>> X, y = make_friedman1(400, random_state=0)
    >>> model = TreeSVR(time_limit=5, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:], y[300:]) > 0.8)
    True
    """

    def __init__(
        self,
        time_limit: float | None = 60,
        *,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Search and train.

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
        y = checked_target(self, y, is_numeric=True)
        table = self._training_table(X, len(y))
        encoded = self._encoded_training(table, y, None, seed)
        weight = row_weights(encoded, sample_weight)
        self.target_mean_ = float(np.average(y, weights=weight))
        spread = float(
            np.sqrt(np.average((y - self.target_mean_) ** 2, weights=weight))
        )
        self.target_scale_ = spread if spread > 0 else 1.0
        target = (y - self.target_mean_) / self.target_scale_
        rows = Rows(encoded, target, weight, None).with_weight()
        found = self._searched(rows, seed, deadline)

        def fit(member, some):
            model = self._machine(member)
            return model.fit(some.X, some.target, some.weight)

        plan = self._trained(rows, found, found.joint, fit, deadline, seed)
        weights = np.array([member.weight for member in plan])
        self.member_weights_ = weights * (found.joint.sum() / weights.sum())
        return self

    def _machine(self, member):
        """Return a member, unfitted."""
        theta = member.theta
        return DTSVRegressor(
            theta.C,
            theta.gamma,
            max(member.max_leaf_size, 2),
            gamma_scale=theta.gamma_scale,
            epsilon=EPSILON,
            kernel=theta.kernel.name,
            leaf_scaling=theta.leaf_scaling,
            feature_weights=theta.feature_weights,
            loss=theta.loss,
            scale_target=False,
            partition=member.partition,
            n_jobs=self.n_jobs,
            random_state=member.seed,
        )

    def _member_weights(self):
        return self.member_weights_

    def _factors(self):
        return self.target_scale_ * self.member_weights_

    def explain(self, X: MatrixLike) -> Array:
        """Return exact Shapley values by column as given, in units of the target.

        Indicators of one column are summed. See `DTSVRegressor.explain`.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            Rows to explain.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
        """
        return super().explain(X)

    def predict(self, X: MatrixLike) -> Array:
        """Return the predicted target of every row.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        rows = self._encoded(X)
        found = sum(
            weight * member.predict(rows)
            for weight, member in zip(self.member_weights_, self.members_, strict=True)
        )
        return self.target_mean_ + self.target_scale_ * found
