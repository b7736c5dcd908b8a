"""CPSP: a kernel machine with a fixed budget of basis vectors, for comparison."""

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from treesvm.compression.subspace_pursuit import PursuitOptions, pursue
from treesvm.decomposition.calibration import as_columns
from treesvm.decomposition.progress import Progress
from treesvm.estimators.classifier import Classifier
from treesvm.inputs.array_types import Array, ArrayLike, ClassWeight, MatrixLike, Seed
from treesvm.inputs.parameter_rules import count, one_of
from treesvm.inputs.training_rows import class_rows, takes_gram
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.kernels.kernel import kernel_class, resolve_kernel

_GOOD_GAP = 1e-2  # relative gap above which a machine is reported as not converged


class CPSPClassifier(Classifier):
    """Cutting-plane subspace pursuit: an SVM over a few basis vectors.

    The basis grows one vector at a time, each the one that captures most of the cutting
    plane that the machine in the span so far cannot express; after each vector the
    coefficients are refitted for the SVM's objective in the span. More than two classes
    are one-against-the-rest machines that share the basis.

    Parameters
    ----------
    budget : int, default=10
        Basis vectors, and so kernel evaluations of a prediction.
    basis : {"training", "free"}, default="training"
        Choose vectors among the training rows, CPSP(tr), or anywhere, CPSP: pre-images
        by fixed-point iteration, for dense rows and the RBF kernel.
    C : float, default=1.0
        Weight of the errors: large values follow the rows, small ones are smoother.
    kernel : {"rbf", "laplacian", "linear", "poly", "polynomial", "sigmoid"} or \
callable, default="rbf"
        The function of two rows, see `treesvm.KernelSVC`.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the kernel: a number, or scikit-learn's rules on what it sees.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=0.0
        Constant of the polynomial and the sigmoid kernel.
    class_weight : dict or "balanced", optional
        Weights of the classes; "balanced" gives each the same sum.
    n_candidates : int, default=2000
        With more training rows, candidates are a random sample of so many.
    tol : float, default=1e-5
        Relative duality gap of each machine.
    max_iter : int, default=60
        Interior-point steps of each machine.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.
    verbose : int, default=0
        Above 0, progress goes to standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    basis_vectors_ : ndarray of shape (n_basis, n_features)
        The vectors that all machines share.
    basis_rows_ : ndarray of shape (n_basis,)
        Training rows that they are, -1 for free vectors.
    coef_ : ndarray of shape (n_basis, n_machines)
        Weights of the features.
    intercept_ : ndarray of shape (n_machines,)
        Constants of the machines.
    converged_share_ : float
        Of all machines solved, one for every vector and class.
    n_iter_ : int
        Vectors added.
    n_features_in_ : int
        Columns of the training rows.

    Notes
    -----
    When not to use it: it is a baseline. `SupportVectorTreeClassifier` spends the same
    number of kernels better where different regions need different vectors, and takes
    any kernel; with a budget of hundreds, `KernelSVC` on fewer rows is simpler.

    References
    ----------
    T. Joachims, C.-N. J. Yu, "Sparse kernel SVMs via cutting-plane training", Machine
    Learning 76 (2009) 179-193.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm.baselines import CPSPClassifier
    >>> X, y = make_moons(300, noise=0.1, random_state=0)
    >>> model = CPSPClassifier(budget=8, gamma=2.0, C=10.0).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True
    """

    _rules: ClassVar = {
        "budget": count("use a positive whole number"),
        "n_candidates": count("use a positive whole number"),
        "basis": one_of("training", "free"),
        "max_iter": count("use a positive whole number of steps"),
    }

    def __init__(
        self,
        budget: int = 10,
        basis: str = "training",
        C: float = 1.0,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        class_weight: ClassWeight = None,
        n_candidates: int = 2000,
        tol: float = 1e-5,
        max_iter: int = 60,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.budget = budget
        self.basis = basis
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.n_candidates = n_candidates
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Grow the basis and train the machines in its span.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Sparse rows are made dense.
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
        rows = every.take(kept)
        X = _dense(rows.X)
        self.kernel_ = resolve_kernel(
            self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, X=X
        )
        options = PursuitOptions(
            self.budget,
            self.basis == "free",
            float(self.tol),
            self.max_iter,
            self.n_candidates,
        )
        rng = np.random.default_rng(
            check_random_state(self.random_state).randint(2**31 - 1)
        )
        progress = Progress(self.budget, "basis vectors", self.verbose)
        signs = _signs(rows.target, rows.n_classes)
        span = pursue(
            self.kernel_,
            X,
            signs,
            self.C * rows.weight,
            options,
            rng=rng,
            tell=progress.step,
        )
        progress.close()
        self._publish(span, kept)
        return self

    def _publish(self, span, kept):
        """Set the fitted attributes, and warn if machines did not converge."""
        self.basis_vectors_ = span.vectors
        free = span.rows < 0
        self.basis_rows_ = np.where(free, -1, kept[np.where(free, 0, span.rows)])
        self.coef_, self.intercept_ = span.coefficients, span.biases
        self.converged_share_ = float(span.converged.mean())
        self.n_iter_ = len(span.vectors)
        if span.gaps[-1].max() > _GOOD_GAP:
            warnings.warn(
                f"a machine stopped at a relative gap of {span.gaps[-1].max():.1e} "
                f"after max_iter={self.max_iter} steps; raise max_iter, scale the "
                "features, or lower C.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def decision_function(self, X: MatrixLike) -> Array:
        """Return one value a row for two classes, else one for each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            One column for each class in `classes_`; of two classes one number, which
            is positive for the second.
        """
        return self._decisions(self._checked(X))

    def _scores(self, X):
        return as_columns(self._decisions(X))

    def kernel_evaluations(self, X: MatrixLike) -> Array:
        """Return how many kernels every row costs: the whole basis.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return np.full(self._checked(X).shape[0], len(self.basis_vectors_))

    def _decisions(self, X):
        X = _dense(X)
        values = np.tile(self.intercept_, (len(X), 1))
        if len(self.basis_vectors_):
            K = self.kernel_.block(X, self.basis_vectors_, np.float64)
            values = K @ self.coef_ + self.intercept_
        return values[:, 0] if len(self.classes_) == 2 else values

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        super().check_parameters()
        if takes_gram(self):
            raise ValueError(
                "kernel='precomputed' has no vectors to choose; use KernelSVC with "
                "SupportVectorTreeClassifier for a Gram matrix."
            )
        if self.basis == "free" and not kernel_class(self.kernel).has_free_vectors:
            raise ValueError(
                f"basis='free' looks for pre-images of the RBF kernel; with "
                f"kernel={self.kernel!r} use basis='training'."
            )


def _dense(X):
    """Free vectors are dense, and a basis is small: rows may as well be."""
    X = X.toarray() if sparse.issparse(X) else X
    return np.asarray(X, dtype=np.float64)


def _signs(codes, n_classes):
    """Labels -1 and +1 for every machine."""
    if n_classes == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    return np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)
