"""DTSVM for regression with its machine and leaf size chosen on held-out rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin

from treesvm.decomposition.checkpointing import NOTHING_KEPT
from treesvm.decomposition.seeds import single_seed
from treesvm.estimators.dtsvr import DTSVRegressor
from treesvm.inputs.array_types import Array, ArrayLike, MatrixLike, Seed
from treesvm.inputs.training_rows import number_rows
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.model_selection.deadline import Deadline
from treesvm.model_selection.decomposition_cv import SearchesDecompositions
from treesvm.model_selection.search_scores import number_judgement


class DTSVRegressorCV(SearchesDecompositions, RegressorMixin, BaseEstimator):
    """DTSVM for regression that searches its machine and its leaf size.

    The search is that of `DTSVMClassifierCV`, by R² on held-out rows. The target is
    scaled inside, so that its units do not matter; leaves that hold all rows, where one
    machine answers as `KernelSVR` does, are among the sizes that are tried.

    Parameters
    ----------
    Cs, gammas : sequence of float, optional
        A grid of candidates, C in units of the scaled target; see `candidates`.
    max_leaf_size : int, default=1500
        The smallest leaf size.
    epsilon : float, default=0.05
        Errors up to this size cost nothing, in standard deviations of `y`.
    scoring : str or callable, optional
        scikit-learn scorer of predicted numbers; R² by default.
    kernel : str, default="laplacian"
    search, top_k, growth, min_gain, cv, candidates, time_limit, refit
        As in `DTSVMClassifierCV`.
    leaf_scaling, feature_weights, partition, tol, cache_size, n_jobs, random_state, \
verbose
        As in `DTSVRegressor`.

    Attributes
    ----------
    best_estimator_ : DTSVRegressor
        The winner, trained on the scaled target.
    target_mean_, target_scale_ : float
        What the target is centred on and divided by.
    C_, gamma_, max_leaf_size_, best_theta_, best_score_, stopped_early_, \
search_results_, n_leaf_fits_, seconds_per_ceiling_
        As in `DTSVMClassifierCV`.
    decompositions_, trees_, n_leaves_, n_support_vectors_, n_features_in_
        As in `DTSVRegressor`.

    Notes
    -----
    When not to use it: `TreeSVR` takes data frames with categories and missing values
    and needs no parameter; if C and gamma are known, `DTSVRegressor` is many times
    faster.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from treesvm import DTSVRegressorCV
    >>> X, y = make_friedman1(600, random_state=0)
    >>> model = DTSVRegressorCV([1.0, 10.0], [0.1, 1.0], random_state=0)
    >>> bool(model.fit(X[:400], y[:400]).score(X[400:], y[400:]) > 0.85)
    True
    """

    _winner_class = DTSVRegressor

    def __init__(
        self,
        Cs: ArrayLike | None = None,
        gammas: ArrayLike | None = None,
        max_leaf_size: int = 1500,
        *,
        epsilon: float = 0.05,
        search: str = "raced",
        top_k: int = 5,
        growth: int = 4,
        min_gain: float = 0.001,
        cv: Any = "auto",
        candidates: str | Sequence[Mapping[str, Any]] = "auto",
        time_limit: float | None = None,
        scoring: str | Callable[..., Any] | None = None,
        refit: bool = True,
        kernel: str = "laplacian",
        leaf_scaling: str | None = "minmax",
        feature_weights: str | ArrayLike | None = None,
        partition: Any = "axis",
        tol: float = 1e-3,
        cache_size: int = 1000,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.max_leaf_size = max_leaf_size
        self.epsilon = epsilon
        self.search = search
        self.top_k = top_k
        self.growth = growth
        self.min_gain = min_gain
        self.cv = cv
        self.candidates = candidates
        self.time_limit = time_limit
        self.scoring = scoring
        self.refit = refit
        self.kernel = kernel
        self.leaf_scaling = leaf_scaling
        self.feature_weights = feature_weights
        self.partition = partition
        self.tol = tol
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Search and train; see `DTSVRegressor.fit`."""
        self.check_parameters()
        deadline, seed = Deadline(self.time_limit), single_seed(self.random_state)
        every = number_rows(self, X, y, sample_weight)
        kept = np.flatnonzero(every.weight > 0)
        rows = every.take(kept)
        self.target_mean_ = float(np.average(rows.target, weights=rows.weight))
        centred = rows.target - self.target_mean_
        spread = float(np.sqrt(np.average(centred**2, weights=rows.weight)))
        self.target_scale_ = spread if spread > 0 else 1.0
        rows = rows._replace(target=centred / self.target_scale_)
        # A splitter knows rows by their number, also those without weight.
        folds = self._folds(rows, every.target, kept, seed, NOTHING_KEPT)
        search = self.start_search(
            rows, folds, seed, deadline=deadline, is_sparse=sparse.issparse(rows.X)
        )
        outcome = self.run_search(search)
        model = self.winner(outcome, search.n_train, len(rows.target))
        members = self._members(model, rows, search, outcome, seed, NOTHING_KEPT)
        self.best_estimator_ = model.restore_fitted(members)
        return self

    def _judgement(self, rows, weight):
        return number_judgement(
            self.scoring, rows.target, weight, self.target_mean_, self.target_scale_
        )

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        super().check_parameters()
        self.winner().check_parameters()

    def predict(self, X: MatrixLike) -> Array:
        """Return the predicted target of every row."""
        found = super().predict(X)
        return self.target_mean_ + self.target_scale_ * found
