"""Cost and accuracy of oblique trees between a linear and a kernel machine.

Rodriguez-Lujan, Santa Cruz and Huerta (2012), section 5.2.
"""

from typing import Any, NamedTuple

import numpy as np

from treesvm.inputs.array_types import MatrixLike


class HyperplaneCost(NamedTuple):
    """Hyperplanes that rows are compared with."""

    mean: float
    maximum: int


def hyperplane_cost(model: Any, X: MatrixLike) -> HyperplaneCost:
    """Return the mean and the largest number of hyperplanes met by the rows of X.

    Parameters
    ----------
    model : fitted estimator with `hyperplanes_met`
    X : array-like or sparse matrix of shape (n_rows, n_features)

    Returns
    -------
    HyperplaneCost
        Over several trees the numbers of each row are added up.
    """
    met = model.hyperplanes_met(X)
    return HyperplaneCost(float(np.mean(met)), int(np.max(met)))


def relative_error(error: float, linear_error: float, kernel_error: float) -> float:
    """Return RE, equation (12): 0 like the linear machine, 1 like the kernel machine.

    Raises
    ------
    ValueError
        If the two references are equal: there is nothing to gain between them.
    """
    if linear_error == kernel_error:
        raise ValueError(
            f"linear_error and kernel_error are both {linear_error}; RE is undefined "
            "where the kernel machine is no better than the linear one."
        )
    return (linear_error - error) / (linear_error - kernel_error)


def relative_complexity(n_hyperplanes: float, n_support: int) -> float:
    """Return RC, equation (13): 0 as cheap as one hyperplane, 1 as the kernel machine.

    Parameters
    ----------
    n_hyperplanes : float
        Mean number of hyperplanes met.
    n_support : int
        Support vectors of the kernel machine, more than one.
    """
    if n_support <= 1:
        raise ValueError(f"n_support={n_support}; RC needs more than one.")
    return (n_hyperplanes - 1.0) / (n_support - 1.0)
