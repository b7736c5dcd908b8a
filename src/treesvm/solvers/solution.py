"""The answer every solver gives: coefficients with their certificate."""

from typing import NamedTuple

import numpy as np


class Solution(NamedTuple):
    """One solved optimisation problem.

    Attributes
    ----------
    coefficients : ndarray of shape (n_rows,) or (n_features,)
        Signed dual variables ``beta = y * alpha`` of a kernel machine, or the weight
        vector ``w`` of a linear one.
    bias : float
        The offset ``b`` of the decision function.
    violation : float
        Largest violation of the optimality conditions when the solver stopped.
    gap : float
        Duality gap divided by the objective when the solver stopped.
    n_iter : int
        Iterations really done.
    converged : bool
        Whether the solver's own stopping rule was met.
    """

    coefficients: np.ndarray
    bias: float
    violation: float
    gap: float
    n_iter: int
    converged: bool
