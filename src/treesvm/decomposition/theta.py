"""One point of a search: everything about machines that users may want to tune."""

from typing import Any, NamedTuple

from treesvm.kernels.kernel import Gaussian

OPEN = "auto"  # a value that the rows are to choose, see `theta_choice`


class Theta(NamedTuple):
    """C, gamma and kernel, and how parts see their features.

    Attributes
    ----------
    C : float or "auto"
    gamma : float or {"median", "scale", "auto"}
    gamma_scale : float or "auto"
        Multiplies the words.
    kernel : Kernel or "auto"
        Whose gamma is settled in each part.
    leaf_scaling : {"minmax", "quantile", "standard", None}
    feature_weights : None, "learned", "local" or ndarray of shape (n_features,)
    multi_class : {"ovo", "ovr", None}
        None for regressors.
    loss : {"hinge", "squared"}
        See `treesvm.machines.losses`.
    epsilon : float, "auto" or None
        Errors that cost a regressor nothing; None leaves it to the machine's options.
    """

    C: Any = 10.0
    gamma: float | str = "median"
    gamma_scale: Any = 1.0
    kernel: Any = Gaussian()
    leaf_scaling: str | None = "minmax"
    feature_weights: Any = None
    multi_class: str | None = "ovo"
    loss: str = "hinge"
    epsilon: Any = None
