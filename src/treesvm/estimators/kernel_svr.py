"""Epsilon-insensitive kernel regression on the engine of `KernelSVC`."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from treesvm.inputs.array_types import Array, ArrayLike, MatrixLike
from treesvm.inputs.parameter_rules import check_parameters
from treesvm.inputs.training_rows import check_boxes, checked_rows, row_weights
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.kernels.kernel import resolve_kernel
from treesvm.machines.kernel_machine import KernelMachine
from treesvm.machines.regression_machine import train_regressor


class KernelSVR(RegressorMixin, BaseEstimator):
    """Epsilon-support vector regression, a drop-in for `sklearn.svm.SVR`.

    Parameters
    ----------
    C : float, default=1.0
    epsilon : float, default=0.1
        Errors up to this size cost nothing.
    kernel, degree, gamma, coef0, tol, max_iter, cache_size
        As in `KernelSVC`.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
    dual_coef_ : ndarray of shape (1, n_SV)
    intercept_ : ndarray of shape (1,)
    n_iter_ : int
    gap_ : float
    converged_ : bool
    fit_status_ : int
        0 if it converged, else 1.

    Notes
    -----
    When not to use it: on many rows `DTSVRegressor` is faster by orders of magnitude;
    where errors should be squared, kernel ridge regression has a closed form.

    Examples
    --------
    >>> import numpy as np
    >>> from treesvm import KernelSVR
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = KernelSVR(C=10, epsilon=0.05).fit(X, np.sin(X[:, 0]))
    >>> bool(np.abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.1)
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        epsilon: float = 0.1,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        cache_size: int = 500,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the regressor; see `KernelSVC.fit` for the forms of `X`."""
        self.check_parameters()
        X, y = checked_rows(self, X, y, y_numeric=True)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"kernel='precomputed' wants a square matrix of kernel values, got "
                f"shape {X.shape}; pass kernel(X, X), or rows with another kernel."
            )
        weight = row_weights(X, sample_weight)
        check_boxes(self, weight.max())
        rows = np.flatnonzero(weight > 0)
        kernel = resolve_kernel(
            self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, X=X
        )
        machine = train_regressor(
            X if len(rows) == X.shape[0] else kernel.take(X, rows),
            y[rows].astype(np.float64),
            weight[rows],
            kernel,
            self.C,
            self.epsilon,
            tol=float(self.tol),
            max_iter=None if self.max_iter == -1 else self.max_iter,
            max_bytes=int(self.cache_size * 2**20),
        )
        support = rows[machine.support]  # among all rows, also of a Gram matrix
        self.restore_fitted(
            replace(machine, support=support, n_training_rows=len(weight))
        )
        if not self.converged_:
            warnings.warn(
                f"the machine did not converge within max_iter={self.max_iter} "
                f"(relative gap {self.gap_:.1e}); raise max_iter, scale the features, "
                "or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        check_parameters(self)

    @property
    def fit_status_(self) -> int:
        """0 if the machine converged, else 1, as in scikit-learn."""
        return int(not self.converged_)

    @property
    def machine_(self) -> KernelMachine:
        """The trained machine, which the other attributes are read from."""
        return self._machine

    def restore_fitted(self, machine: Any) -> Self:
        """Set the fitted attributes from a trained machine, wherever it comes from."""
        self._machine = machine
        self.support_ = machine.support.astype(np.int32)
        self.support_vectors_ = machine.vectors
        self.dual_coef_ = machine.coefficients.T.copy()
        self.intercept_ = machine.biases
        self.n_iter_ = int(machine.records["n_iter"][0])
        self.gap_ = float(machine.records["gap"][0])
        self.converged_ = bool(machine.records["converged"][0])
        return self

    def predict(self, X: MatrixLike) -> Array:
        """Return the predicted target of every row."""
        check_is_fitted(self)
        X = checked_rows(self, X, reset=False)
        return self._machine.decisions(X)[:, 0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
