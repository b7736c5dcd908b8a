"""The scale of `predict_proba` of decomposed machines, from rows held out once.

Five folds would cost five fits of all leaves; a fifth of many rows is enough for one
number.
"""

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from treesvm.decomposition.calibration import fit_scale
from treesvm.decomposition.decomposition import joint_scores

_SHARE = 0.2
_FEWEST = 5  # rows of a class that both sides should see


def calibration_rows(codes, seed):
    """Return (rows that train, rows that are held out)."""
    smallest = np.bincount(codes).min()
    return train_test_split(
        np.arange(len(codes)),
        test_size=_SHARE,
        stratify=codes if smallest >= _FEWEST else None,
        random_state=seed,
    )


def calibration_model(model, checkpoint):
    """Return the unfitted model that is trained on the rows not held out."""
    model = clone(model).set_params(probability=False, class_weight=None, verbose=0)
    return model.set_params(checkpoint=checkpoint)


def scale_of(held_out, known, codes, weight, n_classes):
    """Return the scale for held-out scores of a model that knows the codes `known`."""
    scores = np.full((len(codes), n_classes), -np.inf)
    scores[:] = held_out.min(axis=1, keepdims=True) - 1.0
    scores[:, known] = held_out
    return fit_scale(scores, codes, weight)


def calibrate(model, rows, seed, checkpoint=None):
    """Fit a second model without a fifth of the rows and return the scale of these."""
    train, test = calibration_rows(rows.target, seed)
    second, own, held = (
        calibration_model(model, checkpoint),
        rows.take(train),
        rows.take(test),
    )
    second.fit(own.X, own.target, sample_weight=own.weight)
    scores = joint_scores(second.decompositions_, held.X, model.n_jobs)
    return scale_of(scores, second.classes_, held.target, held.weight, rows.n_classes)
