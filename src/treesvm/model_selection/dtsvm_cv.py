"""DTSVM with its machine and its leaf size chosen on held-out training rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin

from treesvm.decomposition.calibration import calibrate
from treesvm.decomposition.checkpointing import count_restored, open_rows_checkpoint
from treesvm.decomposition.seeds import draw_seeds
from treesvm.estimators.dtsvm import DTSVMClassifier
from treesvm.files.file_path import FilePath
from treesvm.inputs.array_types import ArrayLike, ClassWeight, MatrixLike, Seed
from treesvm.inputs.estimator import Estimator
from treesvm.inputs.training_rows import class_rows, row_weights
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.model_selection.deadline import Deadline
from treesvm.model_selection.decomposition_cv import SearchesDecompositions
from treesvm.model_selection.search_scores import class_judgement


class DTSVMClassifierCV(SearchesDecompositions, ClassifierMixin, Estimator):
    """DTSVM that searches its machine and its leaf size.

    Some of the training rows are held out; every candidate is judged on them at the
    smallest leaf size, and the best few are tried with leaves `growth` times as large
    as long as that pays.

    Parameters
    ----------
    Cs : sequence of float, optional
        C of a grid of candidates with the `kernel`, `leaf_scaling`, `feature_weights`
        and `multi_class` given below; where only `gammas` are given, the paper's,
        10^-1 … 10^5.
    gammas : sequence of float, optional
        γ of that grid; where only `Cs` are given, the paper's, 10^-4 … 10^4.
    max_leaf_size : int, default=1500
        σ₀, the smallest leaf size.
    search : {"raced", "exhaustive"}, default="raced"
        "raced" drops what cannot win after a few leaves, takes the smoothest of those
        that are as good, and stops a larger leaf size as soon as a gain of `min_gain`
        is excluded; its machines are capped while racing.
        "exhaustive" judges every candidate on all leaves; with ``candidates="paper"``
        and ``min_gain=0.005`` it is the paper's search.  With `scoring` other than
        accuracy the race is exhaustive, too.
    top_k : int, default=5
        Candidates that are tried with larger leaves.
    growth : int, default=4
        How many times larger the leaves of the next ceiling are.
    min_gain : float, default=0.001
        Gain in score that a larger leaf size has to bring; the paper's is 0.005.
    cv : "auto", float, int or splitter, default="auto"
        A share of rows held out, a number of folds, or a scikit-learn splitter (such as
        `PredefinedSplit`).  With several folds scores are pooled, and the final model
        is trained on all rows.  "auto" is a fifth of the rows; below 6,000 rows it is
        three folds, below 1,500 five.
    candidates : {"auto", "paper"} or list of dict, default="auto"
        "auto": if `Cs` or `gammas` are given, their grid; else kernels × scalings ×
        feature weights × a few values of C and of gamma in units of one over the median
        distance, and, for sparse rows of several classes, one machine for each class
        (``multi_class="ovr"``) without scaling. A race then also tries values a third
        of a decade around the winner. "paper": the grid of the paper. A list: dicts
        with some of C, gamma, gamma_scale, kernel, leaf_scaling, feature_weights and
        multi_class; what they leave out is as given below.
    time_limit : float, optional
        Seconds for search and training, about: the search ends after 70 % of it, and
        the best candidate by then is trained. A search that is done stops earlier.
    scoring : str or callable, optional
        scikit-learn scorer; accuracy by default. One that asks for decision values or
        probabilities, such as "roc_auc" or "neg_log_loss", gets those of the leaves,
        the latter by one slope for all of them that is fitted on the validation rows.
    refit : bool, default=True
        Train the winner on all rows, the held-out ones included.  False is the paper's
        protocol: the model keeps the leaves that the search has trained, and the
        held-out rows only judge.
    kernel : {"rbf", "laplacian"}, default="rbf"
        The paper's, or the one that suits tables of mixed columns.
    multi_class : {"ovo", "ovr"}, default="ovo"
        Inside a leaf: a machine for each pair of its classes (1A1) or for each class
        against the others (1AO).
    leaf_scaling : {"minmax", "quantile", "standard", None}, default="minmax"
        Rescale the features inside each part to [0, 1], map them to their ranks, which
        suits features with long tails, or divide them by their standard deviation, but
        for those of two values, beside which numbers then count for more; ranks and
        deviations need dense rows. None is the paper's method and wants features scaled
        beforehand.
    feature_weights : None, "learned", "local" or array-like of shape (n_features,), \
default=None
        Weights of the features in the kernel's distance: none, learned in every part
        from the gradients of its own machine (about three times the training time), or
        given. "local" ones are learned, too, and differ along a feature: more where
        the machine's values change; they need dense rows. Needs a Laplacian or
        Gaussian kernel.
    n_estimators : int, default=1
        Randomised decompositions that vote.
    voting : {"soft", "hard"}, default="soft"
        The mean of the members' probabilities, or the paper's majority of their
        answers.
    partition : {"axis", "oblique", "random", "whole"} or object, default="axis"
        How the space is cut: by an axis-parallel tree, a tree of linear SVMs, at random
        or not at all. An object of `treesvm.partitions` has parameters of its own, such
        as ``AxisTree(criterion="gini", max_tree_rows=None)``.
    class_weight : dict or "balanced", optional
        Weights of the classes; "balanced" gives each the same sum.
    probability : bool, default=True
        Make scores compare across parts, for `predict_proba`, `decision_function` and
        soft votes, by what machines would say of some of their rows had they not been
        trained on them. It takes no second fit, and the answers of a member stay as
        they are. False is the paper's method.
    tol : float, default=1e-3
        Violation of the optimality conditions at which a machine has converged.
    cache_size : float, default=1000
        Megabytes of kernel values that may be held; larger leaves are solved by working
        sets.
    n_jobs : int, optional
        Threads over the leaves.  The model does not depend on it.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.
    verbose : int, default=0
        Above 0, progress goes to standard error.
    checkpoint : str, path-like or Checkpoint, optional
        Folder in which finished leaves are kept. A fit that was killed goes on there
        when it is called again, and gives the model it would have given. A folder of
        another fit (other rows or parameters) is refused.

    Attributes
    ----------
    best_estimator_ : DTSVMClassifier
        The winner, fitted.
    C_ : float
        The C that was chosen.
    gamma_ : float or str
        The γ that was chosen; a word is multiplied by ``best_theta_["gamma_scale"]``.
    max_leaf_size_ : int
        The leaf size that was chosen.
    best_theta_ : dict
        Everything that was chosen.
    best_score_ : float
        Validation score of the winner, by `sample_weight`.
    stopped_early_ : bool
        Whether the time limit ended the search.
    search_results_ : dict of ndarray
        A table that pandas takes: for each ceiling and candidate its score, the
        validation rows it answered, those that were left undone, leaf fits done, fits
        that did not converge, whether it went on.
    n_leaf_fits_ : int
        θ × leaf fits done in all.
    seconds_per_ceiling_ : dict
        Time spent at each leaf size.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    decompositions_ : list of Decomposition
        The members: a partition each, and its parts.
    trees_ : list of Tree
        Of the members whose partition is a tree.
    n_leaves_ : int
        Parts of all members.
    n_support_vectors_ : int
        Distinct support vectors, over all leaves.
    n_features_in_ : int
        Columns of the training rows.

    Notes
    -----
    When not to use it: if C and gamma are known, `DTSVMClassifier` is several times
    faster; below some 2,000 rows a cross-validated `KernelSVC` uses the rows better.

    References
    ----------
    F. Chang, C.-Y. Guo, X.-R. Lin, C.-J. Lu, "Tree decomposition for large-scale SVM
    problems", JMLR 11 (2010) 2935-2972, section 2.2.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import DTSVMClassifierCV
    >>> X, y = make_moons(3000, noise=0.2, random_state=0)
    >>> model = DTSVMClassifierCV(max_leaf_size=500, random_state=0)
    >>> model = model.fit(X[:2000], y[:2000])
    >>> bool(model.score(X[2000:], y[2000:]) > 0.95)
    True
    """

    _winner_class = DTSVMClassifier

    def __init__(
        self,
        Cs: ArrayLike | None = None,
        gammas: ArrayLike | None = None,
        max_leaf_size: int = 1500,
        *,
        search: str = "raced",
        top_k: int = 5,
        growth: int = 4,
        min_gain: float = 0.001,
        cv: Any = "auto",
        candidates: str | Sequence[Mapping[str, Any]] = "auto",
        time_limit: float | None = None,
        scoring: str | Callable[..., Any] | None = None,
        refit: bool | str = True,
        kernel: str = "rbf",
        multi_class: str = "ovo",
        leaf_scaling: str | None = "minmax",
        feature_weights: str | ArrayLike | None = None,
        n_estimators: int = 1,
        partition: Any = "axis",
        class_weight: ClassWeight = None,
        voting: str = "soft",
        probability: bool = True,
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
        self.multi_class = multi_class
        self.leaf_scaling = leaf_scaling
        self.feature_weights = feature_weights
        self.n_estimators = n_estimators
        self.partition = partition
        self.class_weight = class_weight
        self.voting = voting
        self.probability = probability
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
        """Search and train; see `DTSVMClassifier.fit`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Training rows.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of every row.

        Returns
        -------
        self
        """
        self.check_parameters()
        deadline = Deadline(self.time_limit)
        every = class_rows(self, X, y, sample_weight)
        kept = np.flatnonzero(every.weight > 0)
        rows, judging = every.take(kept), row_weights(every.X, sample_weight)[kept]
        with open_rows_checkpoint(self, every) as store:
            seeds = store.seeds(draw_seeds(self, n_members=1), self.random_state)
            folds = self._folds(rows, every.target, kept, seeds[0], store)
            search = self.start_search(
                rows,
                folds,
                seeds[0],
                store.scope("search"),
                weight=judging,
                deadline=deadline,
                is_sparse=sparse.issparse(X),
            )
            outcome = self.run_search(search)
            model = self.winner(outcome, search.n_train, len(rows.target))
            members = self._members(model, rows, search, outcome, seeds[0], store)
        self.best_estimator_ = model.restore_fitted(members)
        model.calibration_ = None
        if self.probability:
            own = rows.take(self.final_rows(folds, len(rows.target)))
            how = {"loss": model.loss, "voting": model.voting}
            model.calibration_ = calibrate(members, own, model.C, seeds[-1], **how)
        count_restored(self, store)
        return self

    def _judgement(self, rows, weight):
        return class_judgement(self.scoring, rows.target, weight, self.classes_)
