"""DTSVM for regression: a tree cuts the space, an SVR answers in every leaf."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from treesvm.decomposition.decomposition import Part
from treesvm.decomposition.parts_loop import each_part
from treesvm.inputs.kernel_parameters import check_kernel_parameters
from treesvm.inputs.training_rows import checked_rows, row_weights
from treesvm.kernels.kernel import resolve_kernel
from treesvm.machines.regression_machine import train_regressor
from treesvm.machines.scaling import minmax_scaling
from treesvm.trees.axis import grow_axis_regression_tree
from treesvm.trees.leaf_rows import rows_by_leaf


class DTSVRegressor(RegressorMixin, BaseEstimator):
    """Tree-decomposed support vector regression.

    Parameters
    ----------
    C : float, default=10.0
    gamma : {"scale", "auto"} or float, default=3.0
        Of the features as the leaves see them.
    max_leaf_size : int, default=1500
        Nodes with at least this many rows are split, if they can be.
    epsilon : float, default=0.1
        Errors up to this size cost nothing, in units of `y`.
    kernel, degree, coef0, leaf_scaling, max_tree_rows, tol, max_iter, cache_size, \
n_jobs, random_state, verbose
        As in `DTSVMClassifier`.

    Attributes
    ----------
    tree_ : Tree
    n_leaves_ : int
    n_support_vectors_ : int

    Notes
    -----
    When not to use it: predictions jump at the borders of leaves; where the target must
    be continuous, `KernelSVR` on a sample is smoother.  Boosted trees are the better
    choice on most tables with many irrelevant features.

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

    def __init__(
        self,
        C=10.0,
        gamma=3.0,
        max_leaf_size=1500,
        *,
        epsilon=0.1,
        kernel="rbf",
        degree=3,
        coef0=0.0,
        leaf_scaling="minmax",
        max_tree_rows=100_000,
        tol=1e-3,
        max_iter=-1,
        cache_size=1000,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.C = C
        self.gamma = gamma
        self.max_leaf_size = max_leaf_size
        self.epsilon = epsilon
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.leaf_scaling = leaf_scaling
        self.max_tree_rows = max_tree_rows
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Grow the tree and train its leaves."""
        check_kernel_parameters(self)
        if self.kernel == "precomputed":
            raise ValueError(
                "kernel='precomputed' cannot be cut by a tree, which needs features; "
                "use KernelSVR for a Gram matrix."
            )
        X, y = checked_rows(self, X, y, y_numeric=True)
        y, weight = y.astype(np.float64), row_weights(X, sample_weight)
        kept = np.flatnonzero(weight > 0)
        if len(kept) < len(y):
            X, y, weight = X[kept], y[kept], weight[kept]
        tree = grow_axis_regression_tree(
            X,
            y,
            max_leaf_size=self.max_leaf_size,
            sample_weight=weight if np.ptp(weight) > 0 else None,
            random_state=self.random_state,
            max_tree_rows=self.max_tree_rows,
        )
        numbers = tree.leaf_numbers[tree.apply(X, n_jobs=self.n_jobs)]
        leaves = self._train_leaves(X, y, weight, rows_by_leaf(numbers, tree.n_leaves))
        self._publish(tree, leaves)
        return self

    def _publish(self, tree, leaves):
        """Set the fitted attributes."""
        self.tree_, self._leaves = tree, leaves
        self.n_leaves_ = len(leaves)
        self.n_support_vectors_ = sum(leaf.machine.n_vectors for leaf in leaves)
        self.n_iter_ = max(1, *(int(r.machine.records["n_iter"][0]) for r in leaves), 1)

    def _train_leaves(self, X, y, weight, groups):
        """Train one machine in every leaf, in threads."""
        kernel = resolve_kernel(
            self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, X=X
        )

        def train(k):
            rows = groups.rows(k)
            part = X[rows]
            scaling = minmax_scaling(part) if self.leaf_scaling == "minmax" else None
            machine = train_regressor(
                part if scaling is None else scaling.apply(part),
                y[rows],
                weight[rows],
                kernel,
                self.C,
                self.epsilon,
                tol=self.tol,
                max_iter=None if self.max_iter == -1 else self.max_iter,
                max_bytes=int(self.cache_size * 2**20),
            )
            return Part(0, machine, scaling, len(rows), 1, 0.0)

        return each_part(train, groups.sizes, n_jobs=self.n_jobs, verbose=self.verbose)

    def apply(self, X):
        """Return the leaf node of every row."""
        check_is_fitted(self)
        X = checked_rows(self, X, reset=False)
        return self.tree_.apply(X, n_jobs=self.n_jobs)

    def predict(self, X):
        """Return the predicted target of every row."""
        check_is_fitted(self)
        X = checked_rows(self, X, reset=False)
        numbers = self.tree_.leaf_numbers[self.tree_.apply(X, n_jobs=self.n_jobs)]
        groups = rows_by_leaf(numbers, len(self._leaves))
        out = np.empty(X.shape[0])
        for k in np.flatnonzero(groups.sizes):
            rows, leaf = groups.rows(k), self._leaves[k]
            out[rows] = leaf.machine.decisions(leaf.seen(X[rows]))[:, 0]
        return out

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
