"""Fitted attributes that are plain values: chosen parameters, counts, tables of scores.

Each has a rule; None stands for an attribute that the model does not have.
"""

import numpy as np

from treesvm.files.failures import require
from treesvm.files.json_values import JsonValues
from treesvm.inputs.parameter_rules import is_number
from treesvm.kernels.kernel import KERNELS
from treesvm.machines.losses import CHAINS

_VALUES = JsonValues()
_WORDS = ("median", "scale", "auto")  # of a gamma


def _is_whole(value):
    return type(value) is int and value >= 0


def _is_real(value):
    return isinstance(value, (int, float))


def _is_positive(value):
    return is_number(value, above=0.0)


def _is_table(value):
    """Whether value is a dict of columns of the same length, of simple values."""
    if not isinstance(value, dict) or not all(isinstance(k, str) for k in value):
        return False
    if not all(isinstance(column, (list, np.ndarray)) for column in value.values()):
        return False
    return len({len(column) for column in value.values()}) <= 1


def _is_times(value):
    return isinstance(value, dict) and all(
        _is_whole(k) and isinstance(v, float) for k, v in value.items()
    )


def _is_theta(value):
    """Whether value is what a search over tables says of its winner."""
    if not isinstance(value, dict):
        return False
    known = {"loss": "hinge"} | value  # earlier files do not name it
    if known.keys() != _THETA.keys():
        return False
    return all(rule(known[name]) for name, rule in _THETA.items())


_THETA = {
    "C": _is_positive,
    "gamma_scale": _is_positive,
    "kernel": lambda name: isinstance(name, str) and name in KERNELS,
    "leaf_scaling": lambda name: name is None or isinstance(name, str),
    "feature_weights": lambda name: name is None or isinstance(name, str),
    "max_leaf_size": _is_whole,
    "loss": lambda name: isinstance(name, str) and name in CHAINS,
}
RULES = {
    "C_": _is_positive,
    "gamma_": lambda value: value in _WORDS or _is_positive(value),
    "alpha_": _is_positive,
    "best_loss_": _is_real,
    "best_score_": _is_real,
    "best_theta_": _is_theta,
    "converged_share_": is_number,
    "cv_results_": _is_table,
    "max_leaf_size_": _is_whole,
    "model_loss_": is_number,
    "n_iter_": _is_whole,
    "n_leaf_fits_": _is_whole,
    "probability_scale_": _is_positive,
    "prune_share_": lambda value: value == "cv" or is_number(value, least=0.0),
    "search_results_": _is_table,
    "seconds_per_ceiling_": _is_times,
    "stopped_early_": lambda value: isinstance(value, bool),
    "target_mean_": is_number,
    "target_scale_": _is_positive,
    "validation_loss_": is_number,
}
_NEVER_MISSING = {
    *("converged_share_", "n_iter_", "target_mean_", "target_scale_"),
    *("best_loss_", "best_theta_"),
}
# Fields that earlier files of the same format do not have.
ADDED_LATER = {"stopped_early_", "theta"}


def write_plain(name, model):
    """Return the JSON form of an attribute."""
    return _VALUES.encode(getattr(model, name, None))


def read_plain(name, node):
    """Return the attribute, in a dict that is empty if the model does not have it."""
    value = _VALUES.decode(node)
    if value is None and name not in _NEVER_MISSING:
        return {}
    require(RULES[name](value), f"{name}={value!r:.50} in its header is out of range")
    return {name: value}
