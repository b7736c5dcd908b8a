"""What every classifier does with the rows it is given, before any algorithm starts."""

import numpy as np
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

INPUT = {
    "accept_sparse": "csr",
    "accept_large_sparse": False,
    "dtype": (np.float64, np.float32),
    "order": "C",
}


def classification_rows(model, X, y, sample_weight, class_weight, **input_options):
    """Check training data; set ``classes_``; return X, class codes and row weights.

    Raises a ValueError when fewer than two classes have weight.
    """
    X, y = validate_data(model, X, y, **(INPUT | input_options))
    check_classification_targets(y)
    model.classes_, codes = np.unique(y, return_inverse=True)
    if len(model.classes_) < 2:
        raise ValueError(
            f"y holds one class only, {model.classes_[0]!r}; a classifier needs rows "
            "of at least two classes. Check the labels, or use a one-class method."
        )
    weight = row_weights(X, sample_weight)
    weight = weight * compute_sample_weight(class_weight, y)
    mass = np.bincount(codes, weights=weight, minlength=len(model.classes_))
    check_class_masses(model.classes_, mass)
    return X, codes, weight


def check_class_masses(classes, mass):
    """Raise a ValueError that names the first class without weight."""
    if (mass <= 0).any():
        empty = classes[np.flatnonzero(mass <= 0)[0]]
        raise ValueError(
            f"every row of class {empty!r} has weight zero, so nothing is known of "
            "this class; give it weight, or drop its rows."
        )


def class_factors(class_weight, classes, counts):
    """Return what `class_weight` multiplies the rows of each class by.

    The same as `compute_sample_weight` on all labels, from the counts of the classes.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        return counts.sum() / (len(classes) * counts.astype(np.float64))
    return compute_sample_weight(class_weight, classes)


def row_weights(X, sample_weight):
    """Return the weight of every row as float64, one where none is given."""
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, copy=True)
    check_weight_range(weight.min(), weight.max())
    return weight


def check_weight_range(lowest, highest):
    """Raise a ValueError if weights are negative or all of them zero."""
    if lowest < 0.0:
        raise ValueError(
            f"sample_weight holds {lowest}; weights must not be negative. "
            "Drop such rows, or weigh them with zero."
        )
    if highest == 0.0:
        raise ValueError(
            "sample_weight is zero for every row; nothing is left to fit. Give at "
            "least two classes a positive weight."
        )
