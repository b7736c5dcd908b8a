"""DTSVM: an axis-parallel tree cuts the space, a kernel SVM answers in every leaf."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treesvm.decomposition.checkpointing import (
    NOTHING_KEPT,
    Item,
    open_checkpoint,
    rows_identity,
)
from treesvm.decomposition.committee import committee_scores
from treesvm.decomposition.decomposition import (
    Decomposition,
    MachineOptions,
    answers,
    part_numbers,
    train_parts,
)
from treesvm.decomposition.dtsvm_calibration import calibrate
from treesvm.decomposition.leaf_reduction import check_selector, seeded_selector
from treesvm.decomposition.leaf_report import leaf_report
from treesvm.decomposition.predictor import DecompositionPredictor
from treesvm.estimators.kernel_svc import _has_probability
from treesvm.inputs.kernel_parameters import check_kernel_parameters
from treesvm.inputs.training_rows import checked_rows, classification_rows
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.kernels.kernel import resolve_kernel
from treesvm.trees.axis import grow_axis_tree
from treesvm.trees.leaf_rows import rows_by_leaf

# Features tried in each node of a randomised decomposition: few enough that the trees
# differ, enough that each stays a good one.
_MEMBER_FEATURES = 0.5


class DTSVMClassifier(ClassifierMixin, BaseEstimator):
    """Tree-decomposed kernel SVM with given C, gamma and leaf size.

    An entropy tree splits the rows until its leaves hold fewer than `max_leaf_size`; a
    leaf with one class answers with its label, every other leaf with a kernel SVM of
    its rows.  Training costs about ``n * max_leaf_size`` instead of n², and a
    prediction evaluates the support vectors of one leaf.

    Parameters
    ----------
    C : float, default=10.0
    gamma : {"scale", "auto"} or float, default=3.0
        Of the features as the leaves see them: with leaf scaling they lie in [0, 1].
    max_leaf_size : int, default=1500
        σ: nodes with at least this many rows are split, if they can be.
    kernel : {"rbf", "linear", "poly", "polynomial", "sigmoid"} or callable,
    default="rbf" degree, coef0
        Of the polynomial and the sigmoid kernel.
    multi_class : {"ovo", "ovr"}, default="ovo"
        Inside a leaf: a machine for each pair of its classes (1A1) or for each class
        against the others (1AO).
    leaf_scaling : {"minmax", None}, default="minmax"
        Rescale the features inside each leaf to [0, 1]; None is the paper's method and
        wants features scaled beforehand.
    n_estimators : int, default=1
        Randomised decompositions that vote.
    criterion : {"entropy", "gini", "log_loss"}, default="entropy"
    max_tree_rows : int or None, default=100_000
        With more rows than this the tree is grown on a random sample of so many, and
        its leaves are split further where they hold too many rows.  None grows on all
        rows.
    reduce : selector of `treesvm.candidates`, optional
        Which rows of a leaf, scaled as there, train its machine; None keeps all.
    class_weight : dict or "balanced", optional
    probability : bool, default=False
        Calibrate `predict_proba` with a second fit on four fifths of the rows.
    tol : float, default=1e-3
    max_iter : int, default=-1
        Cap on the steps of each machine, -1 for none.
    cache_size : float, default=1000
        Megabytes of kernel values that may be held; larger leaves are solved by working
        sets.
    n_jobs : int, optional
        Threads over the leaves.  The model does not depend on it.
    random_state : int, RandomState or None
    verbose : int, default=0
        Above 0, progress goes to standard error.
    checkpoint : str, path-like or Checkpoint, optional
        Folder in which finished leaves are kept. A fit that was killed goes on there
        when it is called again, and gives the model it would have given. A folder of
        another fit (other rows or parameters) is refused.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    trees_ : list of Tree
    n_leaves_ : int
        Leaves of all trees.
    n_support_vectors_ : int
        Distinct support vectors, over all leaves.
    n_iter_ : int
        Most steps that a machine took.
    n_restored_leaves_ : int
        With a checkpoint, leaves that were taken from it instead of trained.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had names

    Notes
    -----
    When not to use it: below some 5,000 rows `KernelSVC` is as fast and simpler; with
    thousands of sparse features a linear SVM is hard to beat (and ``multi_class="ovr",
    leaf_scaling=None`` suit them better than the defaults); where trees win by their
    own means (many irrelevant or categorical features), boosted trees are better.

    References
    ----------
    F. Chang, C.-Y. Guo, X.-R. Lin, C.-J. Lu, "Tree decomposition for large-scale SVM
    problems", JMLR 11 (2010) 2935-2972.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import DTSVMClassifier
    >>> X, y = make_moons(4000, noise=0.2, random_state=0)
    >>> model = DTSVMClassifier(max_leaf_size=500, random_state=0)
    >>> model = model.fit(X[:3000], y[:3000])
    >>> bool(model.score(X[3000:], y[3000:]) > 0.95)
    True
    """

    reduce = None  # what a subclass without the parameter has

    def __init__(
        self,
        C=10.0,
        gamma=3.0,
        max_leaf_size=1500,
        *,
        kernel="rbf",
        degree=3,
        coef0=0.0,
        multi_class="ovo",
        leaf_scaling="minmax",
        n_estimators=1,
        criterion="entropy",
        max_tree_rows=100_000,
        reduce=None,
        class_weight=None,
        probability=False,
        tol=1e-3,
        max_iter=-1,
        cache_size=1000,
        n_jobs=None,
        random_state=None,
        verbose=0,
        checkpoint=None,
    ):
        self.C = C
        self.gamma = gamma
        self.max_leaf_size = max_leaf_size
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.multi_class = multi_class
        self.leaf_scaling = leaf_scaling
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_tree_rows = max_tree_rows
        self.reduce = reduce
        self.class_weight = class_weight
        self.probability = probability
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.checkpoint = checkpoint

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Grow the tree or trees and train their leaves.

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
        self._check_parameters()
        X, codes, weight = classification_rows(
            self, X, y, sample_weight, self.class_weight
        )
        kept = np.flatnonzero(weight > 0)
        if len(kept) < len(codes):
            X, codes, weight = X[kept], codes[kept], weight[kept]
        options = self._machine_options(X)
        with self._open_checkpoint(X, codes, weight) as store:
            seeds = store.seeds(self._draw_seeds(), self.random_state)
            members = [
                self._fit_member(
                    X, codes, weight, seed, options, store.scope(f"member {number}")
                )
                for number, seed in enumerate(seeds[: self.n_estimators])
            ]
            scale = None
            if self.probability:
                folder = store.folder_of("calibration")
                scale = calibrate(self, X, codes, weight, seeds[-1], folder)
        self._publish(members, scale)
        self._count_restored(store)
        return self

    def _draw_seeds(self):
        """One seed for each member, and one for the calibration if there is one."""
        rng = check_random_state(self.random_state)
        seeds = member_seeds(rng, self.n_estimators).tolist()
        if not self.probability:
            return seeds
        return [*seeds, self._calibration_seed()]

    def _calibration_seed(self):
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _open_checkpoint(self, X, codes, weight):
        """Return the store of finished leaves; without checkpoint it keeps nothing."""
        return open_checkpoint(
            self,
            lambda: rows_identity(X, codes, weight, self.classes_),
            n_classes=len(self.classes_),
            n_features=X.shape[1],
        )

    def _count_restored(self, store):
        if self.checkpoint is not None:
            self.n_restored_leaves_ = store.n_restored

    def _grow_member(self, X, codes, weight, seed):
        """Grow the tree of one member."""
        weighted = bool(np.ptp(weight) > 0)
        return grow_axis_tree(
            X,
            codes,
            max_leaf_size=self.max_leaf_size,
            n_classes=len(self.classes_),
            criterion=self.criterion,
            sample_weight=weight if weighted else None,
            max_features=self._member_features(),
            random_state=seed,
            max_tree_rows=self.max_tree_rows,
        )

    def _member_features(self):
        """Features tried in each node: all, unless members have to differ."""
        return _MEMBER_FEATURES if self.n_estimators > 1 else None

    def _fit_member(self, X, codes, weight, seed, options, store=NOTHING_KEPT):
        """Grow one tree and train its leaves."""
        n_classes = len(self.classes_)
        known = store.get("tree")
        if known is None:
            tree = self._grow_member(X, codes, weight, seed)
            store.put("tree", Item(trees=(tree,)))
        else:
            tree = known.trees[0]
        groups = rows_by_leaf(part_numbers(tree, X, self.n_jobs), tree.n_leaves)
        parts = train_parts(
            X,
            codes,
            n_classes,
            weight,
            groups,
            options,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            store=store,
        )
        return Decomposition(tree, parts, n_classes)

    def _publish(self, members, scale=None):
        """Set the fitted attributes."""
        self.decompositions_ = members
        self.trees_ = [member.partition for member in members]
        self.n_leaves_ = sum(len(member.parts) for member in members)
        self.n_support_vectors_ = sum(
            part.n_vectors for member in members for part in member.parts
        )
        machines = [
            p.machine for m in members for p in m.parts if p.machine is not None
        ]
        self.n_iter_ = max(
            (int(machine.records["n_iter"].max()) for machine in machines), default=1
        )
        if scale is not None:
            self.probability_scale_ = scale

    def _machine_options(self, X):
        kernel = resolve_kernel(
            self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, X=X
        )
        return MachineOptions(
            kernel,
            self.C,
            self.multi_class,
            self.leaf_scaling,
            self.tol,
            None if self.max_iter == -1 else self.max_iter,
            int(self.cache_size * 2**20),
            seeded_selector(self.reduce, self.random_state),
        )

    def apply(self, X):
        """Return the leaf node of every row, one column for each tree if several."""
        X = self._checked(X)
        leaves = [tree.apply(X, n_jobs=self.n_jobs) for tree in self.trees_]
        return leaves[0] if len(leaves) == 1 else np.stack(leaves, axis=1)

    def decision_function(self, X):
        """Return a score for each class, or for two classes the decision value.

        Two classes: the leaf machine's value, ±1 in a leaf with one class.  More: votes
        of the pairs plus a fraction for their sums, or the machines' values with "ovr".
        Several decompositions: votes of the members plus a fraction for their scores.
        """
        scores = self._scores_of(self._checked(X))
        return answers("decision_function", scores, self.classes_)

    def predict(self, X):
        """Return the class of every row."""
        scores = self._scores_of(self._checked(X))
        return answers("predict", scores, self.classes_)

    @available_if(_has_probability)
    def predict_proba(self, X):
        """Return class probabilities; the largest is the class that `predict` says."""
        scores = self._scores_of(self._checked(X))
        scale = self.probability_scale_
        return answers("predict_proba", scores, self.classes_, scale)

    def predictor(self):
        """Return a compiled object that answers without checking its input.

        Called with one row it returns the label, with a 2-D array an array of labels,
        equal to `predict`; ``.decision(...)`` returns decision values.  Only the width
        is checked.  Safe to use from several threads.
        """
        check_is_fitted(self)
        return DecompositionPredictor(
            self.decompositions_, self.classes_, self.n_features_in_
        )

    def leaf_report(self):
        """Return one record for each leaf, as a dict of columns that pandas takes.

        Columns: tree, leaf (node number), rows, classes, answer (majority class),
        support_vectors, converged, gap, seconds.
        """
        check_is_fitted(self)
        return leaf_report(self.decompositions_, self.classes_)

    def _check_parameters(self):
        check_kernel_parameters(self)
        check_selector(self.reduce)
        if self.kernel == "precomputed":
            raise ValueError(
                "kernel='precomputed' cannot be cut by a tree, which needs features; "
                "use KernelSVC for a Gram matrix."
            )

    def _checked(self, X):
        check_is_fitted(self)
        return checked_rows(self, X, reset=False)

    def _scores_of(self, X):
        return committee_scores(self.decompositions_, X, self.n_jobs)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def member_seeds(random_state, n_members):
    """One seed for each decomposition."""
    rng = check_random_state(random_state)
    return rng.randint(np.iinfo(np.int32).max, size=n_members)
