"""What searches report beside the model: chosen values and tables of scores."""

import numpy as np

from treesvm.files.failures import require
from treesvm.inputs.parameter_rules import is_number
from treesvm.persistence.json_values import decode, encode, field


def _is_whole(value):
    return type(value) is int and value >= 0


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


# Attribute -> whether a value is one that it may have.
_RULES = {
    "C_": _is_positive,
    "gamma_": _is_positive,
    "alpha_": _is_positive,
    "max_leaf_size_": _is_whole,
    "n_leaf_fits_": _is_whole,
    "best_score_": lambda value: isinstance(value, (int, float)),
    "prune_share_": lambda value: value == "cv" or is_number(value, least=0.0),
    "seconds_per_ceiling_": _is_times,
    "search_results_": _is_table,
    "cv_results_": _is_table,
}


def write_reports(model):
    """Return those of the reported attributes that the model has."""
    return {
        name: encode(getattr(model, name)) for name in _RULES if hasattr(model, name)
    }


def read_reports(section, model):
    """Set the reported attributes."""
    for name, node in field(section, "reports", dict).items():
        require(name in _RULES, f"its header reports an unknown {name!r:.50}")
        value = decode(node)
        require(_RULES[name](value), f"{name} in its header is not possible")
        setattr(model, name, value)
