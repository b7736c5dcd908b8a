"""H-LSVM: an oblique decision tree whose splits are linear SVMs."""

from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treesvm.decomposition.checkpointing import open_checkpoint, rows_identity
from treesvm.decomposition.kernel_leaves import train_kernel_leaves
from treesvm.decomposition.predictor import DecompositionPredictor
from treesvm.estimators.oblique_classifier import ObliqueTreeClassifier
from treesvm.inputs.hlsvm_parameters import check_parameters, default_alpha
from treesvm.trees.oblique import grow_oblique_tree
from treesvm.trees.oblique_split import PlaneOptions


class HLSVMClassifier(ObliqueTreeClassifier):
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
        node. "auto" is 10 divided by the number of rows with ``regularization="paper"``
        and 0.1 with "mean".
    regularization : {"paper", "mean"}, default="paper"
        "paper" uses λ times the number of rows in the node, so that nodes near the root
        are smoother than deep ones; "mean" uses λ in every node, which is better on
        some large sets.
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
    leaf : {"majority", "kernel"}, default="majority"
        What answers in a leaf of several classes: its majority, or an RBF machine
        trained on the leaf's rows. "kernel" needs a single tree, and larger leaves
        (`min_share`, say 0.01) suit it better; it has no `predict_proba`.
    C, gamma : float, default=10.0 and 3.0
        Of the kernel machines, for features rescaled to [0, 1] inside each leaf; used
        with ``leaf="kernel"`` only.
    n_jobs : int, optional
        Threads. The model does not depend on it.
    random_state : int, RandomState or None
    checkpoint : str, path-like or Checkpoint, optional
        Folder in which finished subtrees, trees and leaf machines are kept. A fit that
        was killed goes on there when it is called again.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    decomposition_ : Decomposition
        Tree and leaf machines, with ``leaf="kernel"`` only.
    trees_ : list of Tree
        One tree, or those of the pairs or classes, in order.
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
        regularization="paper",
        solver="dual",
        min_share="auto",
        prune_share=0.1,
        max_depth=None,
        multi_class="tree",
        class_weight=None,
        tol=0.1,
        max_passes=20,
        max_node_rows=20_000,
        leaf="majority",
        C=10.0,
        gamma=3.0,
        n_jobs=None,
        random_state=None,
        checkpoint=None,
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
        self.leaf = leaf
        self.C = C
        self.gamma = gamma
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.checkpoint = checkpoint

    def _check_parameters(self):
        """Raise a ValueError that names a parameter out of range."""
        check_parameters(self)
        if self.leaf == "kernel" and self.multi_class != "tree":
            raise ValueError(
                f"leaf='kernel' with multi_class={self.multi_class!r} would train the "
                "same rows in many trees; use multi_class='tree'."
            )

    def _open_checkpoint(self, X, codes, weight):
        """Return the store of what was finished; without checkpoint it keeps none."""
        return open_checkpoint(
            self,
            lambda: rows_identity(X, codes, weight, self.classes_),
            n_classes=len(self.classes_),
            n_features=X.shape[1],
        )

    def _finish(self, trees, X, codes, weight, store):
        """Train the leaves' machines, if they have any."""
        if self.leaf == "kernel":
            self.decomposition_ = train_kernel_leaves(
                trees[0],
                X,
                codes,
                weight,
                n_classes=len(self.classes_),
                C=self.C,
                gamma=self.gamma,
                n_jobs=self.n_jobs,
                store=store.scope("leaves"),
            )

    def decision_function(self, X):
        """Return a score for each class, or for two classes one decision value.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Leaf shares (their difference for two classes); with ``multi_class="ovo"``
            votes plus a fraction for the summed shares; with ``leaf="kernel"`` what the
            leaf's machine says, ±1 in a leaf with one class.
        """
        if self.leaf == "majority":
            return super().decision_function(X)
        scores = self._scores(X)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    @available_if(lambda self: self.leaf == "majority")
    def predict_proba(self, X):
        """Return the class shares of each row's leaf.

        Several trees: their scores, divided by the sum. The largest is the answer of
        `predict` in any case.
        """
        return super().predict_proba(X)

    def predictor(self):
        """Return a compiled object that answers without checking its input.

        Called with one row it returns the label, with a 2-D array an array of labels,
        equal to `predict`; ``.decision(...)`` returns decision values. Only the width
        is checked. It keeps no state between calls, so threads may share it.
        """
        if self.leaf == "majority":
            return super().predictor()
        check_is_fitted(self)
        return DecompositionPredictor(
            [self.decomposition_], self.classes_, self.n_features_in_
        )

    def _scores(self, X):
        """Return class scores, shape (n_rows, n_classes)."""
        if self.leaf == "majority":
            return super()._scores(X)
        X = self._checked(X)
        return self.decomposition_.scores(X, self.n_jobs)

    def _plane_options(self, total_weight):
        """Return how nodes are split, for rows of so much weight in all."""
        alpha = self.alpha
        if alpha == "auto":
            alpha = default_alpha(self.regularization, total_weight)
        return PlaneOptions(
            alpha=alpha,
            regularization=self.regularization,
            solver=self.solver,
            tol=self.tol,
            max_passes=self.max_passes,
            max_node_rows=self.max_node_rows,
        )

    def _grow_tree(self, X, codes, weight, *, n_classes, seed, n_jobs, kept=None):
        """Grow and prune one tree."""
        total = len(codes) if weight is None else weight.sum()
        return grow_oblique_tree(
            X,
            codes,
            n_classes=n_classes,
            plane=self._plane_options(total),
            sample_weight=weight,
            min_share=self.min_share,
            prune_share=self.prune_share,
            max_depth=self.max_depth,
            seed=seed,
            n_jobs=n_jobs,
            kept=kept,
        )
