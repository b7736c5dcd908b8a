"""Choose λ and ρ of an H-LSVM by cross-validation."""

from collections.abc import Callable, Sequence
from itertools import product
from numbers import Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from treesvm.decomposition.checkpointing import Item, open_checkpoint, rows_identity
from treesvm.estimators.hlsvm import HLSVMClassifier
from treesvm.files.file_path import FilePath
from treesvm.inputs.array_types import ArrayLike, ClassWeight, MatrixLike, Seed
from treesvm.inputs.parameter_rules import GRID, check_value
from treesvm.inputs.training_rows import checked_rows, class_codes, row_weights
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.model_selection.best_estimator import HoldsBestTree
from treesvm.model_selection.deadline import Deadline
from treesvm.model_selection.pruning_choice import (
    PathErrors,
    choose_price,
    path_errors,
    prune_at,
)
from treesvm.model_selection.row_splits import splits_identity
from treesvm.trees.oblique import check_plane_parameters

_SEARCH_SHARE = 0.7  # of a time limit; the rest is for the last fit


class HLSVMClassifierCV(HoldsBestTree, ClassifierMixin, BaseEstimator):
    """H-LSVM whose λ and pruning are chosen by cross-validation.

    Every λ and every pruning share ρ is scored on the same folds, which run side by
    side. A tree grown with ρ = 0 serves two choices at once: not to prune, and to prune
    by the folds ("cv"), where the price of a leaf is chosen that errs least on the
    validation rows and then prunes the tree grown on all rows, so that no rows are lost
    for growing (Breiman et al. 1984, section 3.4).

    Parameters
    ----------
    alphas : array-like, optional
        Values of λ. By default the paper's grid, ``10 ** i / n_rows`` for i = -6 … 6,
        with ``regularization="paper"``, and ``10 ** i`` for i = -6 … 1 with "mean".
    prune_shares : sequence, default=(0.0, 0.1, 0.2)
        Values of ρ; may contain "cv".
    cv : int, splitter or iterable, default=5
    scoring : str or callable, optional
        Accuracy by default.
    time_limit : float, optional
        Seconds for scoring and the last fit, about: folds that have not begun after
        70 % of it are left undone, and the best choice by then is fitted.
    regularization, solver, standardize, min_share, max_depth, multi_class, \
class_weight, tol, max_passes, max_steps, batch_size, bias_rate, max_node_rows, \
n_jobs, random_state, checkpoint
        As in `HLSVMClassifier`. The "cv" pruning needs a single tree. A checkpoint
        keeps the scores of finished folds, and the final fit.

    Attributes
    ----------
    alpha_ : float
    prune_share_ : float or "cv"
    best_score_ : float
        Mean score of the choice over the folds.
    cv_results_ : dict of lists
        One row for each λ and ρ (a table that pandas takes): "alpha", "prune_share",
        "mean_test_score", "std_test_score".
        Choices with folds left undone have NaN.
    stopped_early_ : bool
        Whether the time limit left folds undone.
    best_estimator_ : HLSVMClassifier
        The winner, grown on all rows.
    classes_, trees_, n_features_in_, feature_names_in_
        As in `HLSVMClassifier`.

    Notes
    -----
    When not to use it: for a first look `HLSVMClassifier` with its defaults costs one
    fit instead of a few hundred; on more than a million rows choose on a sample.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import HLSVMClassifierCV
    >>> X, y = make_moons(400, noise=0.2, random_state=0)
    >>> model = HLSVMClassifierCV(alphas=[0.001, 0.1], cv=3, random_state=0).fit(X, y)
    >>> model.alpha_ in (0.001, 0.1)
    True
    """

    _rules: ClassVar = HLSVMClassifier._rules

    def __init__(
        self,
        alphas: ArrayLike | None = None,
        *,
        prune_shares: Sequence[float] = (0.0, 0.1, 0.2),
        cv: Any = 5,
        scoring: str | Callable[..., Any] | None = None,
        time_limit: float | None = None,
        regularization: str = "paper",
        solver: str = "dual",
        standardize: bool = True,
        min_share: float | str = "auto",
        max_depth: int | None = None,
        multi_class: str = "tree",
        class_weight: ClassWeight = None,
        tol: float | str = "auto",
        max_passes: int = 20,
        max_steps: int | None = None,
        batch_size: int | None = None,
        bias_rate: float | None = None,
        max_node_rows: int | None = 20_000,
        n_jobs: int | None = None,
        random_state: Seed = None,
        checkpoint: FilePath | Any = None,
    ) -> None:
        self.alphas = alphas
        self.prune_shares = prune_shares
        self.cv = cv
        self.scoring = scoring
        self.time_limit = time_limit
        self.regularization = regularization
        self.solver = solver
        self.standardize = standardize
        self.min_share = min_share
        self.max_depth = max_depth
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.tol = tol
        self.max_passes = max_passes
        self.max_steps = max_steps
        self.batch_size = batch_size
        self.bias_rate = bias_rate
        self.max_node_rows = max_node_rows
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.checkpoint = checkpoint

    def winner(self) -> Any:
        """Return the unfitted estimator that every choice is made of."""
        return self._template(None)

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Score all choices on the folds, then fit the best on all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            Weighs rows in fitting and, for the default score, in scoring.

        Returns
        -------
        self
        """
        self.check_parameters()
        deadline = Deadline(self.time_limit).earlier(_SEARCH_SHARE)
        X, y = checked_rows(self, X, y)
        if sample_weight is not None:
            sample_weight = row_weights(X, sample_weight)
        alphas = self._alphas(len(y))
        with self._open_search(X, y, sample_weight) as store:
            seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
            template = self._template(store.seeds([seed], self.random_state)[0])
            scores, prices = self._score_all(
                template, X, y, sample_weight, alphas, store, deadline
            )
        self.stopped_early_ = deadline.has_ended_work
        place, share = _best_choice(scores)
        self.alpha_, self.prune_share_ = alphas[place], self.prune_shares[share]
        self.best_score_ = float(scores[place, share].mean())
        self.cv_results_ = _as_table(scores, alphas, self.prune_shares)
        is_by_folds = self.prune_share_ == "cv" and prices[place] is not None
        best = template.set_params(
            alpha=self.alpha_,
            prune_share=0.0 if self.prune_share_ == "cv" else self.prune_share_,
            n_jobs=self.n_jobs,
            checkpoint=store.folder_of("final fit"),
        )
        best.fit(X, y, sample_weight).set_params(checkpoint=None)
        if is_by_folds:
            best.restore_fitted([prune_at(best.trees_[0], prices[place])])
        self.classes_, self.best_estimator_ = best.classes_, best
        return self

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        check_plane_parameters(self)
        check_value("alphas", self.alphas, GRID)
        shares = self.prune_shares
        if isinstance(shares, str) or not np.iterable(shares) or len(shares) == 0:
            raise ValueError(
                f"prune_shares={shares!r} is not possible; use a list of "
                "shares in [0, 1) or 'cv'."
            )
        for share in shares:
            if share != "cv" and not (isinstance(share, Real) and 0 <= share < 1):
                raise ValueError(
                    f"prune_shares holds {share!r}; use shares in [0, 1) or 'cv'."
                )
        if "cv" not in self.prune_shares:
            return
        if self.scoring not in (None, "accuracy"):
            raise ValueError(
                f"scoring={self.scoring!r} cannot choose the 'cv' pruning, which "
                "counts errors; use accuracy, or leave 'cv' out of prune_shares."
            )
        if self.multi_class != "tree":
            raise ValueError(
                f"multi_class={self.multi_class!r} cannot be pruned by folds, which "
                "needs one tree; leave 'cv' out of prune_shares."
            )

    def _alphas(self, n_rows):
        """Return the values of λ as a list."""
        if self.alphas is not None:
            return [float(alpha) for alpha in self.alphas]
        if self.regularization == "paper":
            return [10.0**i / n_rows for i in range(-6, 7)]
        return [10.0**i for i in range(-6, 2)]

    def _open_search(self, X, y, sample_weight):
        """Return the store of folds that were scored."""
        classes, codes = class_codes(y)
        return open_checkpoint(
            self,
            lambda: rows_identity(X, codes, sample_weight, classes),
            n_classes=len(classes),
            n_features=X.shape[1],
        )

    def _template(self, seed):
        """Return the estimator that every fold fits; folds run side by side."""
        names = HLSVMClassifier().get_params(deep=False)
        own = {
            name: value for name, value in self.get_params().items() if name in names
        }
        fixed = {"n_jobs": 1, "random_state": seed, "checkpoint": None}
        return HLSVMClassifier(**(own | fixed))

    def _score_all(self, template, X, y, sample_weight, alphas, store, deadline):
        """Return scores (n_alphas, n_shares, n_folds) and the best price of each λ.

        What a deadline leaves undone has a score of NaN.
        """
        folds = list(check_cv(self.cv, y, classifier=True).split(X, y))
        store.confirm("the folds of cv", splits_identity(folds))
        scorer = check_scoring(template, scoring=self.scoring)
        work = _FoldWork(template, X, y, sample_weight, self.prune_shares, scorer)
        jobs = product(enumerate(alphas), enumerate(folds))
        answers = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(_scored_once)(work, store, f"{a} {f}", alpha, fold, deadline)
            for (a, alpha), (f, fold) in jobs
        )
        shape = len(alphas), len(self.prune_shares), len(folds)
        scores, prices = np.full(shape, np.nan), [None] * len(alphas)
        for place in range(len(alphas)):
            of_alpha = answers[place * len(folds) : (place + 1) * len(folds)]
            if any(answer is None for answer in of_alpha):
                continue
            for column, share in enumerate(self.prune_shares):
                values = [answer[share] for answer in of_alpha]
                if share == "cv":
                    choice = choose_price(values)
                    prices[place], values = choice.price, 1.0 - choice.fold_errors
                scores[place, column] = values
        return scores, prices


class _FoldWork(NamedTuple):
    """What stays the same for all folds and values of λ."""

    template: HLSVMClassifier
    X: object
    y: np.ndarray
    sample_weight: np.ndarray | None
    shares: tuple
    scorer: object

    def score(self, alpha, train, test):
        """Return a score for each share; for "cv" the errors along the path."""
        grown, answers = None, {}
        for share in self.shares:
            if share in (0.0, "cv"):
                grown = self._fit(alpha, 0.0, train) if grown is None else grown
                answers[share] = self._judge(grown, share, test)
            else:
                answers[share] = self._judge(
                    self._fit(alpha, share, train), share, test
                )
        return answers

    def _fit(self, alpha, share, rows):
        """Fit the template on some rows."""
        model = clone(self.template).set_params(alpha=alpha, prune_share=share)
        return model.fit(self.X[rows], self.y[rows], self._weight(rows))

    def _judge(self, model, share, rows):
        """Score a fitted model on other rows."""
        X, y, weight = self.X[rows], self.y[rows], self._weight(rows)
        if share == "cv":
            return path_errors(model, X, y, weight)
        extra = {} if weight is None else {"sample_weight": weight}
        return self.scorer(model, X, y, **extra)

    def _weight(self, rows):
        """Return the weights of rows, or None."""
        return None if self.sample_weight is None else self.sample_weight[rows]


def _scored_once(work, store, key, alpha, fold, deadline):
    """Return the scores of one λ on one fold, from the store if it knows them.

    None if the deadline is over.
    """
    item = store.get(key)
    if item is not None and len(item.note) == len(work.shares):
        return {
            share: value if value is not None else PathErrors(**item.arrays)
            for share, value in zip(work.shares, item.note, strict=True)
        }
    if deadline.is_over():
        return None
    answers = work.score(alpha, *fold)
    by_price = answers.get("cv")
    numbers = [
        None if share == "cv" else float(answers[share]) for share in work.shares
    ]
    arrays = None if by_price is None else by_price._asdict()
    store.put(key, Item(arrays=arrays, note=numbers))
    return answers


def _best_choice(scores):
    """Return the places of λ and ρ; in the middle of the λs if none was scored."""
    means = scores.mean(axis=2)
    if np.isnan(means).all():
        # Without a score a tree is not pruned by folds: nobody knows the price.
        return len(means) // 2, 0
    return np.unravel_index(np.nanargmax(means), means.shape)


def _as_table(scores, alphas, shares):
    """Return the scores as columns of equal length."""
    pairs = list(product(alphas, shares))
    flat = scores.reshape(len(pairs), -1)
    return {
        "alpha": [alpha for alpha, _ in pairs],
        "prune_share": [share for _, share in pairs],
        "mean_test_score": flat.mean(axis=1).tolist(),
        "std_test_score": flat.std(axis=1).tolist(),
    }
