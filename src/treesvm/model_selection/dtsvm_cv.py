"""DTSVM with its leaf size, C and gamma chosen on held-out training rows."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import get_scorer

from treesvm.decomposition.calibration import calibrate
from treesvm.decomposition.checkpointing import (
    NOTHING_KEPT,
    count_restored,
    open_rows_checkpoint,
)
from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.seeds import draw_seeds, member_seeds
from treesvm.decomposition.training import fit_member, machine_options, train_parts
from treesvm.estimators.dtsvm import DTSVMClassifier
from treesvm.files.file_path import FilePath
from treesvm.inputs.array_types import ArrayLike, ClassWeight, MatrixLike, Seed
from treesvm.inputs.estimator import Estimator
from treesvm.inputs.parameter_rules import check_parameters
from treesvm.inputs.rows import Rows
from treesvm.inputs.training_rows import classification_rows
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.model_selection.best_estimator import (
    HoldsBestDecomposition,
    copy_fitted_inputs,
)
from treesvm.model_selection.decomposition_search import (
    DecompositionSearch,
    SearchOptions,
)
from treesvm.model_selection.row_splits import split_rows, splits_identity
from treesvm.model_selection.search_fold import SearchFold
from treesvm.partitions.choice import find_partition
from treesvm.trees.leaf_rows import LeafRows

PAPER_CS = tuple(10.0**k for k in range(-1, 6))
PAPER_GAMMAS = tuple(10.0**k for k in range(-4, 5))


class DTSVMClassifierCV(HoldsBestDecomposition, ClassifierMixin, Estimator):
    """DTSVM that searches its leaf size, C and gamma.

    A part of the training rows is held out; every (C, gamma) is judged on it at the
    smallest leaf size, and the best few are tried with leaves `growth` times as large
    as long as that pays.

    Parameters
    ----------
    Cs : sequence of float, optional
        The C of the grid; by default the paper's, 10^-1 … 10^5.
    gammas : sequence of float, optional
        The γ of the grid; by default the paper's, 10^-4 … 10^4.
    max_leaf_size : int, default=1500
        σ₀, the smallest leaf size.
    search : {"raced", "exhaustive"}, default="raced"
        "raced" drops what cannot win after a few leaves and stops a larger leaf size as
        soon as a gain of `min_gain` is excluded; its machines are capped while racing.
        "exhaustive" is the paper's search.  With `scoring` other than accuracy the race
        judges every candidate on all leaves.
    top_k : int, default=5
        Candidates that are tried with larger leaves.
    growth : int, default=4
        How many times larger the leaves of the next ceiling are.
    min_gain : float, default=0.005
        Gain in score that a larger leaf size has to bring; the paper's value.
    cv : float, int or splitter, default=0.2
        A share of rows held out, a number of folds, or a scikit-learn splitter (such as
        `PredefinedSplit`).  With several folds scores are pooled, and the final model
        is trained on all rows.
    scoring : str or callable, optional
        scikit-learn scorer that needs predictions only; accuracy by default.
    refit : bool, default=True
        Train the winner on all rows, the held-out ones included.  False is the paper's
        protocol: the model keeps the leaves that the search has trained, and the
        held-out rows only judge.
    kernel : {"rbf", "laplacian"}, default="rbf"
        The paper's, or the one that suits tables of mixed columns.
    multi_class : {"ovo", "ovr"}, default="ovo"
        Inside a leaf: a machine for each pair of its classes (1A1) or for each class
        against the others (1AO).
    leaf_scaling : {"minmax", "quantile", None}, default="minmax"
        Rescale the features inside each part to [0, 1], or map them to their ranks,
        which suits features with long tails and needs dense rows; None is the paper's
        method and wants features scaled beforehand.
    feature_weights : None, "learned" or array-like of shape (n_features,), default=None
        Weights of the features in the kernel's distance: none, learned in every part
        from the gradients of its own machine (about three times the training time), or
        given. Needs a Laplacian or Gaussian kernel.
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
    gamma_ : float
        The γ that was chosen.
    max_leaf_size_ : int
        The leaf size that was chosen.
    best_score_ : float
        Validation score of the winner.
    search_results_ : dict of ndarray
        A table that pandas takes: for each ceiling and candidate its score, the
        validation rows it answered, leaf fits done, fits that did not converge, whether
        it went on.
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

    def __init__(
        self,
        Cs: ArrayLike | None = None,
        gammas: ArrayLike | None = None,
        max_leaf_size: int = 1500,
        *,
        search: str = "raced",
        top_k: int = 5,
        growth: int = 4,
        min_gain: float = 0.005,
        cv: Any = 0.2,
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
        """Search and train; see `DTSVMClassifier.fit`."""
        self.check_parameters()
        X, codes, weight = classification_rows(
            self, X, y, sample_weight, self.class_weight
        )
        every = Rows(X, codes, weight, len(self.classes_))
        kept = np.flatnonzero(weight > 0)
        rows = every.take(kept)
        with open_rows_checkpoint(self, every) as store:
            seeds = store.seeds(draw_seeds(self, n_members=1), self.random_state)
            splits = split_rows(self.cv, codes, seeds[0], kept)
            store.confirm("the split of cv", splits_identity(splits))
            recipe = find_partition(self.partition)
            folds = [
                SearchFold(
                    rows, train, val, recipe, self.max_leaf_size, seeds[0], number
                )
                for number, (train, val) in enumerate(splits)
            ]
            search = self.start_search(rows, folds, seeds[0], store.scope("search"))
            outcome = self.run_search(search)
            model = self.winner(search.n_train, len(rows.target))
            members = self._members(model, rows, search, outcome, seeds[0], store)
        self.best_estimator_ = model.restore_fitted(members)
        model.calibration_ = None
        if self.probability:
            own = rows.take(self.final_rows(folds, len(rows.target)))
            model.calibration_ = calibrate(members, own, model.C, seeds[-1])
        count_restored(self, store)
        return self

    def start_search(
        self,
        rows: Any,
        folds: list[Any],
        seed: int,
        store: Any = NOTHING_KEPT,
        evaluate: Callable[..., Any] | None = None,
    ) -> Any:
        """Return the search over the folds, not run yet.

        Parameters
        ----------
        rows : Rows
            Of the whole search.
        folds : list of SearchFold
        seed : int
        store : NoCheckpoint or a store with the same methods
        evaluate : callable, optional
            Judges candidates in parts, see `ThreadedLeaves`.
        """
        base = machine_options(self.winner()).theta
        thetas = [
            base._replace(C=float(C), gamma=float(gamma))
            for gamma in grid_values(self.gammas, PAPER_GAMMAS)
            for C in grid_values(self.Cs, PAPER_CS)
        ]
        options = SearchOptions(
            self.top_k, self.growth, self.min_gain, self.n_jobs, seed, self.verbose
        )
        return DecompositionSearch(
            folds,
            thetas,
            self.max_leaf_size,
            machine_options(self.winner()),
            options,
            score_function(self.scoring, rows.target, self.classes_),
            evaluate=evaluate,
            store=store,
        )

    def run_search(self, search: Any) -> Any:
        """Search, note what was found, and return the outcome."""
        is_exhaustive = self.search == "exhaustive" or self.scoring not in (
            None,
            "accuracy",
        )
        outcome = search.exhaustive() if is_exhaustive else search.raced()
        self.C_, self.gamma_ = outcome.theta.C, outcome.theta.gamma
        self.max_leaf_size_, self.best_score_ = outcome.max_leaf_size, outcome.score
        self.search_results_ = outcome.table()
        self.n_leaf_fits_ = int(sum(s.fits.sum() for s in search.scores.values()))
        self.seconds_per_ceiling_ = dict(outcome.seconds)
        return outcome

    def winner(self, one_part_of: float = np.inf, n_rows: int = 0) -> Any:
        """Return the unfitted estimator with what was chosen.

        Where one part of all `one_part_of` training rows won, one part it stays on
        `n_rows`, though they may be more than the ceiling.
        """
        shared = DTSVMClassifier().get_params(deep=False).keys()
        params = {name: getattr(self, name) for name in shared if hasattr(self, name)}
        ceiling = getattr(self, "max_leaf_size_", self.max_leaf_size)
        grown = max(ceiling, n_rows) if ceiling >= one_part_of else ceiling
        params["max_leaf_size"] = grown
        chosen = {"C": getattr(self, "C_", 1.0), "gamma": getattr(self, "gamma_", 1.0)}
        model = DTSVMClassifier(**(params | chosen))
        copy_fitted_inputs(self, model)
        return model

    def _members(self, model, rows, search, outcome, seed, store):
        """Train what the search has not trained yet."""
        if self.keeps_parts(search.folds):
            return [
                kept_member(
                    search,
                    outcome,
                    lambda tasks: train_parts(
                        rows,
                        joined_groups([task.rows for task in tasks]),
                        machine_options(model),
                        n_jobs=self.n_jobs,
                        verbose=self.verbose,
                        store=store.scope("missing leaves"),
                    ),
                )
            ]
        own = rows.take(self.final_rows(search.folds, len(rows.target)))
        recipe = model.recipe()
        return [
            fit_member(own, recipe, int(member_seed), store.scope(f"member {k}"))
            for k, member_seed in enumerate(member_seeds(seed, self.n_estimators))
        ]

    def keeps_parts(self, folds: list[Any]) -> bool:
        """Whether the parts that the search has trained are the model's."""
        return not self.refit and len(folds) == 1 and self.n_estimators == 1

    def final_rows(self, folds: list[Any], n_rows: int) -> Any:
        """Return the rows that train the final model."""
        keeps_out = not self.refit and len(folds) == 1
        return folds[0].train if keeps_out else np.arange(n_rows)

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        check_parameters(self)
        find_partition(self.partition)


def grid_values(given, default):
    """Return the values of a grid, ascending and once each."""
    return sorted(set(default if given is None else given))


def score_function(scoring, codes, classes):
    """Return a function of row numbers and predicted codes; the larger the better."""
    if scoring is None or scoring == "accuracy":
        return lambda rows, said: float(np.mean(codes[rows] == said))
    scorer = get_scorer(scoring)

    def score(rows, said):
        try:
            answers = _Answers(classes[said], classes)
            return float(scorer(answers, rows[:, None], classes[codes[rows]]))
        except AttributeError as error:
            raise ValueError(
                f"scoring={scoring!r} needs more than predictions ({error}); "
                "use a scorer of predicted labels, such as 'balanced_accuracy'."
            ) from error

    return score


def kept_member(search, outcome, train):
    """Return the winner's decomposition from the parts that the search has trained.

    Parameters
    ----------
    train : callable
        From the tasks of parts that are missing to these.
    """
    tasks = search.scores[outcome.max_leaf_size].tasks
    parts = dict(search.trained_parts(outcome))
    missing = [k for k in range(len(tasks)) if k not in parts]
    parts.update(zip(missing, train([tasks[k] for k in missing]), strict=True))
    partition = search.partitions[outcome.max_leaf_size][0]
    n_classes = tasks[0].data.n_classes
    return Decomposition(partition, [parts[k] for k in range(len(tasks))], n_classes)


def joined_groups(row_lists):
    """Rows of several parts as `LeafRows`."""
    sizes = [len(rows) for rows in row_lists]
    order = np.concatenate([np.empty(0, np.int64), *row_lists])
    return LeafRows(order.astype(np.int64), np.concatenate([[0], np.cumsum(sizes)]))


class _Answers:
    """Predictions that a scorer can ask for."""

    def __init__(self, labels, classes):
        self._labels, self.classes_ = labels, classes

    def predict(self, X):
        return self._labels

    def __sklearn_tags__(self):
        return DTSVMClassifier().__sklearn_tags__()
