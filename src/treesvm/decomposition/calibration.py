"""Probabilities from decision scores by one scale, without offset.

A sigmoid or softmax of ``scale * scores`` keeps the order of the classes, so the most
probable class is the predicted one, by construction.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.model_selection import KFold, StratifiedKFold

_SCALES = (-7.0, 7.0)  # natural logarithm of the scale: from 1/1000 to 1000


def has_probability(model):
    """`predict_proba` exists when it was asked for."""
    if not model.probability:
        raise AttributeError(
            "predict_proba needs probability=True, which trains held-out machines."
        )
    return True


def held_out_scores(fit_scores, codes, random_state, n_folds=5):
    """Return scores of every row by a model that was not trained on it.

    Parameters
    ----------
    fit_scores : callable
        ``fit_scores(train, test)`` trains on the rows `train` and returns scores of the
        rows `test`.
    codes : ndarray of shape (n,)
    """
    smallest = np.bincount(codes).min()
    n_folds = min(n_folds, len(codes))
    if smallest >= 2:
        folds = StratifiedKFold(
            min(n_folds, smallest), shuffle=True, random_state=random_state
        )
    else:  # a class with one row cannot be in both parts
        folds = KFold(n_folds, shuffle=True, random_state=random_state)
    scores = None
    for train, test in folds.split(codes[:, None], codes):
        part = fit_scores(train, test)
        if scores is None:
            scores = np.zeros((len(codes), *part.shape[1:]))
        scores[test] = part
    return scores


def fit_scale(scores, codes, weight):
    """Return the scale that minimises the log loss of the held-out scores."""

    def loss(log_scale):
        log_p = log_probabilities(scores, np.exp(log_scale))
        return -np.average(log_p[np.arange(len(codes)), codes], weights=weight)

    return float(np.exp(minimize_scalar(loss, bounds=_SCALES, method="bounded").x))


def log_probabilities(scores, scale):
    """Logarithms of the class probabilities; binary scores are one column."""
    if scores.ndim == 1:
        scores = np.stack([np.zeros_like(scores), scores], axis=1)
    scaled = scale * scores
    scaled = scaled - scaled.max(axis=1, keepdims=True)
    return scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True))


def probabilities(scores, scale):
    """Class probabilities, shape (n, n_classes)."""
    return np.exp(log_probabilities(scores, scale))


def winner_on_top(scores, codes):
    """Give the winner the largest score of its row, where votes were tied."""
    scores, rows = scores.copy(), np.arange(len(scores))
    best = scores.argmax(axis=1)
    top, own = scores[rows, best], scores[rows, codes]
    scores[rows, best], scores[rows, codes] = own, top
    return scores


def spread(values, seen, n_classes):
    """Scores of the classes that a held-out model knew, among all classes."""
    if n_classes == 2 and len(seen) == 2:
        return values
    scores = np.full((len(values), n_classes), values.min() - 1.0)
    if len(seen) == 2:
        values = np.stack([-values, values], axis=1)
    scores[:, seen] = values
    return scores
