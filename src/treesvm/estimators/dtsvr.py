"""DTSVM for regression: a tree cuts the space, a machine answers in every part."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from treesvm.decomposition.checkpointing import NOTHING_KEPT
from treesvm.decomposition.seeds import single_seed
from treesvm.decomposition.training import fit_members, machine_options, target_spread
from treesvm.estimators.decomposed import OPEN_RULES, DecomposedEstimator
from treesvm.estimators.row_support import RowSupport
from treesvm.inputs.array_types import Array, ArrayLike, MatrixLike, Seed
from treesvm.inputs.training_rows import number_rows
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.partitions.choice import find_partition
from treesvm.partitions.oblique_tree import ObliqueTree


class DTSVRegressor(RegressorMixin, RowSupport, DecomposedEstimator):
    """Tree-decomposed support vector regression.

    Parameters
    ----------
    C : float or "auto", default="auto"
        Weight of the errors, in units of the target's spread, see `scale_target`.
        "auto" leaves the choice to the training rows: C, `gamma_scale`, `kernel` and
        `epsilon`, as far as they are "auto", are those that do best on held-out rows
        of a few parts (see Notes).
    gamma : {"median", "scale", "auto"} or float, default="median"
        Of the features as the parts see them, see `DTSVMClassifier`.
    gamma_scale : float or "auto", default="auto"
        Multiplies a gamma that is a word; "auto" tries 0.1, 0.3, 1 and 3 of the
        median's rule, and is 1 for the other words.
    max_leaf_size : int, default=1500
        Nodes with at least this many rows are split, if they can be.
    epsilon : float or "auto", default="auto"
        Errors up to this size cost nothing, in units of the target's spread; "auto"
        tries 0.02, 0.1 and 0.3 of it. Of no use to least squares.
    loss : {"hinge", "squared"}, default="hinge"
        What errors beyond `epsilon` cost: "hinge" counts them in proportion, so that
        machines have few support vectors and answer, about, with the median. Least
        squares, "squared", answer with the mean, which is better by R² where targets
        are skewed or noisy; every training row becomes a support vector, and answers
        take longer.
    scale_target : bool, default=True
        Count C, epsilon and tol in standard deviations of the training targets, so that
        the model does not depend on the units of `y`. False counts them in units of
        `y`, as `KernelSVR` does; C of least squares has no unit.
    kernel : {"auto", "laplacian", "rbf", "linear", "poly", "polynomial", "sigmoid"} \
or callable, default="auto"
        The Laplacian is ahead on tables of mixed columns, the Gaussian ("rbf", the
        paper's) on letters, digits and signals. "auto" tries both; where gamma is a
        number it is the Laplacian.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=0.0
        Of the polynomial and the sigmoid kernel.
    leaf_scaling : {"minmax", "quantile", "standard", None}, default="minmax"
        Rescale the features inside each part to [0, 1], map them to their ranks, which
        suits features with long tails, or divide them by their standard deviation, but
        for those of two values, beside which numbers then count for more; ranks and
        deviations need dense rows. None is the paper's method and wants features scaled
        beforehand.
    feature_weights : None, "learned", "local" or array-like of shape (n_features,), \
default=None
        Weights of the features in the kernel's distance: none, learned in every part
        from the gradients of its own machine (about twice the training time), or
        given. "local" ones are learned, too, and differ along a feature: more where
        the machine's values change; they need dense rows. Needs a Laplacian or
        Gaussian kernel.
    partition : {"axis", "oblique", "random", "whole"} or object, default="axis"
        How the space is cut: by an axis-parallel tree, a tree of linear SVMs, at random
        or not at all. An object of `treesvm.partitions` has parameters of its own, such
        as ``AxisTree(criterion="gini", max_tree_rows=None)``.
    tol : float, default=1e-3
        Violation of the optimality conditions at which a machine has converged.
    max_iter : int, default=-1
        Cap on the steps of each machine, -1 for none.
    cache_size : float, default=1000
        Megabytes of kernel values that may be held; larger leaves are solved by working
        sets.
    n_jobs : int, optional
        Threads over the leaves.  The model does not depend on it.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.
    verbose : int, default=0
        Above 0, progress goes to standard error.

    Attributes
    ----------
    decompositions_ : list of one Decomposition
        The partition and its trained parts.
    trees_ : list of Tree
        One, if the partition is a tree.
    n_leaves_ : int
        Parts of the model.
    n_support_vectors_ : int
        Distinct support vectors, over all parts.
    support_ : ndarray of int
        After a fit, the numbers of the rows of X that are support vectors, ascending.
        Model files do not keep it.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        These rows. Neither model files nor pickles keep them, since the parts have them
        in their own scale.
    C_ : float
        The C that was given or chosen.
    gamma_scale_ : float
        The same of `gamma_scale`.
    kernel_ : str or callable
        The same of the kernel.
    epsilon_ : float
        The same of `epsilon`.

    Notes
    -----
    When not to use it: predictions jump at the borders of leaves; where the target is
    continuous, `KernelSVR` on a sample is smoother.  Boosted trees are the better
    choice on most tables with many irrelevant features.

    What is "auto" is chosen on about a thousand training rows of a few parts, by the
    squared errors of rows that are held out in three folds. ``C=10, gamma_scale=1,
    kernel="laplacian", epsilon=0.1`` were the defaults before.

    Examples
    --------
    >>> import numpy as np
    >>> from treesvm import DTSVRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(3000, 2))
    >>> y = np.sin(6 * X[:, 0]) * X[:, 1]
    >>> model = DTSVRegressor(epsilon=0.01, max_leaf_size=500).fit(X[:2000], y[:2000])
    >>> bool(model.score(X[2000:], y[2000:]) > 0.98)
    True
    """

    _of_a_gram: ClassVar = "KernelSVR"
    _rules: ClassVar[dict[str, Any]] = OPEN_RULES

    def __init__(
        self,
        C: float | str = "auto",
        gamma: float | str = "median",
        max_leaf_size: int = 1500,
        *,
        gamma_scale: float | str = "auto",
        epsilon: float | str = "auto",
        loss: str = "hinge",
        scale_target: bool = True,
        kernel: str | Callable[..., Any] = "auto",
        degree: int = 3,
        coef0: float = 0.0,
        leaf_scaling: str | None = "minmax",
        feature_weights: str | ArrayLike | None = None,
        partition: Any = "axis",
        tol: float = 1e-3,
        max_iter: int = -1,
        cache_size: int = 1000,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.max_leaf_size = max_leaf_size
        self.gamma_scale = gamma_scale
        self.epsilon = epsilon
        self.loss = loss
        self.scale_target = scale_target
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.leaf_scaling = leaf_scaling
        self.feature_weights = feature_weights
        self.partition = partition
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Cut the space and train a regressor in every part.

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
        every = number_rows(self, X, y, sample_weight)
        kept = np.flatnonzero(every.weight > 0)
        rows = every.take(kept)
        unit = target_spread(rows) if self.scale_target else 1.0
        rows = rows._replace(target=rows.target / unit)
        recipe = self._recipe(find_partition(self.partition), machine_options(self))
        draws = [(single_seed(self.random_state), NOTHING_KEPT)]
        members, theta = fit_members(rows, recipe, draws)
        for member in members:
            member.count_in(unit)
        self._note_support(members, kept, rows.X)
        return self.restore_fitted(members, theta)

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
        return self.decompositions_[0].values(X, self.n_jobs)

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        super().check_parameters()
        if isinstance(find_partition(self.partition), ObliqueTree):
            raise ValueError(
                f"partition={self.partition!r} needs classes to cut between; use "
                "'axis' or 'random' for regression."
            )
