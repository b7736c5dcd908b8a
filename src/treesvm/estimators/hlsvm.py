"""H-LSVM: an oblique decision tree whose splits are linear SVMs."""

from typing import Any, ClassVar

from treesvm.decomposition.checkpointing import open_rows_checkpoint
from treesvm.estimators.oblique_classifier import ObliqueTreeClassifier
from treesvm.files.file_path import FilePath
from treesvm.inputs.array_types import Array, ClassWeight, Seed
from treesvm.inputs.parameter_rules import check_parameters, one_of
from treesvm.inputs.rows import Rows
from treesvm.trees.oblique import default_alpha, grow_oblique_tree
from treesvm.trees.oblique_split import PlaneOptions
from treesvm.trees.tree import Tree


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
    n_jobs : int, optional
        Threads. The model does not depend on it.
    random_state : int, RandomState or None
    checkpoint : str, path-like or Checkpoint, optional
        Folder in which finished subtrees and trees are kept. A fit that was killed goes
        on there when it is called again.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
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

    _rules: ClassVar = {"multi_class": one_of("tree", "ovo", "ovr")}

    def __init__(
        self,
        alpha: float | str = "auto",
        *,
        regularization: str = "paper",
        solver: str = "dual",
        min_share: float | str = "auto",
        prune_share: float = 0.1,
        max_depth: int | None = None,
        multi_class: str = "tree",
        class_weight: ClassWeight = None,
        tol: float = 0.1,
        max_passes: int = 20,
        max_node_rows: int = 20_000,
        n_jobs: int | None = None,
        random_state: Seed = None,
        checkpoint: FilePath | Any = None,
    ) -> None:
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
        self.checkpoint = checkpoint

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        check_parameters(self)

    def _open_checkpoint(self, X, codes, weight):
        """Return the store of what was finished; without checkpoint it keeps none."""
        return open_rows_checkpoint(self, Rows(X, codes, weight, len(self.classes_)))

    def plane_options(self, total_weight: float) -> Any:
        """Return how nodes are split, for rows of so much weight in all."""
        alpha = self.alpha
        if alpha == "auto":
            alpha = default_alpha(self.regularization, total_weight)
        return PlaneOptions(
            alpha=float(alpha),
            regularization=self.regularization,
            solver=self.solver,
            tol=self.tol,
            max_passes=self.max_passes,
            max_node_rows=self.max_node_rows,
        )

    def grow_tree(
        self,
        X: Any,
        codes: Array,
        weight: Array | None,
        *,
        n_classes: int,
        seed: int,
        n_jobs: int | None,
        kept: Array | None = None,
    ) -> Tree:
        """Grow and prune one tree."""
        total = len(codes) if weight is None else weight.sum()
        return grow_oblique_tree(
            X,
            codes,
            n_classes=n_classes,
            plane=self.plane_options(total),
            sample_weight=weight,
            min_share=self.min_share,
            prune_share=self.prune_share,
            max_depth=self.max_depth,
            seed=seed,
            n_jobs=n_jobs,
            kept=kept,
        )
