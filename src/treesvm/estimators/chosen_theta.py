"""What estimators say of the parameters that they may leave open."""

from typing import Any

from treesvm.decomposition.theta import OPEN, Theta
from treesvm.inputs.parameter_rules import RULES, Rule, either, number

OPEN_RULES: dict[str, Rule] = {
    name: either(OPEN, number(f'use a positive number or "{OPEN}"', above=0.0))
    for name in ("C", "gamma_scale")
} | {"epsilon": either(OPEN, RULES["epsilon"])}


def note_theta(model: Any, theta: Theta | None) -> None:
    """Set `C_`, `gamma_scale_`, `kernel_` and, of a regressor, `epsilon_`.

    Without a theta, the parameters say it, unless it was read from a file.
    """
    if theta is None and hasattr(model, "C_"):
        return
    said = model if theta is None else theta
    model.C_, model.gamma_scale_ = float(said.C), float(said.gamma_scale)
    is_open = isinstance(model.kernel, str) and model.kernel == OPEN
    model.kernel_ = theta.kernel.name if theta is not None and is_open else model.kernel
    if hasattr(model, "epsilon"):
        is_given = model.epsilon != OPEN
        model.epsilon_ = float(model.epsilon if is_given else said.epsilon)
