"""Linear SVMs for many values of lambda, and the choice among them by folds.

What can be shared is shared by the order of the loops: one decomposition of the second
moments for each fold serves all lambda, all steps and all classes; lambda descends and
each solution starts from the one before, whose predictions q are still at hand; and the
held-out rows are scored for all lambda in one matrix product.
"""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from treesvm.solvers.majorization import descend, start_from
from treesvm.solvers.majorized_rows import majorized_rows

# The grid of Fayoyin (2017), section 5: 2^-15, 2^-14.5, …, 2^8.
PAPER_PENALTIES = 2.0 ** np.arange(-15.0, 8.5, 0.5)

_TIED = 1e-12  # weights summed in another order differ by less, relatively


class PathOptions(NamedTuple):
    """How every machine on a path is trained; see `solve_majorization`."""

    hinge: object
    fit_intercept: bool = True
    steps: str = "conjugate"
    tol: float = 1e-7
    max_iter: int = 1000


class PenaltyChoice(NamedTuple):
    """The lambda that answers most held-out weight correctly; the largest if tied."""

    penalty: float
    penalties: np.ndarray  # (n_penalties,) descending
    accuracy: np.ndarray  # (n_penalties,) share of the held-out weight
    converged_share: float  # of all machines trained


class Path(NamedTuple):
    """Machines for descending lambda, in the original features."""

    weights: np.ndarray  # (n_features, n_penalties)
    biases: np.ndarray  # (n_penalties,)
    n_iter: np.ndarray  # (n_penalties,)
    converged: np.ndarray  # (n_penalties,) bool


def majorization_path(rows, y, penalties, options):
    """Train a machine for each lambda, each from the one before.

    Parameters
    ----------
    rows : MajorizedRows
    y : ndarray of shape (n_rows,), labels -1 and +1
    penalties : ndarray of shape (n_penalties,)
        Descending: a machine with more freedom starts from one with less.
    options : PathOptions

    Returns
    -------
    Path
    """
    y = np.asarray(y, dtype=np.float64)
    state = start_from(rows)
    weights = np.empty((len(rows.mean), len(penalties)))
    biases = np.empty(len(penalties))
    n_iter = np.empty(len(penalties), int)
    converged = np.empty(len(penalties), bool)
    for t, penalty in enumerate(penalties):
        change, n_iter[t] = descend(
            rows,
            y,
            penalty,
            options.hinge,
            state,
            options.steps,
            options.tol,
            options.max_iter,
        )
        converged[t] = change <= options.tol
        weights[:, t], biases[t] = rows.unfold(state[0], float(state[1][0]))
    return Path(weights, biases, n_iter, converged)


def choose_penalty(X, y, splits, options, *, weight=None, penalties=None, n_jobs=None):
    """Choose lambda by cross-validation.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
    y : ndarray of int, shape (n_rows,)
        Class codes 0, 1, …; with more than two classes there is a machine for each
        class against the rest, and one lambda for all.
    splits : iterable of (train, test)
        Row numbers.
    options : PathOptions
    weight : ndarray of shape (n_rows,), optional
        Weights, not negative, in training and in scoring.
    penalties : array-like, optional
        The thesis' grid by default.
    n_jobs : int, optional
        Threads, one fold each.

    Returns
    -------
    PenaltyChoice
    """
    penalties = PAPER_PENALTIES if penalties is None else np.asarray(penalties, float)
    penalties = np.sort(penalties)[::-1]
    weight = np.ones(len(y)) if weight is None else weight
    n_classes = int(y.max()) + 1
    answers = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(_score_fold)(X, y, weight, n_classes, penalties, options, *split)
        for split in splits
    )
    correct, total, converged = (sum(parts) for parts in zip(*answers, strict=True))
    best = int(np.flatnonzero(correct >= correct.max() * (1.0 - _TIED))[0])
    return PenaltyChoice(
        float(penalties[best]),
        penalties,
        correct / total,
        float(np.mean(converged) / len(answers)),
    )


def draw_folds(codes, n_folds, seed):
    """Return (train, test) pairs of random folds in which each class is spread evenly.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,)
        Class codes. A class may have fewer rows than there are folds.
    n_folds : int
        No more than rows are made.
    seed : int
    """
    n_folds = min(n_folds, len(codes))
    order = np.random.default_rng(seed).permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    fold = np.empty(len(codes), int)
    # Dealing out the sorted rows one by one keeps classes and sizes even at once.
    fold[order] = np.arange(len(codes)) % n_folds
    return [
        (np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)
    ]


def _score_fold(X, y, weight, n_classes, penalties, options, train, test):
    """Return (correct weight for each lambda, held-out weight, converged shares)."""
    train = train[weight[train] > 0.0]
    rows = majorized_rows(X[train], weight[train], fit_intercept=options.fit_intercept)
    X_test, y_test = X[test], y[test]
    lead = np.full((len(test), len(penalties)), -np.inf)
    answer = np.zeros(lead.shape, dtype=y.dtype)
    converged = np.zeros(len(penalties))
    # Two classes need one machine: class 1 wins where its value is positive.
    wanted = range(n_classes) if n_classes > 2 else [1]
    if n_classes <= 2:
        lead[:] = 0.0
    for k in wanted:
        sides = np.where(y[train] == k, 1.0, -1.0)
        path = majorization_path(rows, sides, penalties, options)
        values = np.asarray(X_test @ path.weights) + path.biases
        is_better = values > lead
        answer[is_better], lead[is_better] = k, values[is_better]
        converged += path.converged
    correct = weight[test] @ (answer == y_test[:, None])
    return correct, weight[test].sum(), converged / len(wanted)
