"""H-LSVM: an oblique decision tree whose splits are linear SVMs."""

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from treesvm.estimators.hlsvm_parameters import check_parameters, default_alpha
from treesvm.estimators.hlsvm_predictor import HLSVMPredictor
from treesvm.estimators.tree_committee import (
    as_probabilities,
    binary_problems,
    class_scores,
)
from treesvm.trees.oblique import grow_oblique_tree
from treesvm.trees.oblique_split import PlaneOptions
from treesvm.trees.text import export_text


class HLSVMClassifier(ClassifierMixin, BaseEstimator):
    """Oblique decision tree of linear SVMs (H-LSVM).

    Every node holds a linear SVM with balanced weights on its own standardised
    features; rows with ``w @ x + b <= 0`` go left. Growth stops at pure and at small
    nodes and where a split does not lower the entropy. The tree is pruned on rows that
    did not grow it, and a leaf answers with its majority class. A prediction evaluates
    one hyperplane for each node on the row's path and no kernel.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        λ, the weight of the squared norm against the balanced mean hinge loss in a
        node. "auto" is 0.01 with ``regularization="mean"`` and 1
        divided by the number of rows with "paper".
    regularization : {"mean", "paper"}, default="mean"
        "mean" uses λ in every node, "paper" λ times the number of rows in the node.
    solver : {"dual", "pegasos", "pegasos-paper"}, default="dual"
        Dual coordinate descent, Pegasos for the same objective, or Pegasos with the
        bias and stop rule of the paper.
    min_share : float or "auto", default="auto"
        δ: nodes with at most this share of the training rows are leaves. "auto" is
        ``10 ** -floor(log10(n_rows))``: nodes of fewer than ten rows.
    prune_share : float, default=0.1
        ρ: share of the training rows kept out of growing and used for pruning; 0 keeps
        the grown tree.
    max_depth : int, optional
        Largest number of hyperplanes on a path.
    multi_class : {"tree", "ovo", "ovr"}, default="tree"
        One tree for all classes (the classes of a node are grouped into two sides, see
        `treesvm.trees.class_sides`), a tree for each pair, or for each class against
        the rest. With two classes all three are the same tree.
    class_weight : dict or "balanced", optional
        Multiplies `sample_weight`. It moves the leaves' majorities and the pruning; the
        weights of a node's SVM are balanced in any case.
    tol : float, default=0.1
        Accuracy of a node's SVM, in margins.
    max_passes : int, default=20
        Largest number of passes over the rows of a node.
    max_node_rows : int, default=20000
        A node with more rows trains its SVM on a random sample of so many, and splits
        all its rows.
    n_jobs : int, optional
        Threads. The model does not depend on it.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    trees_ : list of Tree
        One tree, or those of the pairs or classes, in order.
    alpha_ : float
        The λ used.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X had names

    Notes
    -----
    When not to use it: if accuracy matters more than microseconds, kernel machines
    (`DTSVMClassifier`) and boosted trees are better on most sets; if the classes are
    linearly separable, one linear SVM does the same for less; if rules must be read by
    people, axis-parallel trees are clearer.

    References
    ----------
    I. Rodriguez-Lujan, C. Santa Cruz, R. Huerta, "Hierarchical linear support vector
    machine", Pattern Recognition 45 (2012) 4414–4427.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import HLSVMClassifier
    >>> X, y = make_moons(1000, noise=0.15, random_state=0)
    >>> model = HLSVMClassifier(random_state=0).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.95)
    True
    >>> bool(model.hyperplanes_met(X).max() <= model.get_depth())
    True
    """

    def __init__(
        self,
        alpha="auto",
        *,
        regularization="mean",
        solver="dual",
        min_share="auto",
        prune_share=0.1,
        max_depth=None,
        multi_class="tree",
        class_weight=None,
        tol=0.1,
        max_passes=20,
        max_node_rows=20_000,
        n_jobs=None,
        random_state=None,
    ):
        self.alpha = alpha
        self.regularization = regularization
        self.solver = solver
        self.min_share = min_share
        self.prune_share = prune_share
        self.max_depth = max_depth
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.tol = tol
        self.max_passes = max_passes
        self.max_node_rows = max_node_rows
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Grow and prune the tree or trees.

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
        check_parameters(self)
        X, y = validate_data(self, X, y, **_INPUT)
        check_classification_targets(y)
        weight = _row_weights(X, y, sample_weight, self.class_weight)
        if weight is not None:
            X, y, weight = _drop_zero_weights(X, y, weight)
        self.classes_, codes = np.unique(y, return_inverse=True)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        self.alpha_ = self.alpha
        if self.alpha == "auto":
            self.alpha_ = default_alpha(self.regularization, len(y))
        self.trees_ = self._grow_trees(X, codes, weight, seed)
        return self

    def _grow_trees(self, X, codes, weight, seed):
        """Grow one tree with all threads, or many trees side by side."""
        n_classes = len(self.classes_)
        problems = list(binary_problems(codes, n_classes, self.multi_class))
        inner_jobs = self.n_jobs if len(problems) == 1 else 1
        plane = PlaneOptions(
            alpha=self.alpha_,
            regularization=self.regularization,
            solver=self.solver,
            tol=self.tol,
            max_passes=self.max_passes,
            max_node_rows=self.max_node_rows,
        )

        def grow(place, rows, labels):
            every = len(rows) == len(codes)
            return grow_oblique_tree(
                X if every else X[rows],
                labels,
                n_classes=n_classes if len(problems) == 1 else 2,
                plane=plane,
                sample_weight=None if weight is None else weight[rows],
                min_share=self.min_share,
                prune_share=self.prune_share,
                max_depth=self.max_depth,
                seed=seed + place,
                n_jobs=inner_jobs,
            )

        n_workers = min(effective_n_jobs(self.n_jobs), len(problems))
        return Parallel(n_jobs=n_workers, require="sharedmem")(
            delayed(grow)(place, *problem) for place, problem in enumerate(problems)
        )

    def apply(self, X):
        """Return the leaf of each row, shape (n_rows,) or (n_rows, n_trees)."""
        leaves = np.stack(self._leaf_ids(X), axis=1)
        return leaves[:, 0] if len(self.trees_) == 1 else leaves

    def decision_function(self, X):
        """Return a score for each class, or for two classes the lead of the second.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Leaf shares; with ``multi_class="ovo"`` votes plus a fraction for the
            summed shares. With two classes the difference of the shares.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        """Return the class shares of each row's leaf.

        Several trees: their scores, divided by the sum. The largest is the answer of
        `predict` in any case.
        """
        return as_probabilities(self._scores(X))

    def predict(self, X):
        """Return the class of each row; the first in `classes_` among equals."""
        codes = self._scores(X).argmax(axis=1)
        return self.classes_[codes]

    def decision_path(self, X):
        """Return the nodes that each row meets, its leaves included.

        Returns
        -------
        csr_matrix of shape (n_rows, total number of nodes)
            The columns of several trees stand side by side.
        """
        X = self._checked(X)
        paths = [tree.decision_path(X) for tree in self.trees_]
        return sparse.hstack(paths, format="csr")

    def hyperplanes_met(self, X):
        """Return how many hyperplanes each row is compared with, over all trees."""
        leaf_ids = self._leaf_ids(X)
        pairs = zip(self.trees_, leaf_ids, strict=True)
        return np.sum([tree.node_depth[leaves] for tree, leaves in pairs], axis=0)

    def get_depth(self):
        """Return the number of hyperplanes on the longest path of any tree."""
        check_is_fitted(self)
        return max(tree.depth for tree in self.trees_)

    def get_n_leaves(self):
        """Return the number of leaves, over all trees."""
        check_is_fitted(self)
        return sum(tree.n_leaves for tree in self.trees_)

    def export_text(self, *, feature_names=None, max_terms=5, decimals=3):
        """Return the rules of the trees as text; see `treesvm.trees.text`."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        options = {
            "feature_names": names if feature_names is None else feature_names,
            "max_terms": max_terms,
            "decimals": decimals,
        }
        if len(self.trees_) == 1:
            labels = [str(label) for label in self.classes_]
            return export_text(self.trees_[0], class_names=labels, **options)
        return "\n".join(export_text(tree, **options) for tree in self.trees_)

    def predictor(self):
        """Return a compiled object that answers without checking its input.

        Called with one row it returns the label, with a 2-D array an array of labels,
        equal to `predict`; ``.decision(...)`` returns decision values. Only the width
        is checked.
        """
        check_is_fitted(self)
        return HLSVMPredictor(self.trees_, self.classes_, self.multi_class)

    def _checked(self, X):
        """Validate rows to be answered."""
        check_is_fitted(self)
        return validate_data(self, X, reset=False, **_INPUT)

    def _leaf_ids(self, X):
        """Return the leaf of each row in each tree."""
        X = self._checked(X)
        return [tree.apply(X, n_jobs=self.n_jobs) for tree in self.trees_]

    def _scores(self, X):
        """Return class scores, shape (n_rows, n_classes)."""
        leaf_ids = self._leaf_ids(X)
        n_classes = len(self.classes_)
        return class_scores(self.trees_, leaf_ids, n_classes, self.multi_class)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


_INPUT = {
    "accept_sparse": "csr",
    "accept_large_sparse": False,
    "dtype": (np.float64, np.float32),
    "order": "C",
}


def _row_weights(X, y, sample_weight, class_weight):
    """Return the weight of each row, or None if all rows count alike."""
    if sample_weight is None and class_weight is None:
        return None
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, copy=True)
    if weight.min() < 0.0:
        raise ValueError(
            f"sample_weight holds {weight.min()}; weights must not be negative. "
            "Drop such rows, or weigh them with zero."
        )
    if weight.max() == 0.0:
        raise ValueError("sample_weight is zero for every row; nothing is left to fit.")
    return weight * compute_sample_weight(class_weight, y)


def _drop_zero_weights(X, y, weight):
    """Return the rows whose weight is positive."""
    kept = np.flatnonzero(weight > 0.0)
    return (X, y, weight) if len(kept) == len(y) else (X[kept], y[kept], weight[kept])
