"""One point of a search: everything about machines that users may want to tune."""

from typing import Any, NamedTuple

from treesvm.kernels.families import Kernel
from treesvm.kernels.kernel import Gaussian


class Theta(NamedTuple):
    """C, gamma and kernel, and how parts see their features.

    Attributes
    ----------
    C : float
    gamma : float or {"median", "scale", "auto"}
    gamma_scale : float
        Multiplies the words.
    kernel : Kernel
        Whose gamma is settled in each part.
    leaf_scaling : {"minmax", "quantile", None}
    feature_weights : None, "learned" or ndarray of shape (n_features,)
    multi_class : {"ovo", "ovr", None}
        None for regressors.
    epsilon : float or None
        Errors that cost a regressor nothing; None leaves it to the machine's options.
    """

    C: float = 10.0
    gamma: float | str = "median"
    gamma_scale: float = 1.0
    kernel: Kernel = Gaussian()
    leaf_scaling: str | None = "minmax"
    feature_weights: Any = None
    multi_class: str | None = "ovo"
    epsilon: float | None = None
