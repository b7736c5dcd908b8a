"""DTSVM for regression with its machine and leaf size chosen on held-out rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import RegressorMixin

from treesvm.decomposition.checkpointing import count_restored, open_rows_checkpoint
from treesvm.decomposition.seeds import single_seed
from treesvm.estimators.dtsvr import DTSVRegressor
from treesvm.files.file_path import FilePath
from treesvm.inputs.array_types import Array, ArrayLike, MatrixLike, Seed
from treesvm.inputs.estimator import Estimator
from treesvm.inputs.training_rows import number_rows
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.model_selection.deadline import Deadline
from treesvm.model_selection.decomposition_cv import SearchesDecompositions
from treesvm.model_selection.search_scores import number_judgement


class DTSVRegressorCV(SearchesDecompositions, RegressorMixin, Estimator):
    """DTSVM for regression that searches its machine and its leaf size.

    The search is that of `DTSVMClassifierCV`, by R² on held-out rows. The target is
    scaled inside, so that its units do not matter; leaves that hold all rows, where one
    machine answers as `KernelSVR` does, are among the sizes that are tried.

    Parameters
    ----------
    Cs : sequence of float, optional
        C of a grid of candidates, in units of the scaled target; see `candidates`.
    gammas : sequence of float, optional
        γ of that grid.
    max_leaf_size : int, default=1500
        The smallest leaf size.
    epsilon : float, default=0.05
        Errors up to this size cost nothing, in standard deviations of `y`. A race
        without a grid or a list also tries a quarter and four times of it; lists of
        `candidates` may name their own.
    search : {"raced", "exhaustive"}, default="raced"
        Candidates race over the leaves, or all of them answer everywhere.
    top_k : int, default=5
        Candidates that go on to larger leaves.
    growth : int, default=4
        How many times larger the leaves of the next ceiling are.
    min_gain : float, default=0.001
        Gain in score that a larger leaf size has to bring.
    cv : "auto", float, int or splitter, default="auto"
        How rows are held out, as in `DTSVMClassifierCV`.
    candidates : {"auto", "paper"} or list of dict, default="auto"
        What is tried, as in `DTSVMClassifierCV`; dicts may also name `epsilon`.
    time_limit : float, optional
        Seconds for search and training, about, as in `DTSVMClassifierCV`.
    scoring : str or callable, optional
        scikit-learn scorer of predicted numbers; R² by default.
    refit : bool, default=True
        Whether the winner is trained on all rows.
    kernel : str, default="laplacian"
        Of candidates that do not name one.
    leaf_scaling : {"minmax", "quantile", "standard", None}, default="minmax"
        How leaves rescale features, where candidates do not say so.
    feature_weights : None, "learned", "local" or array-like, default=None
        Weights of the features, where candidates do not say so.
    partition : {"axis", "random", "whole"} or object, default="axis"
        How the space is cut.
    tol : float, default=1e-3
        Largest violation of the optimality conditions.
    cache_size : float, default=1000
        Megabytes of kernel values that may be held.
    n_jobs : int, optional
        Threads. The model does not depend on it.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.
    verbose : int, default=0
        Above 0, progress goes to standard error.
    checkpoint : str, path-like or Checkpoint, optional
        Folder that keeps what was judged and trained, so that a fit that was
        interrupted goes on where it was, as in `DTSVMClassifierCV`.

    Attributes
    ----------
    best_estimator_ : DTSVRegressor
        The winner, trained on the scaled target.
    target_mean_ : float
        What the target is centred on.
    target_scale_ : float
        What it is divided by.
    C_ : float
        The C that was chosen.
    gamma_ : float or str
        The γ that was chosen.
    max_leaf_size_ : int
        The leaf size that was chosen.
    best_theta_ : dict
        Everything that was chosen.
    best_score_ : float
        Validation score of the winner.
    stopped_early_ : bool
        Whether the time limit ended the search.
    search_results_ : dict of ndarray
        What was tried, as a table that pandas takes.
    n_leaf_fits_ : int
        Candidates × leaf fits done in all.
    seconds_per_ceiling_ : dict
        Time spent at each leaf size.
    n_restored_leaves_ : int
        With a checkpoint, leaves that came from it.
    decompositions_ : list of one Decomposition
        Of the winner.
    n_features_in_ : int
        Columns of the training rows.

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
        checkpoint: FilePath | Any = None,
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
        self.checkpoint = checkpoint

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Search and train; see `DTSVRegressor.fit`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Training rows.
        y : array-like of shape (n_rows,)
            Their targets.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of every row.

        Returns
        -------
        self
        """
        self.check_parameters()
        deadline = Deadline(self.time_limit)
        every = number_rows(self, X, y, sample_weight)
        kept = np.flatnonzero(every.weight > 0)
        rows = every.take(kept)
        self.target_mean_ = float(np.average(rows.target, weights=rows.weight))
        centred = rows.target - self.target_mean_
        spread = float(np.sqrt(np.average(centred**2, weights=rows.weight)))
        self.target_scale_ = spread if spread > 0 else 1.0
        rows = rows._replace(target=centred / self.target_scale_)
        with open_rows_checkpoint(self, every) as store:
            (seed,) = store.seeds([single_seed(self.random_state)], self.random_state)
            # A splitter knows rows by their number, also those without weight.
            folds = self._folds(rows, every.target, kept, seed, store)
            search = self.start_search(
                rows,
                folds,
                seed,
                store.scope("search"),
                deadline=deadline,
                is_sparse=sparse.issparse(rows.X),
            )
            outcome = self.run_search(search)
            model = self.winner(outcome, search.n_train, len(rows.target))
            members = self._members(model, rows, search, outcome, seed, store)
        self.best_estimator_ = model.restore_fitted(members)
        count_restored(self, store)
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
        """Return the predicted target of every row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        found = super().predict(X)
        return self.target_mean_ + self.target_scale_ * found
