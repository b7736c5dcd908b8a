"""Support vector trees: a few terms of a trained machine for every row."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treesvm.compression.machine_compression import CompressionOptions
from treesvm.compression.sources import has_parts, model_source, object_source
from treesvm.compression.tree_parts import (
    evaluations,
    part_members,
    whole_member,
)
from treesvm.compression.tree_rows import (
    distinct_rows,
    object_rows,
)
from treesvm.decomposition.committee import joint_scores
from treesvm.decomposition.predictor import DecompositionPredictor
from treesvm.estimators.classifier import Classifier
from treesvm.estimators.kernel_svc import KernelSVC
from treesvm.inputs.array_types import Array, ArrayLike, MatrixLike, Seed
from treesvm.inputs.estimator import is_fitted
from treesvm.inputs.parameter_rules import (
    FLAG,
    count,
    either,
    one_of,
)
from treesvm.inputs.training_rows import checked_rows, class_rows, takes_gram
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.kernels.kernel import CallableKernel

# What a refit lowers, None without refit.
_LOSSES = {False: None, True: "values", "values": "values", "margin": "margin"}


class SupportVectorTreeClassifier(MetaEstimatorMixin, Classifier):
    """A trained kernel machine, compressed to a tree that evaluates about ten kernels.

    Every node of the tree evaluates one kernel value (or weak learner) and sends the
    row left or right by it; the sum of the values on the path, with the scales of the
    leaf, approximates the machine's decision *value*, so that ranks are kept, not only
    classes.

    Parameters
    ----------
    estimator : classifier, optional
        `KernelSVC` (default), `DTSVMClassifier` (each leaf is compressed),
        scikit-learn's `SVC`, or a sum of weak learners: `AdaBoostClassifier`,
        `GradientBoostingClassifier`, any classifier with ``sum_of_terms()``. A fitted
        one is used as it is, an unfitted one is cloned and fitted.
    max_height : int, optional
        Most kernels on a path. By default ``1.5 log2(n / min_rows)`` with refit, about
        what the paper's trees reach, and no limit without.
    min_rows : int, default=5
        A node with so few rows is not split.
    n_starts : int, default=5
        Random thresholds from which each split is searched. The paper's Algorithm 3
        draws one.
    refit : {"values", "margin"} or bool, default="values"
        Fit all scales of a path together, to the machine's values (also True), or to
        its values between the margins and beyond them to being beyond. False is the
        paper's algorithm.
    scaled : bool, default=True
        Without refit: whether each column gets its best scale (section 4.3). False is
        the paper's Algorithms 2 to 5 as written (c = 1): a node adds its support vector
        with the coefficient that it has in the machine.
    split_rows : int or "cv", default="cv"
        With refit, nodes with fewer rows grow on as chains, without splitting. "cv"
        chooses among 30, 100 and no split at all by held-out rows.
    vectors : {"auto", "support", "rows"}, default="auto"
        What nodes may hold: the machine's own vectors, or rows of X (at most 2,000).
        "auto" takes rows with refit, where the machine has a kernel.
    shared : bool, default=True
        More than two classes: one tree for all binary machines, or a tree for each.
    object_kernel : callable, optional
        Makes X a sequence of any objects: ``object_kernel(A, B)`` returns the kernel
        values of two sequences. The estimator then has ``kernel="precomputed"``.
    cache_size : float, default=500
        Megabytes for the matrix of kernel values; D is a random sample of the rows
        where they do not fit, see `n_rows_`.
    n_jobs : int, optional
        Threads over the leaves of a DTSVM. The model does not depend on it.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.
    verbose : int, default=0
        Above 0, progress goes to standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    decompositions_ : list of Decomposition
        Partitions and their compressed parts.
    n_rows_ : int
        Rows that trees were grown on: the distinct rows of X, as far as they fit
        `cache_size` and fall into leaves with several classes.
    n_vectors_ : int
        Distinct kernel vectors or learners in all trees.
    n_features_in_ : int
        Columns of the training rows.

    Notes
    -----
    When not to use it: if kernels are cheap and rows come in large batches, the machine
    itself is as fast; if a linear SVM is as accurate, use that; if the budget is above
    a hundred kernels, train the machine on fewer rows instead.

    Equal rows of X count once, and rows of weight zero not at all; other weights speak
    through the machine.

    References
    ----------
    A. Ukkonen, "The support vector tree", LNCS 6060 (2010): sections 3.2 (exact
    balanced trees), 4 (the greedy algorithm), 4.3 (scaling) and 6 (ensembles).

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import KernelSVC, SupportVectorTreeClassifier
    >>> X, y = make_moons(600, noise=0.2, random_state=0)
    >>> machine = KernelSVC(C=1, gamma=2).fit(X, y)
    >>> tree = SupportVectorTreeClassifier(machine, random_state=0).fit(X, y)
    >>> bool(tree.kernel_evaluations(X).mean() < 0.2 * len(machine.support_))
    True
    >>> bool(tree.score(X, y) > machine.score(X, y) - 0.02)
    True
    """

    _rules: ClassVar = {
        "max_height": either(
            None, count("use a positive whole number, or None for the default")
        ),
        "min_rows": count("use a positive whole number of rows"),
        "n_starts": count("use a positive whole number"),
        "refit": one_of(False, True, "values", "margin"),
        "scaled": FLAG,
        "split_rows": either(
            "cv", count("use a positive whole number of rows, or 'cv'")
        ),
        "vectors": one_of("auto", "support", "rows"),
        "shared": FLAG,
        "object_kernel": (
            lambda value: value is None or callable(value),
            "use a function of two sequences of objects, or None",
        ),
    }

    def __init__(
        self,
        estimator: Any = None,
        max_height: int | None = None,
        min_rows: int | str | None = 5,
        n_starts: int = 5,
        refit: bool | str = "values",
        *,
        scaled: bool = True,
        split_rows: int | str | None = "cv",
        vectors: str = "auto",
        shared: bool = True,
        object_kernel: Callable[..., Any] | None = None,
        cache_size: int = 500,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.max_height = max_height
        self.min_rows = min_rows
        self.n_starts = n_starts
        self.refit = refit
        self.scaled = scaled
        self.split_rows = split_rows
        self.vectors = vectors
        self.shared = shared
        self.object_kernel = object_kernel
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Train the estimator, if it is not fitted, and grow the tree on the rows D.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            D. For a precomputed kernel, kernel values with the estimator's training
            rows; with `object_kernel`, a sequence of objects.
        y : array-like of shape (n_rows,)
            Not needed if the estimator is fitted.
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        self
        """
        self.check_parameters()
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        rng = np.random.default_rng(seed)
        if self.object_kernel is not None:
            model, rows, source = self._object_source(X, y, sample_weight)
        else:
            model, rows = self._fitted_estimator(X, y, sample_weight)
            source = None if has_parts(model) else model_source(model, rows)
        if source is None:
            members, seed = model.decompositions_, int(rng.integers(2**31))
            members = part_members(
                members, rows, self._options(), seed, self.n_jobs, self.verbose
            )
        else:
            self._check_coefficients(source)
            vectors = self._vectors(source)
            members = [whole_member(source, rows, self._options(), rng, vectors)]
        return self.restore_fitted(members)

    def _fitted_estimator(self, X, y, sample_weight):
        """Return the fitted model and the rows of D."""
        model = KernelSVC() if self.estimator is None else self.estimator
        if is_fitted(model):
            X = checked_rows(self, X)
            _check_width(model, X)
            self.classes_ = np.asarray(model.classes_)
            return model, distinct_rows(X)
        X, codes, weight, _ = class_rows(self, X, y, sample_weight)
        kept = weight > 0
        weights = {} if sample_weight is None else {"sample_weight": weight}
        model = clone(model).fit(X, self.classes_[codes], **weights)
        return model, distinct_rows(X[kept])

    def _object_source(self, X, y, sample_weight):
        """Train on the Gram matrix of objects; return model, objects and source."""
        objects = object_rows(X)
        model = self.estimator
        model = KernelSVC(kernel="precomputed") if model is None else model
        kernel = CallableKernel(self.object_kernel)
        if is_fitted(model) and len(objects) != model.n_features_in_:
            raise ValueError(
                f"X holds {len(objects)} objects; a fitted estimator with a "
                f"precomputed kernel needs its {model.n_features_in_} training objects."
            )
        gram = kernel.block(objects, objects, np.float64)
        if not is_fitted(model):
            weights = {} if sample_weight is None else {"sample_weight": sample_weight}
            model = clone(model).fit(gram, y, **weights)
        self.classes_ = np.asarray(model.classes_)
        self.n_features_in_ = 1
        return model, objects, object_source(model, kernel, objects, gram)

    def _check_coefficients(self, source):
        """Refuse columns without scales where nothing says their coefficients."""
        if not self.scaled and source.coefficients is None:
            raise ValueError(
                "scaled=False needs the coefficients of a kernel machine; a sum of "
                "weak learners does not say them: use scaled=True."
            )

    def _vectors(self, source):
        """Which vectors the nodes may hold, settled."""
        has_kernel = hasattr(source.terms, "kernel")
        if self.vectors == "rows" and not has_kernel:
            raise ValueError(
                "vectors='rows' needs a machine with a kernel; a sum of weak learners "
                "has its own terms only: use vectors='support'."
            )
        if self.vectors != "auto":
            return self.vectors
        # Objects are few and their kernels dear: the machine's own are known already.
        is_plain = has_kernel and self.object_kernel is None
        is_gram = is_plain and source.terms.kernel.is_precomputed
        return "rows" if is_plain and not is_gram and self.refit else "support"

    def _options(self):
        return CompressionOptions(
            max_height=self.max_height,
            min_rows=self.min_rows,
            n_starts=self.n_starts,
            loss=_LOSSES[self.refit],
            is_scaled=self.scaled,
            split_rows=self.split_rows,
            is_shared=self.shared,
            max_bytes=int(self.cache_size * 2**20),
        )

    def restore_fitted(self, members: list[Any]) -> Self:
        """Set the fitted attributes from compressed members, wherever they are from."""
        self.decompositions_ = members
        parts = [part for member in members for part in member.parts]
        machines = [part.machine for part in parts if part.machine is not None]
        self.n_vectors_ = sum(machine.n_vectors for machine in machines)
        self.n_rows_ = sum(int(machine.trees[0].n_rows[0]) for machine in machines)
        return self

    def decision_function(self, X: MatrixLike) -> Array:
        """Return the approximation of the machine's values.

        Two classes: one value a row; more: one score for each class, as
        `DTSVMClassifier` defines them. After `compress` with free vectors, a machine's
        values are logarithms of odds.

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
        return self._second_or_all(X)

    def kernel_evaluations(self, X: MatrixLike) -> Array:
        """Return how many distinct kernels (or learners) every row costs.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to answer.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        X = self._checked(X)
        return np.sum(
            [evaluations(member, X) for member in self.decompositions_], axis=0
        )

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
        if self.object_kernel is not None:
            raise ValueError(
                "a predictor answers rows of numbers; with a kernel on objects, call "
                "predict."
            )
        return DecompositionPredictor(
            self.decompositions_, self.classes_, self.n_features_in_
        )

    def _scores(self, X):
        return joint_scores(self.decompositions_, X)

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        super().check_parameters()
        if not self.scaled and (self.refit or self.vectors == "rows"):
            raise ValueError(
                f"scaled=False keeps the coefficients of the machine's own vectors, "
                f"which refit={self.refit!r} with vectors={self.vectors!r} does not; "
                "use refit=False with vectors='auto' or 'support'."
            )

    def _checked(self, X):
        check_is_fitted(self)
        is_rows = self.object_kernel is None
        return super()._checked(X) if is_rows else object_rows(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        is_gram = takes_gram(self.estimator)
        tags.input_tags.sparse = not is_gram
        tags.input_tags.pairwise = is_gram and self.object_kernel is None
        return tags


def _check_width(model, X):
    width = getattr(model, "n_features_in_", X.shape[1])
    if width != X.shape[1]:
        raise ValueError(
            f"X has {X.shape[1]} features; the fitted {type(model).__name__} was "
            f"trained on {width}. Give it rows of its own kind."
        )
