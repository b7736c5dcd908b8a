"""DTSVM with its leaf size, C and gamma chosen on held-out training rows."""

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.utils import check_random_state

from treesvm.decomposition.checkpointing import NOTHING_KEPT
from treesvm.decomposition.decomposition import Decomposition, train_parts
from treesvm.decomposition.dtsvm_calibration import calibrate
from treesvm.estimators.dtsvm import DTSVMClassifier, member_seeds
from treesvm.inputs.kernel_parameters import is_count, is_number
from treesvm.inputs.training_rows import classification_rows
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.model_selection.decomposition_search import (
    DecompositionSearch,
    SearchOptions,
)
from treesvm.model_selection.row_splits import split_rows, splits_identity
from treesvm.model_selection.search_fold import SearchData, SearchFold, Theta
from treesvm.trees.axis import grow_axis_tree
from treesvm.trees.leaf_rows import LeafRows

PAPER_CS = tuple(10.0**k for k in range(-1, 6))
PAPER_GAMMAS = tuple(10.0**k for k in range(-4, 5))


class DTSVMClassifierCV(DTSVMClassifier):
    """DTSVM that searches its leaf size, C and gamma.

    A part of the training rows is held out; every (C, gamma) is judged on it at the
    smallest leaf size, and the best few are tried with leaves `growth` times as large
    as long as that pays.

    Parameters
    ----------
    Cs, gammas : sequence of float, optional
        The grid; by default the paper's, 10^-1 … 10^5 and 10^-4 … 10^4.
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
    min_gain : float, default=0.005
        Gain in score that a larger leaf size must bring.
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
    multi_class, leaf_scaling, n_estimators, criterion, max_tree_rows, \
class_weight, probability, tol, cache_size, n_jobs, random_state, verbose, checkpoint
        As in `DTSVMClassifier`. A checkpoint also keeps what the search has judged.

    Attributes
    ----------
    C_, gamma_ : float
    max_leaf_size_ : int
    best_score_ : float
        Validation score of the winner.
    search_results_ : dict of ndarray
        A table that pandas takes: for each ceiling and candidate its score, the
        validation rows it answered, leaf fits done, fits that did not converge, whether
        it went on.
    n_leaf_fits_ : int
        θ × leaf fits done in all.
    seconds_per_ceiling_ : dict
    classes_, trees_, n_leaves_, n_support_vectors_, n_features_in_
        As in `DTSVMClassifier`.

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
        Cs=None,
        gammas=None,
        max_leaf_size=1500,
        *,
        search="raced",
        top_k=5,
        growth=4,
        min_gain=0.005,
        cv=0.2,
        scoring=None,
        refit=True,
        multi_class="ovo",
        leaf_scaling="minmax",
        n_estimators=1,
        criterion="entropy",
        max_tree_rows=100_000,
        class_weight=None,
        probability=False,
        tol=1e-3,
        cache_size=1000,
        n_jobs=None,
        random_state=None,
        verbose=0,
        checkpoint=None,
    ):
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
        self.multi_class = multi_class
        self.leaf_scaling = leaf_scaling
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_tree_rows = max_tree_rows
        self.class_weight = class_weight
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.checkpoint = checkpoint

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Search and train; see `DTSVMClassifier.fit`."""
        self.check_parameters()
        X, codes, weight = classification_rows(
            self, X, y, sample_weight, self.class_weight
        )
        with self._open_checkpoint(X, codes, weight) as store:
            seeds = store.seeds(self._draw_seeds(), self.random_state)
            seed, kept = seeds[0], np.flatnonzero(weight > 0)
            splits = split_rows(self.cv, codes, seed, kept)
            store.confirm("the split of cv", splits_identity(splits))
            if len(kept) < len(codes):
                X, codes, weight = X[kept], codes[kept], weight[kept]
            data = SearchData(X, codes, weight, len(self.classes_))
            folds = [
                self._fold(data, train, val, seed, number)
                for number, (train, val) in enumerate(splits)
            ]
            search, outcome = self._search(data, folds, seed, store.scope("search"))
            self._note(outcome, search)
            model = self._winner(one_leaf_of=search.n_train, n_rows=len(codes))
            members = self._members(model, data, folds, search, outcome, seed, store)
            scale = None
            if self.probability:
                folder = store.folder_of("calibration")
                scale = calibrate(model, X, codes, weight, seeds[-1], folder)
        self._publish(members, scale)
        self._count_restored(store)
        return self

    def _draw_seeds(self):
        """A seed for the search, and one for the calibration if there is one."""
        rng = check_random_state(self.random_state)
        seeds = [int(rng.randint(np.iinfo(np.int32).max))]
        return [*seeds, self._calibration_seed()] if self.probability else seeds

    def _fold(self, data, train, val, seed, number):
        """Grow the tree of one fold at the smallest ceiling."""
        X, weight = data.X[train], data.weight[train]
        tree = grow_axis_tree(
            X,
            data.codes[train],
            max_leaf_size=self.max_leaf_size,
            n_classes=data.n_classes,
            criterion=self.criterion,
            sample_weight=weight if np.ptp(weight) > 0 else None,
            random_state=seed,
            max_tree_rows=self.max_tree_rows,
        )
        return SearchFold(data, train, val, tree, number=number)

    def _search(self, data, folds, seed, store=NOTHING_KEPT, evaluate=None):
        """Run the search that was asked for."""
        thetas = [
            Theta(float(C), float(gamma))
            for gamma in self._grid("gammas", PAPER_GAMMAS)
            for C in self._grid("Cs", PAPER_CS)
        ]
        options = SearchOptions(
            self.top_k, self.growth, self.min_gain, self.n_jobs, seed, self.verbose
        )
        search = DecompositionSearch(
            folds,
            thetas,
            self.max_leaf_size,
            self._winner()._machine_options(data.X),
            options,
            self._score_function(data.codes),
            evaluate=evaluate,
            store=store,
        )
        if self.search == "exhaustive" or self.scoring not in (None, "accuracy"):
            return search, search.exhaustive()
        return search, search.raced()

    def _score_function(self, codes):
        """Return a function of row numbers and predicted codes."""
        if self.scoring is None or self.scoring == "accuracy":
            return lambda rows, said: float(np.mean(codes[rows] == said))
        scorer, classes = get_scorer(self.scoring), self.classes_

        def score(rows, said):
            try:
                answers = _Answers(classes[said], classes)
                return float(scorer(answers, rows[:, None], classes[codes[rows]]))
            except AttributeError as error:
                raise ValueError(
                    f"scoring={self.scoring!r} needs more than predictions ({error}); "
                    "use a scorer of predicted labels, such as 'balanced_accuracy'."
                ) from error

        return score

    def _winner(self, one_leaf_of=np.inf, n_rows=0):
        """The estimator with the chosen parameters (any C and gamma before that).

        Where one leaf of all `one_leaf_of` training rows won, one leaf it stays on
        `n_rows`, though they may be more than the ceiling.
        """
        shared = DTSVMClassifier().get_params().keys() & self.get_params().keys()
        params = {name: getattr(self, name) for name in shared}
        ceiling = getattr(self, "max_leaf_size_", self.max_leaf_size)
        grown = max(ceiling, n_rows) if ceiling >= one_leaf_of else ceiling
        params["max_leaf_size"] = grown
        chosen = {"C": getattr(self, "C_", 1.0), "gamma": getattr(self, "gamma_", 1.0)}
        model = DTSVMClassifier(**(params | chosen))
        model.classes_ = self.classes_
        return model

    def _members(self, model, data, folds, search, outcome, seed, store=NOTHING_KEPT):
        """Train what the search has not trained yet."""
        if not self._keeps_leaves(folds):
            rows = self._final_rows(folds, len(data.codes))
            X, codes, weight = data.X[rows], data.codes[rows], data.weight[rows]
            options = model._machine_options(X)
            return [
                model._fit_member(
                    X, codes, weight, int(own), options, store.scope(f"member {k}")
                )
                for k, own in enumerate(member_seeds(seed, self.n_estimators))
            ]

        def train(tasks):
            return train_parts(
                data.X,
                data.codes,
                data.n_classes,
                data.weight,
                _as_groups([task.rows for task in tasks]),
                model._machine_options(data.X),
                n_jobs=self.n_jobs,
                verbose=self.verbose,
                store=store.scope("missing leaves"),
            )

        return [kept_leaves(search, outcome, data.n_classes, train)]

    def _keeps_leaves(self, folds):
        """Whether the leaves that the search has trained are the model's."""
        return not self.refit and len(folds) == 1 and self.n_estimators == 1

    def _final_rows(self, folds, n_rows):
        """Return the rows that train the final model."""
        keeps_out = not self.refit and len(folds) == 1
        return folds[0].train if keeps_out else np.arange(n_rows)

    def _note(self, outcome, search):
        """Set what the search found."""
        self.C_, self.gamma_ = outcome.theta.C, outcome.theta.gamma
        self.max_leaf_size_, self.best_score_ = outcome.max_leaf_size, outcome.score
        columns = zip(*outcome.rows, strict=True)
        names = outcome.rows[0]._fields
        self.search_results_ = {
            name: np.array(column) for name, column in zip(names, columns, strict=True)
        }
        self.n_leaf_fits_ = int(sum(s.fits.sum() for s in search.scores.values()))
        self.seconds_per_ceiling_ = dict(outcome.seconds)

    def _grid(self, name, default):
        values = getattr(self, name)
        return sorted(set(default if values is None else values))

    def check_parameters(self):
        super().check_parameters()
        for name, default in (("Cs", PAPER_CS), ("gammas", PAPER_GAMMAS)):
            given = getattr(self, name)
            is_list = given is None or np.ndim(given) == 1
            values = self._grid(name, default) if is_list else []
            if len(values) == 0 or not all(is_number(v, above=0.0) for v in values):
                raise ValueError(
                    f"{name}={given!r} is not possible; use a list of positive, finite "
                    "numbers."
                )
        for name, least in (("top_k", 1), ("growth", 2)):
            if not is_count(getattr(self, name), least):
                raise ValueError(
                    f"{name}={getattr(self, name)!r} is not possible; use a whole "
                    f"number of {least} or more."
                )
        if not is_number(self.min_gain, least=0.0):
            raise ValueError(
                f"min_gain={self.min_gain!r} is not possible; use a number of 0 or "
                "more."
            )
        if self.search not in ("raced", "exhaustive"):
            raise ValueError(
                f"search={self.search!r} is not possible; use 'raced' or 'exhaustive'."
            )

    @property
    def kernel(self):
        """The search knows the RBF kernel only."""
        return "rbf"


def kept_leaves(search, outcome, n_classes, train):
    """Return the winner's decomposition from the leaves that the search has trained.

    Parameters
    ----------
    train : callable
        From the tasks of leaves that are missing to their parts.
    """
    tasks = search.scores[outcome.max_leaf_size].tasks
    parts = dict(search.trained_parts(outcome))
    missing = [k for k in range(len(tasks)) if k not in parts]
    parts.update(zip(missing, train([tasks[k] for k in missing]), strict=True))
    tree = search.trees[outcome.max_leaf_size][0]
    return Decomposition(tree, [parts[k] for k in range(len(tasks))], n_classes)


class _Answers:
    """Predictions that a scorer can ask for."""

    def __init__(self, labels, classes):
        self._labels, self.classes_ = labels, classes

    def predict(self, X):
        return self._labels

    def __sklearn_tags__(self):
        return DTSVMClassifier().__sklearn_tags__()


def _as_groups(row_lists):
    """Rows of several leaves as `LeafRows`."""
    sizes = [len(rows) for rows in row_lists]
    order = np.concatenate([np.empty(0, np.int64), *row_lists])
    return LeafRows(order.astype(np.int64), np.concatenate([[0], np.cumsum(sizes)]))
