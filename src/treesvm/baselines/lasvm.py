"""LASVM behind scikit-learn's interface: one pass, or row after row by partial_fit."""

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from treesvm.decomposition.progress import Progress
from treesvm.estimators.kernel_svc import KernelSVC
from treesvm.inputs.array_types import Array, ArrayLike, ClassWeight, MatrixLike, Seed
from treesvm.inputs.parameter_rules import FLAG, count
from treesvm.inputs.training_rows import (
    check_boxes,
    checked_rows,
    class_rows,
    row_weights,
    takes_gram,
)
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.machines.lasvm_machines import (
    OnlineOptions,
    StreamedRows,
    learn_online,
)
from treesvm.machines.layout import class_layout


class LASVMClassifier(KernelSVC):
    """Online kernel SVM: each row is looked at once, or as often as `epochs` says.

    A new row enters the expansion if it violates the optimality conditions (PROCESS),
    then the most violating pair is improved and idle rows leave (REPROCESS). After a
    pass the kept rows are solved to the end (`finish`). Kernel values are computed as
    they are needed; memory holds the rows, the expansion, and a cache with a budget.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the errors: large values follow the rows, small ones are smoother.
    kernel : {"rbf", "laplacian", "linear", "poly", "polynomial", "sigmoid"} or \
callable, default="rbf"
        The function of two rows, see `treesvm.KernelSVC`.
    degree : int, default=3
        Of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the kernel, as for `KernelSVC`. With `partial_fit`, "scale" is that of
        the first rows.
    coef0 : float, default=0.0
        Constant of the polynomial and the sigmoid kernel.
    epochs : int, default=1
        Most passes over the rows in `fit`; a pass that takes no row in is the last.
    finish : bool, default=True
        Solve the kept rows after each pass of `fit`. `partial_fit` never does.
    tol : float, default=1e-3
        Violation below which a row or a pair is left alone.
    class_weight : dict or "balanced", optional
        "balanced" needs all rows and is refused by `partial_fit`.
    multi_class : {"ovo", "ovr"}, default="ovo"
        A machine for each pair of classes, or for each class against the others.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Columns of `decision_function`: one for each class, or one for each pair.
    break_ties : bool, default=False
        Break ties between votes by the summed decision values.
    probability : bool, default=False
        Calibrate `predict_proba` in `fit`; refused by `partial_fit`.
    max_iter : int, default=-1
        Cap on the steps of each finishing pass, -1 for none.
    cache_size : float, default=500
        Megabytes of kernel values that may be held.
    n_jobs : int, optional
        Threads over the binary machines.
    random_state : int, RandomState or None
        Draws the order of the rows, and the folds of `probability`.
    verbose : int, default=0
        Above 0, progress goes to standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    support_ : ndarray of shape (n_SV,)
        Row numbers of the support vectors; `partial_fit` goes on counting.
    support_weight_ : ndarray of shape (n_SV,)
        Weights of the support vectors.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        The rows that the machine is made of.
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
        Signed coefficients, as in scikit-learn; (n_classes, n_SV) with "ovr".
    intercept_ : ndarray of shape (n_machines,)
        Constants of the machines.
    n_iter_ : ndarray of shape (n_machines,)
        Steps on pairs.
    gap_ : ndarray of shape (n_machines,)
        Relative duality gap of the problem of the kept rows, not of all rows.
    converged_ : ndarray of shape (n_machines,)
        Whether the kept rows are solved to `tol`.

    Notes
    -----
    When not to use it: if all rows fit in memory, `KernelSVC` is about as fast and ends
    at the optimum; LASVM is for streams, and for a first answer after one pass. Where
    classes overlap nearly every row enters the expansion, and the pass slows down with
    it: `DTSVMClassifier` or a selector such as `treesvm.candidates.TRSD` costs less.

    References
    ----------
    A. Bordes, S. Ertekin, J. Weston, L. Bottou, "Fast kernel classifiers with online
    and active learning", JMLR 6 (2005), sections 3.1-3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treesvm.baselines import LASVMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LASVMClassifier(C=10, gamma=0.1, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    >>> model = LASVMClassifier(C=10, gamma=0.1, random_state=0)
    >>> for part in range(3):
    ...     model = model.partial_fit(X[part::3], y[part::3], classes=[0, 1, 2])
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    _rules: ClassVar = {"epochs": count("use a positive whole number"), "finish": FLAG}

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        epochs: int = 1,
        finish: bool = True,
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
        verbose: int = 0,
    ) -> None:
        super().__init__(
            C,
            kernel=kernel,
            degree=degree,
            gamma=gamma,
            coef0=coef0,
            tol=tol,
            class_weight=class_weight,
            multi_class=multi_class,
            decision_function_shape=decision_function_shape,
            break_ties=break_ties,
            probability=probability,
            max_iter=max_iter,
            cache_size=cache_size,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.epochs = epochs
        self.finish = finish
        self.verbose = verbose

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from nothing, in at most `epochs` passes over the rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            Not negative; rows of weight zero are left out.

        Returns
        -------
        self
        """
        self.check_parameters()
        every = class_rows(self, X, y, sample_weight)
        kept = np.flatnonzero(every.weight > 0)
        X, codes, weight, _ = every.take(kept)
        rows = StreamedRows(X, codes, weight, kept)
        kernel = self._resolved_kernel(rows.X)
        self._learn(rows, self._options(kernel, self.epochs, self.finish))
        if self.probability:
            self._fit_probability(every)
        if not self.converged_.all() and self.finish:
            warnings.warn(
                f"{np.sum(~self.converged_)} of {len(self.converged_)} machines did "
                f"not finish in max_iter={self.max_iter} steps; raise max_iter or tol, "
                "scale the features, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    @all_or_nothing
    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn further rows, each looked at once, on top of what is known.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        classes : array-like, optional
            All labels that will ever come; needed in the first call.
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        self
        """
        self.check_parameters()
        self._check_streaming()
        is_first = not hasattr(self, "_machine")
        X, y = checked_rows(self, X, y, reset=is_first)
        check_classification_targets(y)
        if is_first:
            self.classes_ = _all_classes(classes)
        elif classes is not None and not np.array_equal(
            np.unique(classes), self.classes_
        ):
            raise ValueError(
                f"classes={classes!r} differ from those of the first call, "
                f"{self.classes_}; leave them out, or start with fit."
            )
        weight = row_weights(X, sample_weight)
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, y)
        check_boxes(self, weight.max())
        codes = _codes_of(y, self.classes_)
        first = 0 if is_first else self._machine.n_training_rows
        kept = np.flatnonzero(weight > 0)
        rows = StreamedRows(X[kept], codes[kept], weight[kept], first + kept)
        kernel = self._resolved_kernel(rows.X) if is_first else self._machine.kernel
        self._learn(rows, self._options(kernel, 1, False), is_first=is_first)
        return self

    def _options(self, kernel, epochs, finish):
        return OnlineOptions(
            kernel,
            self.C,
            class_layout(np.arange(len(self.classes_)), self.multi_class),
            epochs,
            finish,
            float(self.tol),
            None if self.max_iter == -1 else self.max_iter,
            int(float(self.cache_size) * 2**20),
            self.n_jobs,
        )

    def _learn(self, rows, options, is_first=True):
        """Learn the rows and publish the machine."""
        known = {}
        if not is_first and self._machine.n_vectors:
            machine = self._machine
            codes = np.repeat(
                np.arange(machine.n_classes), np.diff(machine.class_starts)
            )
            known["machine"] = machine
            known["kept"] = StreamedRows(
                machine.vectors, codes, self.support_weight_, machine.support
            )
        sizes = np.bincount(rows.codes, minlength=len(self.classes_))
        met = int(sizes.sum()) * options.layout.machine_ids.shape[1]
        progress = Progress(options.epochs * met, "looks at rows", self.verbose)

        machine, weight = learn_online(
            rows,
            options,
            check_random_state(self.random_state),
            on_rows=progress.step_many if self.verbose else None,
            **known,
        )
        progress.close()
        self.restore_fitted(machine, weight)

    def restore_fitted(  # type: ignore[override]  # a stream goes on with the weights
        self, machine: Any, support_weight: Array
    ) -> Self:
        """Set the fitted attributes from a trained machine, wherever it comes from.

        `support_weight` holds the weights of its vectors, for `partial_fit` to go on.
        """
        if len(support_weight) != machine.n_vectors:
            raise ValueError("its support vectors have no weight each")
        largest = np.abs(machine.coefficients).max(axis=1, initial=0.0)
        # Sums of steps may be off by rounding.
        if (largest > self.C * support_weight * (1.0 + 1e-9)).any():
            raise ValueError("a coefficient is larger than its box allows")
        self.support_weight_ = support_weight
        return super().restore_fitted(machine)

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        super().check_parameters()
        if takes_gram(self):
            raise ValueError(
                "kernel='precomputed' has all values before the first row comes; use "
                "KernelSVC for a Gram matrix."
            )

    def _check_streaming(self):
        if self.probability:
            raise ValueError(
                "probability=True needs held-out rows, which a stream does not keep; "
                "use fit, or probability=False."
            )
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight={self.class_weight!r} needs all rows at once; give "
                "partial_fit a dict, or use fit."
            )

    def path(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not available: a grid shares a Gram matrix, which LASVM never holds."""
        raise AttributeError("LASVMClassifier has no path; use KernelSVC.path.")


def _all_classes(classes):
    """Return the sorted labels that the first call of partial_fit names."""
    if classes is None:
        raise ValueError(
            "the first call of partial_fit needs classes=, all labels that will come."
        )
    found = np.unique(classes)
    if len(found) < 2:
        raise ValueError(f"classes={classes!r} holds one class only; give two or more.")
    return found


def _codes_of(y, classes):
    """Return class codes; labels that were not announced are an error."""
    codes = np.clip(np.searchsorted(classes, y), 0, len(classes) - 1)
    unknown = classes[codes] != y
    if unknown.any():
        raise ValueError(
            f"y holds the label {y[unknown][0]}, which was not among the classes "
            f"{classes} of the first call."
        )
    return codes
