"""Epsilon-insensitive kernel regression on the engine of `KernelSVC`."""

import warnings
from collections.abc import Callable
from typing import Any, Self

from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning

from treesvm.decomposition.training import train_whole
from treesvm.estimators.whole_machine import WholeMachine
from treesvm.inputs.array_types import Array, ArrayLike, MatrixLike
from treesvm.inputs.training_rows import number_rows
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.machines.scaling import LeafScaling


class KernelSVR(RegressorMixin, WholeMachine):
    """Epsilon-support vector regression, a drop-in for `sklearn.svm.SVR`.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the errors: large values follow the rows, small ones are smoother.
    epsilon : float, default=0.1
        Errors up to this size cost nothing.
    kernel : {"rbf", "laplacian", "linear", "poly", "polynomial", "sigmoid", \
"precomputed"} or callable, default="rbf"
        "laplacian" is exp(-gamma sum_j abs(x_j - z_j)).
        A callable maps two arrays of rows to their kernel block.
    degree : int, default=3
        Of the polynomial kernel.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Width of the kernel: a number, scikit-learn's rules on what it sees, or one
        divided by the median distance between rows.
    coef0 : float, default=0.0
        Constant of the polynomial and the sigmoid kernel.
    gamma_scale : float, default=1.0
        Multiplies a gamma that is a word.
    feature_weights : None, "learned", "local" or array-like of shape (n_features,), \
default=None
        Weights of the features in the kernel's distance: none, learned from the
        gradients of the machine (about three times the training time), or given.
        "local" ones are learned, too, and differ along a feature: more where the
        machine's values change; they need dense rows. Needs a Laplacian or Gaussian
        kernel. Rows are not scaled: weights suit features that were.
    tol : float, default=1e-3
        A machine has converged when its KKT violation is at most `tol` and its relative
        duality gap too, or when the gap is at most ``tol / 10``.
    max_iter : int, default=-1
        Cap on the steps of each machine, -1 for none.
    cache_size : float, default=500
        Megabytes of kernel values that may be held.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Numbers of the support vectors' rows.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        The rows that the machine is made of, as it sees them: with feature weights,
        multiplied, and without the features of weight zero.
    dual_coef_ : ndarray of shape (1, n_SV)
        Signed coefficients of the support vectors.
    intercept_ : ndarray of shape (1,)
        Constants of the machines.
    n_iter_ : int
        Steps that were taken.
    gap_ : float
        Relative duality gap: no solution is better by more than this.
    converged_ : bool
        Whether the machine reached its tolerance.
    fit_status_ : int
        0 if it converged, else 1.
    scaling_ : LeafScaling or None
        From rows as given to rows as the machine sees them; None without weights.
    feature_weights_ : ndarray of shape (n_features,)
        Weights of the features, ones without; local ones in the mean.

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
        gamma_scale: float = 1.0,
        feature_weights: str | ArrayLike | None = None,
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
        self.gamma_scale = gamma_scale
        self.feature_weights = feature_weights
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the regressor; see `KernelSVC.fit` for the forms of `X`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Training rows.
        y : array-like of shape (n_rows,)
            Their targets.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of every row.

        Returns
        -------
        self
        """
        self.check_parameters()
        rows = number_rows(self, X, y, sample_weight)
        self.restore_fitted(*train_whole(self, rows))
        if not self.converged_:
            warnings.warn(
                f"the machine did not converge within max_iter={self.max_iter} "
                f"(relative gap {self.gap_:.1e}); raise max_iter, scale the features, "
                "or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def restore_fitted(self, machine: Any, scaling: LeafScaling | None = None) -> Self:
        """Set the fitted attributes from a trained machine, wherever it comes from."""
        super().restore_fitted(machine, scaling)
        self.n_iter_ = int(machine.records["n_iter"][0])
        self.gap_ = float(machine.records["gap"][0])
        self.converged_ = bool(machine.records["converged"][0])
        return self

    def predict(self, X: MatrixLike) -> Array:
        """Return the predicted target of every row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        X = self._checked(X)
        seen = X if self.scaling_ is None else self.scaling_.apply(X)
        return self._machine.decisions(seen)[:, 0]
