"""The slope of `predict_proba`, from rows that a model was not trained on."""

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold

from treesvm.decomposition.calibration import fit_scale
from treesvm.inputs.training_rows import takes_gram

_FOLDS = 5


def held_out_scale(model, rows, **parameters):
    """Return the slope that fits what copies of `model` say of rows they do not know.

    Parameters
    ----------
    model : classifier
        With the parameters `probability`, `class_weight` and `random_state`.
    rows : Rows
        That it was trained on; class weights are among the weights.
    **parameters
        What the copies have instead of the model's own.
    """
    parameters |= {"probability": False, "class_weight": None}
    is_gram = takes_gram(model)
    (X, codes, weight, n_classes), scores = rows, None
    for train, test in _folds(codes, model.random_state):
        copy = clone(model).set_params(**parameters)
        known = X[np.ix_(train, train)] if is_gram else X[train]
        asked = X[np.ix_(test, train)] if is_gram else X[test]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            copy.fit(known, codes[train], sample_weight=weight[train])
        said = _among_all(copy.decision_function(asked), copy.classes_, n_classes)
        if scores is None:
            scores = np.zeros((len(codes), *said.shape[1:]))
        scores[test] = said
    return fit_scale(scores, codes, weight)


def _folds(codes, random_state):
    """Return (train, test) of each fold, the classes shared out evenly if they can."""
    smallest, n_folds = np.bincount(codes).min(), min(_FOLDS, len(codes))
    how = {"shuffle": True, "random_state": random_state}
    if smallest >= 2:
        folds = StratifiedKFold(min(n_folds, smallest), **how)
    else:  # a class with one row cannot be in both parts
        folds = KFold(n_folds, **how)
    return folds.split(codes[:, None], codes)


def _among_all(values, seen, n_classes):
    """Return scores of the classes that a copy knows, among all classes."""
    if n_classes == 2 and len(seen) == 2:
        return values
    scores = np.full((len(values), n_classes), values.min() - 1.0)
    if len(seen) == 2:
        values = np.stack([-values, values], axis=1)
    scores[:, seen] = values
    return scores
