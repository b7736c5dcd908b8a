"""The thetas that a search over decompositions tries."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from treesvm.decomposition.theta import Theta
from treesvm.inputs.parameter_rules import RULES
from treesvm.kernels.kernel import make_kernel
from treesvm.model_selection.candidates_of_tables import first_thetas

PAPER_CS = tuple(10.0**k for k in range(-1, 6))
PAPER_GAMMAS = tuple(10.0**k for k in range(-4, 5))
_FIELDS, _DEFAULTS = Theta._fields, Theta._field_defaults


class Candidates(NamedTuple):
    """A list of thetas, and whether the winner's neighbours may be tried, too."""

    thetas: list[Theta]
    is_refined: bool


def find_candidates(model, base, is_sparse, n_classes) -> Candidates:
    """Return what the parameters of a search ask for.

    Parameters
    ----------
    model : estimator
        With `candidates`, `Cs` and `gammas`.
    base : Theta
        What the other parameters say.
    is_sparse : bool
    n_classes : int or None
    """
    given = model.candidates
    if not isinstance(given, str):
        return Candidates([_theta(base, one) for one in given], False)
    if given == "paper" or model.Cs is not None or model.gammas is not None:
        return Candidates(_grid(base, model.Cs, model.gammas), False)
    # Regressors search an epsilon, of which squares have none.
    thetas = first_thetas(is_sparse, n_classes, has_squares=n_classes is not None)
    thetas = [theta._replace(epsilon=base.epsilon) for theta in thetas]
    if not is_sparse:  # of sparse rows, both ways to part classes are in the list
        thetas = [theta._replace(multi_class=base.multi_class) for theta in thetas]
    return Candidates(thetas, True)


def _grid(base, Cs, gammas):
    return [
        base._replace(C=float(C), gamma=float(gamma), gamma_scale=1.0)
        for gamma in grid_values(gammas, PAPER_GAMMAS)
        for C in grid_values(Cs, PAPER_CS)
    ]


def grid_values(given, default):
    """Return the values of a grid, ascending and once each."""
    return sorted(set(default if given is None else given))


def _theta(base, one) -> Theta:
    """Return a theta from a dict of what differs from the search's parameters."""
    made: dict[str, Any] = dict(one)
    if made.get("epsilon") is None:
        made.pop("epsilon", None)
    if isinstance(made.get("kernel"), str):
        made["kernel"] = make_kernel(made["kernel"])
    return base._replace(**made)


def check_candidates(model) -> None:
    """Raise a ValueError that names what is wrong with `candidates`."""
    given = model.candidates
    if isinstance(given, str):
        if given not in ("auto", "paper"):
            raise ValueError(
                f"candidates={given!r} is not known; use 'auto', 'paper' or a list of "
                "dicts such as [{'C': 1.0, 'gamma': 'median', 'kernel': 'rbf'}]."
            )
        return
    if model.Cs is not None or model.gammas is not None:
        raise ValueError(
            "candidates is a list, and so is the grid of Cs and gammas; give one of "
            "them, and leave the others at their defaults."
        )
    for one in given:
        _check_one(one, hasattr(model, "epsilon"))
    if len(given) == 0:
        raise ValueError("candidates=[] leaves nothing to choose; give one or more.")


def _check_one(one, is_regression):
    if not isinstance(one, Mapping) or not set(one) <= set(_FIELDS):
        raise ValueError(
            f"candidates holds {one!r}; use dicts with some of {', '.join(_FIELDS)}."
        )
    if not is_regression and one.get("epsilon") is not None:
        raise ValueError(
            f"candidates holds epsilon={one['epsilon']!r}, which is for regressors; "
            "leave it out."
        )
    for name, value in one.items():
        if value is None and _DEFAULTS[name] is None:
            continue
        is_allowed, advice = RULES.get(name, (lambda value: True, ""))
        if not is_allowed(value):
            raise ValueError(f"candidates holds {name}={value!r}; {advice}.")
