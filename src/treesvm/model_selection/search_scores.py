"""What candidates are worth on validation rows: leaf by leaf, and in all."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer

DEFAULT_SCORES = (None, "accuracy", "r2")  # sums over rows, which a race can compare


class Row(NamedTuple):
    """One line of the table of results."""

    stage: str  # "first look", in which leaves are cut down, or "search"
    max_leaf_size: int
    kernel: str
    leaf_scaling: str
    feature_weights: str
    multi_class: str
    C: float
    gamma: float  # in units of one over the median distance if `gamma_is_scaled`
    gamma_is_scaled: bool
    epsilon: float  # of regressors, else NaN
    score: float
    n_validated: int  # validation rows it answered
    n_left_undone: int  # validation rows that nobody asked it about
    n_leaf_fits: int  # machines' leaves trained for it
    n_unconverged: int
    kept: bool  # whether it went on, or won


def as_row(ceiling, theta, scores, looks, t, kept):
    """Return the line of a theta, number `t`, at one ceiling.

    Parameters
    ----------
    scores : Scores
        In whole leaves.
    looks : Scores or None
        In leaves cut down, which count if there is nothing else.
    """
    n_fits, n_rows, stage = scores.fits.get(t, 0), scores.n_rows, "search"
    if looks is not None:
        n_fits += looks.fits.get(t, 0)
        if t not in scores.predicted and t in looks.predicted:
            scores, stage = looks, "first look"
    is_scaled = isinstance(theta.gamma, str)
    n_validated = scores.n_validated(t)
    weights = theta.feature_weights
    return Row(
        stage,
        ceiling,
        theta.kernel.name,
        str(theta.leaf_scaling),
        str(weights) if weights is None or isinstance(weights, str) else "given",
        str(theta.multi_class),
        theta.C,
        theta.gamma_scale if is_scaled else theta.gamma,
        is_scaled,
        np.nan if theta.epsilon is None else theta.epsilon,
        scores.score(t),
        n_validated,
        n_rows - n_validated,
        n_fits,
        scores.unconverged.get(t, 0),
        kept,
    )


class Judgement(NamedTuple):
    """How answers to validation rows are judged.

    Attributes
    ----------
    target : ndarray
        Codes, or numbers, of all rows of a search.
    weight : ndarray
        Of all rows; one on average.
    score_of : callable
        ``score_of(rows, predicted)``: the larger, the better.
    is_regression : bool
        Targets are numbers, of about unit variance.
    needs_values : bool
        `score_of` takes a score for each row and class, too.
    """

    target: np.ndarray
    weight: np.ndarray
    score_of: Callable[..., float]
    is_regression: bool = False
    needs_values: bool = False

    def worth(self, rows, said):
        """Return for each row what the default score is the mean of, by weight."""
        if self.is_regression:
            return -self.weight[rows] * (said - self.target[rows]) ** 2
        return self.weight[rows] * (said == self.target[rows])


def class_judgement(scoring, codes, weight, classes):
    """Return how predicted codes are judged by accuracy or a scorer of labels."""
    weight = weight / weight.mean()
    if scoring in DEFAULT_SCORES:

        def accuracy(rows, said):
            return float(np.average(codes[rows] == said, weights=weight[rows]))

        return Judgement(codes, weight, accuracy)
    scorer = get_scorer(scoring)
    needs_values = _needs_values(scorer, codes, classes)

    def score(rows, said, values=None):
        answers = _ClassAnswers(classes, said, values, codes[rows], weight[rows])
        return _asked(scorer, answers, rows, classes[codes[rows]], weight)

    return Judgement(codes, weight, score, needs_values=needs_values)


def _needs_values(scorer, codes, classes):
    """Whether a scorer asks for more than predicted labels."""
    answers = _ClassAnswers(classes, codes, None, codes, np.ones(len(codes)))
    try:
        scorer(answers, codes[:, None], classes[codes])
    except AttributeError:
        return True
    return False


def number_judgement(scoring, target, weight, mean, scale):
    """Return how predicted numbers are judged by R² or a scorer of numbers.

    `target` is in units of `scale` around `mean`, scorers see the units of users.
    """
    weight = weight / weight.mean()

    def r2(rows, said):
        own, w = target[rows], weight[rows]
        spread = np.average((own - np.average(own, weights=w)) ** 2, weights=w)
        error = np.average((own - said) ** 2, weights=w)
        return float(1.0 - error / spread) if spread > 0 else 0.0

    if scoring in DEFAULT_SCORES:
        return Judgement(target, weight, r2, True)
    scorer, given = get_scorer(scoring), mean + scale * target

    def score(rows, said):
        answers = _NumberAnswers(mean + scale * said)
        return _asked(scorer, answers, rows, given[rows], weight)

    return Judgement(target, weight, score, True)


def _asked(scorer, answers, rows, true, weight):
    """Return what a scikit-learn scorer says of answers."""
    is_even = bool(np.all(weight == weight[0]))
    more = {} if is_even else {"sample_weight": weight[rows]}
    return float(scorer(answers, rows[:, None], true, **more))


class _NumberAnswers(RegressorMixin, BaseEstimator):
    """Predicted numbers that a scorer can ask for."""

    def __init__(self, answers):
        self.answers = answers

    def predict(self, X):
        return self.answers


class _ClassAnswers(ClassifierMixin, BaseEstimator):
    """Predicted codes, and perhaps scores, that a scorer can ask for."""

    def __init__(self, classes, said, values, codes, weight):
        self.classes_ = classes
        self._said, self._values = said, values
        self._codes, self._weight = codes, weight

    def __getattribute__(self, name):
        own = ("decision_function", "predict_proba")
        if name in own and object.__getattribute__(self, "_values") is None:
            raise AttributeError(f"there are predicted labels only, no {name}")
        return object.__getattribute__(self, name)

    def predict(self, X):
        return self.classes_[self._said]

    def decision_function(self, X):
        two = len(self.classes_) == 2
        return self._values[:, 1] - self._values[:, 0] if two else self._values

    def predict_proba(self, X):
        """Return softmax probabilities of the slope that suits the rows best."""

        def loss(log_slope):
            p = log_softmax(np.exp(log_slope) * self._values, axis=1)
            return -self._weight @ p[np.arange(len(p)), self._codes]

        slope = np.exp(minimize_scalar(loss, bounds=(-5.0, 5.0), method="bounded").x)
        return softmax(slope * self._values, axis=1)


class Scores:
    """Answers and worth of every theta, leaf by leaf, at one ceiling.

    Parameters
    ----------
    tasks : list of LeafTask
    judgement : Judgement
    """

    def __init__(self, tasks, judgement):
        self.tasks, self._judgement = tasks, judgement
        self.predicted = {}  # theta -> answers, None where it was not asked
        self._values = {}  # theta -> scores for each row and class, if they are needed
        self._worth, self.parts = {}, {}
        self._capped = {}  # theta -> leaves in which it did not converge
        self.fits, self.unconverged = {}, {}
        self.sizes = np.array(
            [judgement.weight[task.val_rows].sum() for task in tasks], float
        )
        self.n_rows = sum(len(task.val_rows) for task in tasks)

    def note(self, theta, k, answer, keep=True):
        """Book the answer of a theta in leaf k; keep its part, if there is one."""
        if theta not in self.predicted:
            self.predicted[theta] = [None] * len(self.tasks)
            self._worth[theta] = np.zeros(len(self.tasks))
            self.fits[theta] = self.unconverged[theta] = 0
            self.parts[theta] = {}
        task = self.tasks[k]
        self.predicted[theta][k] = answer.predicted
        self._worth[theta][k] = self._judgement.worth(
            task.val_rows, answer.predicted
        ).sum()
        self.fits[theta] += int(task.is_mixed)
        if not answer.converged:
            self.unconverged[theta] += 1
            self._capped.setdefault(theta, []).append(k)
        if self._judgement.needs_values:
            self._values.setdefault(theta, {})[k] = task.val_scores(answer.part)
        if keep and answer.part is not None and answer.converged:
            self.parts[theta][k] = answer.part

    def forget_unconverged(self, theta):
        """Drop answers of machines that were capped; their fits stay counted."""
        for k in self._capped.pop(theta, ()):
            self.predicted[theta][k], self._worth[theta][k] = None, 0.0

    def is_known(self, theta, k):
        """Whether the theta has answered leaf k."""
        return theta in self.predicted and self.predicted[theta][k] is not None

    def worth(self, thetas, leaves):
        """Return the worth of answers, (n_thetas, n_leaves)."""
        return np.array([self._worth[t][leaves] for t in thetas])

    def row_worth(self, theta, leaves):
        """Return the worth of each answer in some leaves, row by row."""
        judge, said = self._judgement.worth, self.predicted[theta]
        return np.concatenate([judge(self.tasks[k].val_rows, said[k]) for k in leaves])

    def seen(self, theta):
        """Leaves that the theta has answered."""
        known = self.predicted.get(theta, ())
        return np.array([k for k, own in enumerate(known) if own is not None], int)

    def score(self, theta, leaves=None):
        """Score over the validation rows that the theta has answered, or some."""
        seen = self.seen(theta) if leaves is None else leaves
        rows = [self.tasks[k].val_rows for k in seen]
        if sum(map(len, rows)) == 0:
            return np.nan
        said = np.concatenate([self.predicted[theta][k] for k in seen])
        values = ()
        if self._judgement.needs_values:
            values = (np.concatenate([self._values[theta][k] for k in seen]),)
        return self._judgement.score_of(np.concatenate(rows), said, *values)

    def n_validated(self, theta):
        return sum(len(self.tasks[k].val_rows) for k in self.seen(theta))

    def shared(self, thetas):
        """Return (thetas, leaves): those that can be compared after an early end.

        The leaves are the ones that most of the thetas have answered.
        """
        counts = np.zeros(len(self.tasks), int)
        for t in thetas:
            counts[self.seen(t)] += 1
        counts[self.sizes == 0] = 0
        if counts.max(initial=0) == 0:
            return [], []
        leaves = np.flatnonzero(counts == counts.max())
        able = [t for t in thetas if all(self.is_known(t, k) for k in leaves)]
        return able, leaves
