"""What every classifier does with the rows it is given, before any algorithm starts."""

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    validate_data,
)

from treesvm.inputs.named_errors import naming
from treesvm.inputs.row_access import canonical_rows
from treesvm.inputs.rows import Rows

INPUT = {
    "accept_sparse": "csr",
    "accept_large_sparse": False,
    "dtype": (np.float64, np.float32),
    "order": "C",
}
LARGEST_VALUE = 1e15  # squared distances of such rows still fit into float32
LARGEST_SPLIT = 1e38  # what float32 holds, the type of an axis-parallel tree
LARGEST_SQUARED = 1e150  # whose squares still fit into float64
LARGEST_TARGET = 1e100  # so that sums of squares stay finite
LARGEST_BOX = 1e20  # sums of a billion such coefficients still fit into float32
_MOST_CHOSEN = 100.0  # a C that is left to the rows is smaller


def plain_rows(X):
    """Return rows as compiled code takes them, for models that others made."""
    return check_array(canonical_rows(X), **INPUT)


def checked_rows(model, X, y="no_validation", **options):
    """Return what scikit-learn's `validate_data` makes of `X`, or of `X` and `y`.

    Sparse rows become canonical, with 32-bit indices where so many bits suffice. Values
    that the model's machines would multiply as they are must not be enormous.
    """
    asks_rows_only = isinstance(y, str) and options == {"reset": False}
    if asks_rows_only and _is_plain(X, model):
        checked = X
    else:
        options = INPUT | options
        if not isinstance(y, str) and y is not None:
            with naming("y"):
                check_labels(y)
                y = _check_y(y, y_numeric=options.get("y_numeric", False))
        check_unmasked("X", X)
        refuse_dates(X)
        # Looking for NaN, scikit-learn sums rows up, and sums of huge ones are none.
        with naming("X"), np.errstate(over="ignore", invalid="ignore"):
            checked = validate_data(model, canonical_rows(X), y, **options)
        if options.get("y_numeric"):
            checked = checked[0], number_target(checked[1])
    if _multiplies_raw_values(model):
        check_magnitude(checked[0] if isinstance(checked, tuple) else checked)
    return checked


def _is_plain(X, model):
    """Whether `X` is an array that `validate_data` would hand back as it is.

    Its questions cost a single row more than the answer does.
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in INPUT["dtype"]
        and X.flags.c_contiguous
        and len(X) > 0
        and X.shape[1] == getattr(model, "n_features_in_", None)
        and not hasattr(model, "feature_names_in_")
        and _is_finite(X)
    )


def _is_finite(X):
    """Whether all numbers are, and their sum, too: others get a closer look."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.isfinite(X.sum())


def check_unmasked(name, values):
    """Raise a ValueError for masked values: NumPy would take what lies beneath."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name} holds masked values, and what lies beneath a mask means nothing; "
            f"fill them in ({name}.filled(...)), or drop these rows."
        )


def refuse_dates(X):
    """Raise a TypeError for dates and times: as numbers they would be nanoseconds."""
    for dtype in np.atleast_1d(getattr(X, "dtypes", getattr(X, "dtype", None))):
        is_temporal = getattr(dtype, "is_temporal", None)  # of polars
        if getattr(dtype, "kind", "") in ("m", "M") or (is_temporal and is_temporal()):
            raise TypeError(
                f"X holds dates or times ({dtype}); replace them by numbers, such as "
                "the days since the first date, the month and the day of the week."
            )


def check_labels(y):
    """Raise an error for labels that mean nothing.

    That is masked, complex and missing ones, and lists in which 1 would be "1".
    """
    check_unmasked("y", y)
    kind = getattr(getattr(y, "dtype", None), "kind", "")
    if kind == "c":
        raise ValueError("y: Complex data not supported; give labels, or real numbers.")
    if kind == "O" or isinstance(y, (list, tuple)):
        missing = [row for row, label in enumerate(y) if is_missing(label)]
        if missing:
            raise ValueError(
                f"y: Input contains NaN: row {missing[0] + 1:,} has no label "
                f"({len(missing):,} in all); drop such rows."
            )
    if isinstance(y, (list, tuple)):
        kinds = set(map(type, y))
        if len(kinds) > 1 and any(issubclass(kind, str) for kind in kinds):
            raise _mixed_labels(kinds)


def is_missing(value):
    """Whether an object stands for no value: None, NaN, pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def _mixed_labels(kinds):
    words = ", ".join(sorted(kind.__name__ for kind in kinds))
    if len(kinds) > 1:
        words = f"several types ({words})"
    return TypeError(
        f"y holds labels of {words} that have no order; make them strings: "
        "y.astype(str)."
    )


def number_target(y):
    """Return numbers to be learned as float64; their squares are finite."""
    if y.dtype.kind in "mM":  # would be nanoseconds, or whatever their unit is
        raise TypeError(
            f"y holds dates or times ({y.dtype}); replace them by numbers, such as the "
            "days since the first date."
        )
    with naming("y"):
        y = np.asarray(y, dtype=np.float64)
    largest = np.abs(y).max(initial=0.0)
    if largest > LARGEST_TARGET:
        raise ValueError(
            f"y holds {largest:.3g}; squares of such numbers overflow. Divide y, so "
            f"that no value is beyond {LARGEST_TARGET:.0e}."
        )
    return y


def checked_target(model, y, *, is_numeric=False):
    """Return the labels or numbers that come with a table."""
    with naming("y"):
        check_labels(y)
        y = _check_y(y, y_numeric=is_numeric, estimator=model)
    return number_target(y) if is_numeric else y


def class_codes(y):
    """Return the classes in ascending order, and the code of every label."""
    try:
        check_classification_targets(y)
        return np.unique(y, return_inverse=True)
    except TypeError as error:
        labels = np.asarray(y, dtype=object).ravel()
        raise _mixed_labels(set(map(type, labels))) from error


def takes_gram(model):
    """Whether a model's rows are kernel values, not features."""
    kernel = getattr(model, "kernel", None)
    return isinstance(kernel, str) and kernel == "precomputed"


def _check_square(model, X):
    """Raise a ValueError if training rows are to be a Gram matrix and are none."""
    if takes_gram(model) and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"kernel='precomputed' wants a square matrix of kernel values, got shape "
            f"{X.shape}; pass kernel(X, X), or rows with another kernel."
        )


def _multiplies_raw_values(model):
    """Whether rows reach a kernel or a linear solver without being scaled before."""
    if takes_gram(model) or getattr(model, "leaf_scaling", None) == "minmax":
        return False
    return any(hasattr(model, name) for name in ("kernel", "leaf_scaling", "hinge"))


def check_magnitude(X, largest=LARGEST_VALUE):
    """Raise a ValueError if distances between rows of `X` would overflow."""
    values = X.data if sparse.issparse(X) else X
    if values.size == 0 or float(max(values.max(), -values.min())) <= largest:
        return
    where = np.unravel_index(np.abs(values).argmax(), values.shape)
    column = X.indices[where[0]] if sparse.issparse(X) else where[1]
    raise ValueError(
        f"X holds {values[where]:.3g} in column {column}; squared distances of such "
        f"rows overflow. Scale the features (StandardScaler, MinMaxScaler), so that no "
        f"value is beyond {largest:.0e}."
    )


def class_rows(model, X, y, sample_weight):
    """Check training data; set ``classes_``; return all rows, classes as codes.

    The model's `class_weight`, if it has one, multiplies their weights. Raises a
    ValueError when fewer than two classes have weight.
    """
    X, y = checked_rows(model, X, y)
    _check_square(model, X)
    model.classes_, codes = class_codes(y)
    check_two_classes(model.classes_)
    weight = row_weights(X, sample_weight)
    class_weight = getattr(model, "class_weight", None)
    weight = weight * compute_sample_weight(class_weight, y)
    check_boxes(model, weight.max())
    mass = np.bincount(codes, weights=weight, minlength=len(model.classes_))
    check_class_masses(model.classes_, mass)
    return Rows(X, codes, weight, len(model.classes_))


def check_two_classes(classes):
    """Raise a ValueError if there is nothing to tell apart."""
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only, {classes.tolist()[0]!r}; a classifier needs rows "
            "of at least two classes. Check the labels, or use a one-class method."
        )


def number_rows(model, X, y, sample_weight):
    """Check training data with a target of numbers; return all rows."""
    X, y = checked_rows(model, X, y, y_numeric=True)
    _check_square(model, X)
    weight = row_weights(X, sample_weight)
    check_boxes(model, weight.max())
    return Rows(X, y, weight, None)


def check_class_masses(classes, mass):
    """Raise a ValueError that names the first class without weight."""
    if (mass <= 0).any():
        empty = classes[np.flatnonzero(mass <= 0)[:1]].tolist()[0]
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
    check_unmasked("sample_weight", sample_weight)
    with naming("sample_weight"):
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, copy=True)
    least = weight.min(where=weight > 0.0, initial=np.inf)
    check_weight_range(weight.min(), weight.max(), least)
    return weight


def check_boxes(model, largest):
    """Raise a ValueError if coefficients up to C x the largest weight could overflow.

    Models without C are asked for the weights alone.
    """
    grid = getattr(model, "Cs", None)
    C = getattr(model, "C", 1.0) if grid is None else np.max(grid)
    C = _MOST_CHOSEN if isinstance(C, str) else float(C)
    largest = float(largest)
    if max(1.0, C) * largest <= LARGEST_BOX:
        return
    raise ValueError(
        f"the largest row weight is {largest:.3g} and C is {C:.3g}, so coefficients "
        f"of {C * largest:.3g} are possible; sums of them overflow. Divide the weights "
        f"(sample_weight, class_weight) or C, so that neither the weights nor C times "
        f"the weights are beyond {LARGEST_BOX:.0e}."
    )


def check_weight_range(lowest, highest, least_positive):
    """Raise a ValueError if weights are negative, denormal or all of them zero."""
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
    if least_positive < np.finfo(np.float64).tiny:
        raise ValueError(
            f"sample_weight holds {least_positive}, which has no full precision; "
            "multiply the weights, or weigh such rows with zero."
        )
