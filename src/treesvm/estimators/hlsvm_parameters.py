"""What the classifiers of oblique trees accept, and their default λ."""

from treesvm.estimators.kernel_parameters import (
    CLASS_WEIGHT,
    is_count,
    is_gamma,
    is_number,
    one_of,
)
from treesvm.kernels.kernel import LARGEST_GAMMA

# Best mean rank over the training rows of eleven sets, see docs/benchmarks/hlsvm.md.
_AUTO_ALPHA_MEAN = 0.1
_AUTO_ALPHA_PAPER = 10.0  # divided by the weight of all rows


def default_alpha(regularization, total_weight):
    """Return the λ of ``alpha="auto"``; without weights the total is the row count."""
    if regularization == "mean":
        return _AUTO_ALPHA_MEAN
    return _AUTO_ALPHA_PAPER / total_weight


def check_parameters(model):
    """Raise a ValueError that names the first parameter out of range.

    Parameters that the model does not have are passed over.
    """
    for name, (is_allowed, advice) in _RULES.items():
        if hasattr(model, name) and not is_allowed(getattr(model, name)):
            value = getattr(model, name)
            raise ValueError(f"{name}={value!r} is not possible; {advice}.")


def _is_auto(value):
    """Whether value is the text "auto"; an array would not compare to it."""
    return isinstance(value, str) and value == "auto"


_RULES = {
    "regularization": one_of("paper", "mean"),
    "solver": one_of("dual", "pegasos", "pegasos-paper"),
    "multi_class": one_of("tree", "ovo", "ovr"),
    "leaf": one_of("majority", "kernel"),
    "alpha": (
        lambda value: _is_auto(value) or is_number(value, above=0.0),
        'use a positive number or "auto"',
    ),
    "min_share": (
        lambda value: _is_auto(value) or is_number(value, least=0.0),
        'use a share of the rows, 0 or more, or "auto"',
    ),
    "prune_share": (
        lambda value: is_number(value, least=0.0, below=1.0),
        "use a share in [0, 1); 0 does not prune",
    ),
    "tol": (
        lambda value: is_number(value, above=0.0),
        "use a positive number such as 0.1",
    ),
    "max_passes": (is_count, "use a positive integer"),
    "max_node_rows": (is_count, "use a positive integer"),
    "max_depth": (
        lambda value: value is None or is_count(value),
        "use a positive integer, or None for no limit",
    ),
    "C": (lambda value: is_number(value, above=0.0), "use a positive number"),
    "gamma": (is_gamma, f"use a positive number up to {LARGEST_GAMMA:.0e}"),
    "class_weight": CLASS_WEIGHT,
}
