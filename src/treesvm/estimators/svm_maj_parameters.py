"""What the classifiers made of SVM-Maj accept as parameters."""

from collections.abc import Iterable

from treesvm.estimators.kernel_parameters import (
    CLASS_WEIGHT,
    FLAG,
    is_count,
    is_number,
    one_of,
)


def check_majorization_parameters(model):
    """Raise a ValueError that names the first parameter out of range.

    Parameters that the model does not have are passed over.
    """
    for name, (is_allowed, advice) in _RULES.items():
        if hasattr(model, name) and not is_allowed(getattr(model, name)):
            _refuse(name, getattr(model, name), advice)
    if hasattr(model, "min_rows") and not is_count(model.cv, 2):
        advice = "every node draws its own folds: use how many, 2 or more"
        _refuse("cv", model.cv, advice)


def _refuse(name, value, advice):
    """Raise the error for one parameter."""
    raise ValueError(f"{name}={value!r} is not possible; {advice}.")


def _is_cv(value):
    """Whether scikit-learn's `check_cv` takes value; it is used where λ is chosen."""
    if value is None or hasattr(value, "split"):
        return not isinstance(value, str)
    return is_count(value, 2) or isinstance(value, Iterable)


_RULES = {
    "hinge": one_of("absolute", "quadratic", "huber"),
    "huber_k": (
        lambda value: is_number(value, above=-1.0),
        "use a finite number above -1",
    ),
    "alpha": (
        lambda value: (
            value == "cv" if isinstance(value, str) else is_number(value, above=0.0)
        ),
        "use a positive, finite number or 'cv'",
    ),
    "min_rows": (
        lambda value: (
            value == "n_features"
            if isinstance(value, str)
            else is_number(value, least=0.0)
        ),
        "use a number of rows, 0 or more, or 'n_features'",
    ),
    "prune_share": (
        lambda value: is_number(value, least=0.0, below=1.0),
        "use a share in [0, 1); 0 does not prune",
    ),
    "max_depth": (
        lambda value: value is None or is_count(value),
        "use a positive integer, or None for no limit",
    ),
    "multi_class": one_of("tree", "ovo", "ovr"),
    "leaf_answer": one_of("majority", "last"),
    "balance_nodes": FLAG,
    "fit_intercept": FLAG,
    "probability": FLAG,
    "class_weight": CLASS_WEIGHT,
    "cv": (_is_cv, "use a number of folds, 2 or more, a splitter or its splits"),
    "tol": (
        lambda value: is_number(value, above=0.0),
        "use a positive number such as 1e-7",
    ),
    "max_iter": (is_count, "use a positive integer"),
    "max_steps": (is_count, "use a positive integer"),
}
