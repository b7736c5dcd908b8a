"""Cost and accuracy of oblique trees between a linear and a kernel machine.

Rodriguez-Lujan, Santa Cruz and Huerta (2012), section 5.2.
"""

from typing import Any, NamedTuple

import numpy as np

from treesvm.inputs.array_types import MatrixLike


class HyperplaneCost(NamedTuple):
    """Hyperplanes that rows are compared with.

    Attributes
    ----------
    mean : float
        Over the rows.
    maximum : int
        Of the longest path that was met.
    """

    mean: float
    maximum: int


def hyperplane_cost(model: Any, X: MatrixLike) -> HyperplaneCost:
    """Return the mean and the largest number of hyperplanes met by the rows of X.

    Parameters
    ----------
    model : estimator with `hyperplanes_met`
        Fitted, such as an `HLSVMClassifier`.
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Rows to be answered.

    Returns
    -------
    HyperplaneCost
        Over several trees the numbers of each row are added up.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import HLSVMClassifier
    >>> from treesvm.metrics import hyperplane_cost
    >>> X, y = make_moons(300, noise=0.2, random_state=0)
    >>> cost = hyperplane_cost(HLSVMClassifier(random_state=0).fit(X, y), X)
    >>> cost.mean <= cost.maximum
    True
    """
    met = model.hyperplanes_met(X)
    return HyperplaneCost(float(np.mean(met)), int(np.max(met)))


def relative_error(error: float, linear_error: float, kernel_error: float) -> float:
    """Return RE, equation (12): 0 like the linear machine, 1 like the kernel machine.

    Parameters
    ----------
    error : float
        Of the method that is judged.
    linear_error : float
        Of a linear machine on the same rows.
    kernel_error : float
        Of a kernel machine on the same rows.

    Returns
    -------
    float
        Above 1 where the method errs less than the kernel machine.

    Raises
    ------
    ValueError
        If the two references are equal: there is nothing to gain between them.

    Examples
    --------
    >>> from treesvm.metrics import relative_error
    >>> relative_error(6.0, linear_error=10.0, kernel_error=5.0)
    0.8
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

    Returns
    -------
    float
        0 for one hyperplane, 1 for as many as there are support vectors.

    Examples
    --------
    >>> from treesvm.metrics import relative_complexity
    >>> relative_complexity(11, n_support=1001)
    0.01
    """
    if n_support <= 1:
        raise ValueError(f"n_support={n_support}; RC needs more than one.")
    return (n_hyperplanes - 1.0) / (n_support - 1.0)
