"""What the classifiers of oblique trees accept, and their default λ."""

from numbers import Integral, Real

# Best mean rank over the training rows of eleven sets, see docs/benchmarks/hlsvm.md.
_AUTO_ALPHA_MEAN = 0.1
_AUTO_ALPHA_PAPER = 10.0  # divided by the weight of all rows

_CHOICES = {
    "regularization": ("mean", "paper"),
    "solver": ("dual", "pegasos", "pegasos-paper"),
    "multi_class": ("tree", "ovo", "ovr"),
}


def default_alpha(regularization, total_weight):
    """Return the λ of ``alpha="auto"``; without weights the total is the row count."""
    if regularization == "mean":
        return _AUTO_ALPHA_MEAN
    return _AUTO_ALPHA_PAPER / total_weight


def check_parameters(model):
    """Raise a ValueError that names the first parameter out of range.

    Parameters that the model does not have are passed over.
    """
    for name, allowed in _CHOICES.items():
        if hasattr(model, name) and getattr(model, name) not in allowed:
            _refuse(model, name, f"use one of {', '.join(map(repr, allowed))}")
    for name, (is_allowed, advice) in _RANGES.items():
        if hasattr(model, name) and not is_allowed(getattr(model, name)):
            _refuse(model, name, advice)


def _refuse(model, name, advice):
    """Raise the error for one parameter."""
    raise ValueError(f"{name}={getattr(model, name)!r} is not possible; {advice}.")


def _is_count(value):
    """Whether value is an integer of at least one."""
    return isinstance(value, Integral) and not isinstance(value, bool) and value >= 1


def _is_number(value, *, least=None, above=None, below=None):
    """Whether value is a real number within the bounds given."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    return (
        (least is None or value >= least)
        and (above is None or value > above)
        and (below is None or value < below)
    )


_RANGES = {
    "alpha": (
        lambda value: value == "auto" or _is_number(value, above=0.0),
        'use a positive number or "auto"',
    ),
    "min_share": (
        lambda value: value == "auto" or _is_number(value, least=0.0),
        'use a share of the rows, 0 or more, or "auto"',
    ),
    "prune_share": (
        lambda value: _is_number(value, least=0.0, below=1.0),
        "use a share in [0, 1); 0 does not prune",
    ),
    "tol": (
        lambda value: _is_number(value, above=0.0),
        "use a positive number such as 0.1",
    ),
    "max_passes": (_is_count, "use a positive integer"),
    "max_node_rows": (_is_count, "use a positive integer"),
    "max_depth": (
        lambda value: value is None or _is_count(value),
        "use a positive integer, or None for no limit",
    ),
}
