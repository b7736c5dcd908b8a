"""The grid that the baselines search, and what they accept as parameters."""

from treesvm.inputs.kernel_parameters import (
    check_kernel_parameters,
    is_count,
    is_number,
)
from treesvm.model_selection.dtsvm_cv import PAPER_CS, PAPER_GAMMAS
from treesvm.model_selection.search_fold import Theta

_DEFAULTS = {"Cs": PAPER_CS, "gammas": PAPER_GAMMAS}
_LEAST = {"top_k": 1, "growth": 2, "max_samples": 2, "max_estimators": 1}


def grid_of(model):
    """Return every Theta of the model's `Cs` and `gammas`, gamma by gamma."""
    Cs, gammas = (_values(model, name) for name in ("Cs", "gammas"))
    return [Theta(float(C), float(gamma)) for gamma in gammas for C in Cs]


def _values(model, name):
    values = getattr(model, name)
    return sorted(set(_DEFAULTS[name] if values is None else values))


def check_search_parameters(model):
    """Raise a ValueError that names the first parameter out of range.

    Parameters that the model does not have are passed over.
    """
    check_kernel_parameters(model)
    for name in _DEFAULTS:
        values = _values(model, name)
        if len(values) == 0 or not all(is_number(v, above=0.0) for v in values):
            raise ValueError(
                f"{name}={getattr(model, name)!r} is not possible; give at least one "
                "positive, finite number."
            )
    for name, least in _LEAST.items():
        if hasattr(model, name) and not is_count(getattr(model, name), least):
            raise ValueError(
                f"{name}={getattr(model, name)!r} is not possible; use a whole number "
                f"of {least} or more."
            )
    if not is_number(model.min_gain, least=0.0):
        raise ValueError(
            f"min_gain={model.min_gain!r} is not possible; use a number of 0 or more."
        )
