"""What estimators accept as parameters: one table, one check, one text of errors.

A rule is a pair (is_allowed, advice). `RULES` holds those that mean the same in all
estimators; a class whose parameter means something else names its own rule in a class
attribute ``_rules``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from numbers import Integral, Real
from typing import Any

import numpy as np

from treesvm.inputs.job_limit import MAX_JOBS
from treesvm.kernels.width import LARGEST_GAMMA

Rule = tuple[Callable[[Any], bool], str]


def check_parameters(model) -> None:
    """Raise a ValueError that names the first parameter out of range.

    Parameters without a rule are passed over.
    """
    rules = RULES | getattr(model, "_rules", {})
    for name, value in model.get_params(deep=False).items():
        if name in rules:
            check_value(name, value, rules[name])


def check_value(name: str, value, rule: Rule | None = None) -> None:
    """Raise a ValueError if a value is not possible for the parameter."""
    is_allowed, advice = RULES[name] if rule is None else rule
    if not is_allowed(value):
        raise ValueError(f"{name}={value!r} is not possible; {advice}.")


def is_number(value, *, least=None, above=None, below=None, most=None):
    """Whether value is a finite real number within the bounds given."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        return False
    if isinstance(value, Integral) and not -(2**63) <= value < 2**63:
        return False  # compiled code cannot take it for a number
    value = float(value)  # bounds overflow in the narrow types
    return bool(
        np.isfinite(value)
        and (least is None or value >= least)
        and (above is None or value > above)
        and (below is None or value < below)
        and (most is None or value <= most)
    )


def is_count(value, least=1):
    """Whether value is an integer of at least `least`."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    return is_whole and least <= value < 2**63  # what compiled code can count to


def one_of(*allowed) -> Rule:
    """Rule for a parameter with a few allowed values."""
    listed = ", ".join(map(repr, allowed))

    def is_allowed(value):
        return any(
            value is a or (isinstance(value, type(a)) and value == a) for a in allowed
        )

    return is_allowed, f"use {listed}"


def number(advice: str, **bounds) -> Rule:
    """Rule for a number within bounds."""
    return lambda value: is_number(value, **bounds), advice


def count(advice: str, least: int = 1) -> Rule:
    """Rule for a whole number."""
    return lambda value: is_count(value, least), advice


def either(word, rule: Rule) -> Rule:
    """Rule for a word (or None), or else what another rule allows."""

    def is_allowed(value):
        if value is None or isinstance(value, str):
            return value is word or value == word
        return rule[0](value)

    return is_allowed, rule[1]


FLAG: Rule = (
    lambda value: isinstance(value, (bool, np.bool_)),
    "use True or False",
)
_POSITIVE = "use a positive, finite number"
_SHARE = "use a share in [0, 1); 0 does not prune"
_IS_POSITIVE = number(_POSITIVE, above=0.0)
_WHOLE = count("use a positive whole number")


def is_gamma(value) -> bool:
    """Whether value is a γ that float32 can multiply by."""
    return is_number(value, above=0.0, most=LARGEST_GAMMA)


def _is_gamma_or_word(value):
    words = ("median", "scale", "auto")
    return value in words if isinstance(value, str) else is_gamma(value)


def _is_weights(value):
    if value is None or isinstance(value, str):
        return value in (None, "learned", "local")
    try:
        weights = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    fits = weights.ndim == 1 and np.isfinite(weights).all()
    return bool(fits and (weights >= 0).all() and (weights > 0).any())


def _is_class_weight(value):
    """Whether value is what scikit-learn's classifiers take for the classes."""
    if isinstance(value, str):
        return value == "balanced"
    if isinstance(value, Mapping):
        return all(is_number(weight, least=0.0) for weight in value.values())
    return value is None


def _is_cv(value):
    """Whether value is something that scikit-learn's `check_cv` takes, or a share."""
    if isinstance(value, str):
        return value == "auto"
    if isinstance(value, (bytes, np.ndarray)):
        return False
    if value is None or hasattr(value, "split") or is_count(value, 2):
        return True
    if isinstance(value, (Sequence, Set, Mapping)):
        return len(value) > 0 and all(
            isinstance(pair, (Sequence, np.ndarray)) and len(pair) == 2
            for pair in value
        )
    return is_number(value, above=0.0, below=1.0) or isinstance(value, Iterable)


def _is_grid(value):
    if value is None:
        return True
    if np.ndim(value) != 1 or len(value) == 0:
        return False
    return all(is_number(item, above=0.0) for item in value)


GRID: Rule = (_is_grid, "use a list of positive, finite numbers")


def _is_seed(value):
    """Whether scikit-learn's `check_random_state` takes the value."""
    if value is None or value is np.random:
        return True
    return isinstance(value, np.random.RandomState) or (
        isinstance(value, Integral) and 0 <= value < 2**32
    )


RULES: dict[str, Rule] = {
    "random_state": (
        _is_seed,
        "use None, a whole number from 0 to 2**32 - 1, or a RandomState",
    ),
    "n_jobs": (
        lambda value: (
            value is None or (is_count(value, -MAX_JOBS) and 0 != value <= MAX_JOBS)
        ),
        f"use None, a number of threads up to {MAX_JOBS}, or -1 for all processors",
    ),
    "C": _IS_POSITIVE,
    "Cs": GRID,
    "gammas": GRID,
    "epsilon": number("use a number of 0 or more", least=0.0),
    "gamma": (
        _is_gamma_or_word,
        f"use 'median', 'scale', 'auto' or a positive number up to {LARGEST_GAMMA:.0e}",
    ),
    "gamma_scale": _IS_POSITIVE,
    "feature_weights": (
        _is_weights,
        "use None, 'learned', 'local', or a number of 0 or more for each feature, not "
        "all zero",
    ),
    "degree": count("use an integer of 0 or more", 0),
    "coef0": number("use a finite number"),
    "tol": number(_POSITIVE + " such as 1e-3", above=0.0),
    "cache_size": number("use megabytes, above 0", above=0.0),
    "max_iter": (
        lambda value: value == -1 or is_count(value),
        "use -1 for no cap, or a positive integer",
    ),
    "multi_class": one_of("ovo", "ovr"),
    "loss": one_of("hinge", "squared"),
    "decision_function_shape": one_of("ovr", "ovo"),
    "leaf_scaling": one_of("minmax", "quantile", "standard", None),
    "max_leaf_size": count("use a whole number of rows, 2 or more", 2),
    "n_estimators": _WHOLE,
    "criterion": one_of("entropy", "gini", "log_loss"),
    "max_tree_rows": either(
        None, count("use a whole number of rows, or None to grow on all of them", 2)
    ),
    "max_features": either(
        None,
        number("use a share of the features in (0, 1], or None", above=0.0, most=1.0),
    ),
    "splitter": one_of("best", "random"),
    "randomize": one_of("features", "splits"),
    "probability": FLAG,
    "scale_target": FLAG,
    "voting": one_of("soft", "hard"),
    "class_weight": (
        _is_class_weight,
        "use None, 'balanced' or a dict of class to a weight of 0 or more",
    ),
    "cv": (
        _is_cv,
        "use 'auto', a share between 0 and 1, a number of folds of 2 or more, or a "
        "splitter",
    ),
    "break_ties": FLAG,
    "refit": FLAG,
    "hinge": one_of("absolute", "quadratic", "huber"),
    "huber_k": number("use a finite number above -1", above=-1.0),
    "balance_nodes": FLAG,
    "fit_intercept": FLAG,
    "leaf_answer": one_of("majority", "last"),
    "max_steps": _WHOLE,
    "regularization": one_of("paper", "mean"),
    "solver": one_of("dual", "pegasos", "pegasos-paper"),
    "alpha": either("auto", number('use a positive number or "auto"', above=0.0)),
    "min_share": either(
        "auto", number('use a share of the rows, 0 or more, or "auto"', least=0.0)
    ),
    "prune_share": number(_SHARE, least=0.0, below=1.0),
    "max_passes": _WHOLE,
    "max_node_rows": either(
        None, count("use a whole number of rows, or None to train on all of them")
    ),
    "standardize": FLAG,
    "batch_size": either(None, _WHOLE),
    "bias_rate": either(None, _IS_POSITIVE),
    "max_depth": either(None, count("use a positive integer, or None for no limit")),
    "search": one_of("raced", "exhaustive"),
    "top_k": count("use a whole number of 1 or more"),
    "growth": count("use a whole number of 2 or more", 2),
    "min_gain": number("use a number of 0 or more", least=0.0),
    "time_limit": either(None, number("use seconds, above 0, or None", above=0.0)),
    "max_samples": count("use a whole number of 2 or more", 2),
    "max_estimators": count("use a whole number of 1 or more"),
    "share": number("use a number above 0, at most 1", above=0.0, most=1.0),
    "random_share": number("use a number of 0 or more, at most 1", least=0.0, most=1.0),
    "n_neighbors": count("use a whole number of 1 or more"),
    "floor": number("use a number above 0", above=0.0),
}
