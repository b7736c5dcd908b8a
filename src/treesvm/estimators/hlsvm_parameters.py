"""What `HLSVMClassifier` accepts, and its default λ."""

from numbers import Integral, Real

# Chosen on training rows of the sets named in docs/benchmarks/hlsvm.md.
_AUTO_ALPHA_MEAN = 0.01
_AUTO_ALPHA_PAPER = 1.0  # divided by the number of rows

_CHOICES = {
    "regularization": ("mean", "paper"),
    "solver": ("dual", "pegasos", "pegasos-paper"),
    "multi_class": ("tree", "ovo", "ovr"),
}


def default_alpha(regularization, n_rows):
    """Return the λ of ``alpha="auto"``."""
    if regularization == "mean":
        return _AUTO_ALPHA_MEAN
    return _AUTO_ALPHA_PAPER / n_rows


def check_parameters(model):
    """Raise a ValueError that names the first parameter out of range."""
    for name, allowed in _CHOICES.items():
        if getattr(model, name) not in allowed:
            _refuse(model, name, f"use one of {', '.join(map(repr, allowed))}")
    if model.alpha != "auto" and not _is_number(model.alpha, above=0.0):
        _refuse(model, "alpha", 'use a positive number or "auto"')
    if model.min_share != "auto" and not _is_number(model.min_share, least=0.0):
        _refuse(model, "min_share", 'use a share of the rows, 0 or more, or "auto"')
    if not _is_number(model.prune_share, least=0.0, below=1.0):
        _refuse(model, "prune_share", "use a share in [0, 1); 0 does not prune")
    if not _is_number(model.tol, above=0.0):
        _refuse(model, "tol", "use a positive number such as 0.1")
    for name in ("max_passes", "max_node_rows"):
        if not _is_count(getattr(model, name)):
            _refuse(model, name, "use a positive integer")
    if model.max_depth is not None and not _is_count(model.max_depth):
        _refuse(model, "max_depth", "use a positive integer, or None for no limit")


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
