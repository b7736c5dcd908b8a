"""Class labels and feature names: simple types only, given back as they were."""

import numpy as np

from treesvm.files.checked_arrays import is_valid_text
from treesvm.files.failures import require
from treesvm.files.json_values import field, whole_number

MAX_CLASSES = 100_000  # every answer has a score for each class
MAX_FEATURES = 2**31 - 1  # sparse rows have 32-bit column numbers
_MAX_LABEL_BYTES = 4 * 9999  # text of four-byte characters
_OBJECT_TYPES = {str: "U", bool: "?", int: "i8", float: "f8"}
_LABEL_TYPES = "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8"


def write_classes(model, arrays):
    """Put the labels into `arrays`; return the section that describes them."""
    classes = model.classes_
    is_object = classes.dtype == object
    plain = _plain(classes) if is_object else classes
    if plain.dtype.kind not in "biufU" or plain.dtype.itemsize > _MAX_LABEL_BYTES:
        raise ValueError(
            f"classes_ holds labels of type {classes.dtype}, which a model file cannot "
            "hold; train with labels that are integers, floats, booleans or text of "
            "at most 9,999 characters."
        )
    arrays["classes"] = plain
    return {"is_object": bool(is_object)}


def _plain(labels):
    """Labels of an object array as an array of their common simple type."""
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and next(iter(kinds)) in _OBJECT_TYPES:
        try:
            plain = labels.astype(_OBJECT_TYPES[kinds.pop()])
        except OverflowError:
            plain = np.array([])
        # NumPy cuts zero characters off the end of text.
        if plain.tolist() == labels.tolist():
            return plain
    listed = (
        ", ".join(sorted(kind.__name__ for kind in kinds)) or "64-bit or zero-ended"
    )
    raise ValueError(
        f"labels or names of type {listed} cannot be held in a model file; use one of "
        "int, float, bool or str for all of them."
    )


def read_classes(section, arrays, model):
    """Return the labels, sorted and different from each other."""
    is_object = field(section, "is_object", bool)
    if arrays.dtype_of("classes").kind == "U":
        classes = arrays.take_text("classes")
    else:
        classes = arrays.take("classes", _LABEL_TYPES, (None,))
    require(1 <= len(classes) <= MAX_CLASSES, f"it has {len(classes)} classes")
    require(
        np.array_equal(np.unique(classes), classes),
        "its class labels are not sorted or occur twice",
    )
    if is_object:
        labels = np.empty(len(classes), dtype=object)
        labels[:] = classes.tolist()
        classes = labels
    return {"classes_": classes}


def write_features(model, arrays):
    """Put the names of the features, if there are any, into `arrays`."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        arrays["feature_names"] = _plain(np.asarray(names, dtype=object))
        if not is_valid_text(arrays["feature_names"]):
            raise ValueError(
                "a feature name holds characters that cannot be written; rename it."
            )
    return {"n_features": int(model.n_features_in_), "has_names": names is not None}


def read_features(section, arrays, model):
    """Return the number of features and, if there are any, their names."""
    n_features = whole_number(section, "n_features", 1, MAX_FEATURES)
    if not field(section, "has_names", bool):
        return {"n_features_in_": n_features}
    names = arrays.take_text("feature_names")
    require(
        len(names) == n_features and len(set(names.tolist())) == n_features,
        f"it has {len(names)} feature names for {n_features} features, or one of "
        "them twice",
    )
    return {"n_features_in_": n_features, "feature_names_in_": names.astype(object)}
