"""A kernel SVM classifier: the engine behind scikit-learn's interface."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from treesvm.decomposition.calibration import as_columns, probabilities, winner_on_top
from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.feature_weights import given_weights
from treesvm.decomposition.held_out_scale import held_out_scale
from treesvm.decomposition.part import Part
from treesvm.decomposition.training import train_whole
from treesvm.estimators.classifier import CalibratedClassifier
from treesvm.estimators.whole_machine import WholeMachine
from treesvm.inputs.array_types import Array, ArrayLike, ClassWeight, MatrixLike, Seed
from treesvm.inputs.parameter_rules import check_value
from treesvm.inputs.training_rows import checked_rows, class_rows
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.kernels.kernel import make_kernel, resolve_kernel
from treesvm.kernels.width import settle_gamma
from treesvm.machines.grid import PathRecord, grid_points, path_record
from treesvm.machines.kernel_predictor import (
    KernelPredictor,
    decision_values,
    winners,
)
from treesvm.machines.scaling import LeafScaling, identity_scaling
from treesvm.machines.voting import row_chunks
from treesvm.partitions.whole_space import WholeSpace


class KernelSVC(CalibratedClassifier, WholeMachine):
    """C-support vector classification, a drop-in for `sklearn.svm.SVC`.

    The dual is solved by vectorised pair steps on a shared Gram matrix, finished by
    interior points where pair steps crawl, and by working sets where the Gram matrix
    does not fit the budget.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the hinge loss.
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
    class_weight : dict or "balanced", optional
        Weights of the classes; "balanced" gives each the same sum.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One machine for each pair of classes, or for each class against the rest.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Columns of `decision_function`: one for each class, or one for each pair.
    break_ties : bool, default=False
        Break ties between votes by the summed decision values; otherwise the first
        class among them is the answer, as in LIBSVM.
    probability : bool, default=False
        Calibrate `predict_proba` on held-out rows (five more fits).
    max_iter : int, default=-1
        Cap on the steps of each machine, -1 for none.
    cache_size : float, default=500
        Megabytes of kernel values that may be held.
    n_jobs : int, optional
        Threads over the binary machines, or over the kernel rows of a single one, where
        the Gram matrix of all rows is not held.
    random_state : int, RandomState or None
        Seeds the folds of `probability`; nothing else is random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    support_ : ndarray of shape (n_SV,)
        Row numbers of the support vectors, sorted by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        The rows that the machine is made of, as it sees them: with feature weights,
        multiplied, and without the features of weight zero.
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
        Signed coefficients, as in scikit-learn; (n_classes, n_SV) with "ovr".
    intercept_ : ndarray of shape (n_machines,)
        Constants of the machines.
    n_iter_ : ndarray of shape (n_machines,)
        Steps that were taken.
    gap_ : ndarray of shape (n_machines,)
        Relative duality gap: no solution is better by more than this.
    converged_ : ndarray of bool, shape (n_machines,)
        Whether the machine reached its tolerance.
    fit_status_ : int
        0 if all machines converged, else 1.
    decompositions_ : list of one Decomposition
        The same machines as the only part of the whole space.
    scaling_ : LeafScaling or None
        From rows as given to rows as the machine sees them; None without weights.
    feature_weights_ : ndarray of shape (n_features,)
        Weights of the features, ones without; local ones in the mean.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of str, if X had names
        Names of the columns.

    Notes
    -----
    When not to use it: beyond some 50,000 rows `DTSVMClassifier` is faster by orders of
    magnitude and often as accurate; with thousands of sparse features a linear SVM
    usually does.

    What differs from `sklearn.svm.SVC`: there is no `shrinking`, a heuristic of
    LIBSVM's solver that these solvers do not have, and no `verbose`, since a fit has no
    stages to tell of; `class_weight_` is not kept, because class weights become weights
    of rows. `multi_class`, `n_jobs`, `path` and `predictor` are additions.

    References
    ----------
    R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working set selection using second order
    information for training SVM", JMLR 6 (2005).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treesvm import KernelSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelSVC(C=10, gamma=0.1).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    >>> best = max(model.path(X[::2], y[::2], [1, 10], [0.1, 1], X[1::2], y[1::2]),
    ...            key=lambda record: record.score)
    >>> bool(best.converged)
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        gamma_scale: float = 1.0,
        feature_weights: str | ArrayLike | None = None,
        tol: float = 1e-3,
        class_weight: ClassWeight = None,
        multi_class: str = "ovo",
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        probability: bool = False,
        max_iter: int = -1,
        cache_size: int = 500,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.gamma_scale = gamma_scale
        self.feature_weights = feature_weights
        self.tol = tol
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.probability = probability
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train the machines.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Or the Gram matrix, for ``kernel="precomputed"``.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            Not negative; rows of weight zero are left out.

        Returns
        -------
        self
        """
        self.check_parameters()
        rows = class_rows(self, X, y, sample_weight)
        self.restore_fitted(*train_whole(self, rows, self.n_jobs))
        self._warn_unconverged()
        if self.probability:
            self._fit_probability(rows)
        return self

    def path(
        self,
        X: MatrixLike,
        y: ArrayLike,
        Cs: Sequence[float],
        gammas: Sequence[float],
        X_val: MatrixLike | None = None,
        y_val: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> list[PathRecord]:
        """Solve a whole grid, sharing kernels and warm starts.

        Parameters
        ----------
        X, y, sample_weight
            Training data, as for `fit`.
        Cs, gammas : sequence of float
        X_val, y_val : array-like, optional
            Validation rows to be scored at every point; ties between votes are broken.

        Returns
        -------
        list of PathRecord
            For every gamma all Cs, ascending.  The estimator itself is not fitted.
        """
        self.check_parameters()
        model = clone(self)
        X, codes, weight, n_classes = class_rows(model, X, y, sample_weight)
        for name, values in (("C", Cs), ("gamma", gammas)):
            for value in values:
                check_value(name, value)
        if (X_val is None) != (y_val is None):
            raise ValueError("give both X_val and y_val, or neither.")
        X_val = None if X_val is None else checked_rows(model, X_val, reset=False)
        if self.feature_weights is not None:
            scaling = self._given_scaling(X.shape[1])
            X, X_val = (
                scaling.apply(X),
                X_val if X_val is None else scaling.apply(X_val),
            )
        rows, kernel = np.flatnonzero(weight > 0), self._resolved_kernel(X)
        if X_val is not None:
            X_val = kernel.facing(X_val, rows)
            y_val = np.asarray(y_val)
        points = grid_points(
            X if len(rows) == X.shape[0] else kernel.take(X, rows),
            codes[rows],
            n_classes,
            weight[rows],
            kernel,
            [settle_gamma(kernel, gamma, X, self.gamma_scale) for gamma in gammas],
            [float(C) for C in Cs],
            X_val,
            multi_class=self.multi_class,
            tol=float(self.tol),
            max_iter=None if self.max_iter == -1 else self.max_iter,
            max_bytes=int(self.cache_size * 2**20),
        )
        return [path_record(point, y_val, model.classes_) for point in points]

    def decision_function(self, X: MatrixLike) -> Array:
        """Return decision values: one a row for two classes, else one a class.

        With ``decision_function_shape="ovo"``, one for each pair.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,), (n_rows, n_classes) or (n_rows, n_pairs)
            One column for each class, or with ``decision_function_shape="ovo"`` for
            each pair; of two classes one number, which is positive for the second.
        """
        X = self._checked(X)
        decisions = self._machine.reliable_decisions(X, self.scaling_)
        return decision_values(decisions, self._machine, self.decision_function_shape)

    def _codes(self, X):
        machine, codes = self._machine, np.empty(X.shape[0], np.intp)
        for chunk in row_chunks(len(codes), machine.n_machines):
            values = machine.reliable_decisions(X[chunk], self.scaling_)
            codes[chunk] = winners(values, machine, self.break_ties)
        return codes

    def _scores(self, X):
        decisions = self._machine.reliable_decisions(X, self.scaling_)
        scores = decision_values(decisions, self._machine, "ovr")
        if scores.ndim == 2 and not self.break_ties:
            scores = winner_on_top(scores, winners(decisions, self._machine, False))
        return as_columns(scores)

    def _probabilities(self, X):
        return probabilities(self._scores(X), self.probability_scale_)

    def predictor(self) -> Callable[..., Any]:
        """Return a compiled object that answers without checking its input.

        Called with one row it returns the label, with a 2-D array an array of labels,
        equal to `predict`; ``.decision(...)`` returns decision values.  Only the width
        is checked.

        Returns
        -------
        callable
        """
        check_is_fitted(self)
        return KernelPredictor(
            self._machine,
            self.classes_,
            self.n_features_in_,
            self.decision_function_shape,
            self.break_ties,
            self.scaling_,
        )

    @property
    def decompositions_(self) -> list[Any]:
        """The machines as the only part of the whole space."""
        machine, n_classes = self._machine, self._machine.n_classes
        n_rows = machine.n_training_rows
        part = Part(0, machine, self.scaling_, n_rows, n_classes, 0.0)
        return [Decomposition(WholeSpace(), [part], n_classes)]

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        super().check_parameters()
        if self.multi_class == "ovr" and self.decision_function_shape == "ovo":
            raise ValueError(
                "decision_function_shape='ovo' needs multi_class='ovo': there are no "
                "pairs to report with multi_class='ovr'."
            )
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError(
                "break_ties=True must go with decision_function_shape='ovr': ties are "
                "broken by one value for each class."
            )

    def _given_scaling(self, n_features):
        """Return how a path sees rows; learned weights differ from point to point."""
        if isinstance(self.feature_weights, str):
            raise ValueError(
                "feature_weights='learned' changes with every C and gamma, so that a "
                "path shares nothing; use fit, DTSVMClassifierCV, or an array."
            )
        kernel = make_kernel(self.kernel)
        every = identity_scaling(n_features)
        return given_weights(self.feature_weights, kernel, every, n_features)

    def _resolved_kernel(self, X):
        return resolve_kernel(
            self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            X=X,
            gamma_scale=self.gamma_scale,
        )

    def _warn_unconverged(self):
        if not self.converged_.all():
            warnings.warn(
                f"{np.sum(~self.converged_)} of {len(self.converged_)} machines did "
                f"not converge in {self.n_iter_.max()} steps "
                f"(max_iter={self.max_iter}, "
                f"largest relative gap {self.gap_.max():.1e}); raise max_iter or tol, "
                "scale the features, or lower C.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def restore_fitted(self, machine: Any, scaling: LeafScaling | None = None) -> Self:
        """Set the fitted attributes from a trained machine, wherever it comes from."""
        super().restore_fitted(machine, scaling)
        self.n_support_ = np.diff(machine.class_starts).astype(np.int32)
        if sparse.issparse(machine.vectors):
            self.dual_coef_ = sparse.csr_matrix(self.dual_coef_)
        self.n_iter_ = machine.records["n_iter"].astype(np.int64)
        self.gap_ = machine.records["gap"].copy()
        self.converged_ = machine.records["converged"].copy()
        return self

    def _fit_probability(self, rows):
        scale = held_out_scale(self, rows, decision_function_shape="ovr")
        self.probability_scale_ = scale
