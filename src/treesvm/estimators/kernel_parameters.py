"""What the kernel machines accept as parameters."""

from collections.abc import Mapping
from numbers import Integral, Real

import numpy as np

from treesvm.kernels.kernel import LARGEST_GAMMA


def check_kernel_parameters(model):
    """Raise a ValueError that names the first parameter out of range.

    Parameters that the model does not have are passed over.
    """
    for name, (is_allowed, advice) in _RULES.items():
        if hasattr(model, name) and not is_allowed(getattr(model, name)):
            value = getattr(model, name)
            raise ValueError(f"{name}={value!r} is not possible; {advice}.")


def is_number(value, *, least=None, above=None, below=None):
    """Whether value is a finite real number within the bounds given."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        return False
    return (
        np.isfinite(value)
        and (least is None or value >= least)
        and (above is None or value > above)
        and (below is None or value < below)
    )


def is_count(value, least=1):
    """Whether value is an integer of at least `least`."""
    return (
        isinstance(value, Integral) and not isinstance(value, bool) and value >= least
    )


def one_of(*allowed):
    """Rule for a parameter with a few allowed values."""
    listed = ", ".join(map(repr, allowed))
    return lambda value: any(value is a or value == a for a in allowed), f"use {listed}"


def _is_flag(value):
    """Whether value is true or false."""
    return isinstance(value, (bool, np.bool_))


def _is_class_weight(value):
    """Whether value is what scikit-learn's classifiers take for the classes."""
    if isinstance(value, str):
        return value == "balanced"
    return value is None or isinstance(value, Mapping)


def is_gamma(value):
    """Whether value is a γ that float32 can multiply by."""
    return is_number(value, above=0.0) and value <= LARGEST_GAMMA


FLAG = (_is_flag, "use True or False")
CLASS_WEIGHT = (_is_class_weight, "use None, 'balanced' or a dict of class to weight")

_POSITIVE = "use a positive, finite number"

_RULES = {
    "C": (lambda value: is_number(value, above=0.0), _POSITIVE),
    "epsilon": (lambda value: is_number(value, least=0.0), "use a number of 0 or more"),
    "gamma": (
        lambda value: (
            value in ("scale", "auto") if isinstance(value, str) else is_gamma(value)
        ),
        f"use 'scale', 'auto' or a positive number up to {LARGEST_GAMMA:.0e}",
    ),
    "degree": (lambda value: is_count(value, 0), "use an integer of 0 or more"),
    "coef0": (is_number, "use a finite number"),
    "tol": (lambda value: is_number(value, above=0.0), _POSITIVE + " such as 1e-3"),
    "cache_size": (lambda value: is_number(value, above=0.0), "use megabytes, above 0"),
    "max_iter": (
        lambda value: value == -1 or is_count(value),
        "use -1 for no cap, or a positive integer",
    ),
    "multi_class": one_of("ovo", "ovr"),
    "decision_function_shape": one_of("ovr", "ovo"),
    "break_ties": FLAG,
    "probability": FLAG,
    "refit": FLAG,
    "class_weight": CLASS_WEIGHT,
    "leaf_scaling": one_of("minmax", None),
    "max_leaf_size": (
        lambda value: is_count(value, 2),
        "use a whole number of rows, 2 or more",
    ),
    "n_estimators": (is_count, "use a positive whole number"),
    "criterion": one_of("entropy", "gini", "log_loss"),
    "border_share": (
        lambda value: is_number(value, least=0.0, below=1.0),
        "use a share in [0, 1)",
    ),
    "max_tree_rows": (
        lambda value: value is None or is_count(value, 2),
        "use a whole number of rows, or None to grow on all of them",
    ),
}
