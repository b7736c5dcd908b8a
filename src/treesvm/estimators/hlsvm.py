"""H-LSVM: an oblique decision tree whose splits are linear SVMs."""

from typing import Any, ClassVar

from treesvm.decomposition.checkpointing import open_rows_checkpoint
from treesvm.estimators.oblique_classifier import ObliqueTreeClassifier
from treesvm.files.file_path import FilePath
from treesvm.inputs.array_types import ClassWeight, Seed
from treesvm.inputs.parameter_rules import check_value, one_of
from treesvm.inputs.rows import Rows
from treesvm.trees.oblique import (
    PLANE_RULES,
    check_plane_parameters,
    grow_oblique_tree,
    plane_options,
)
from treesvm.trees.tree import Tree

# λ and ρ of Table 3; of USPS section 5.2, of banana Figure 2 (with its δ).
_PAPER_CHOICES: dict[str, dict[str, Any]] = {
    "ijcnn": {"alpha": 1e-5, "prune_share": 0.0},
    "shuttle": {"alpha": 1e-7, "prune_share": 0.2},
    "m3vo": {"alpha": 1e-4, "prune_share": 0.2},
    "m3vom8": {"alpha": 1e-5, "prune_share": 0.2},
    "vehicle": {"alpha": 1e-6, "prune_share": 0.1},
    "faces": {"alpha": 1e-5, "prune_share": 0.1},
    "covtype": {"alpha": 1e-7, "prune_share": 0.0},
    "usps": {"alpha": 1e-5, "prune_share": 0.0},
    "banana": {"alpha": 1e-5, "prune_share": 0.1, "min_share": 1e-3},
}
# T and ε_P of section 5.1, k of section 5.5, τ of section 2. The nodes' features are
# those of the rows, which the paper scales to [0, 1] beforehand.
_PAPER_NODE: dict[str, Any] = {
    "regularization": "paper",
    "solver": "pegasos-paper",
    "standardize": False,
    "multi_class": "ovo",
    "tol": 1e-4,
    "max_steps": 10_000_000,
    "batch_size": 50_000,
    "bias_rate": 0.01,
    "max_node_rows": None,
}


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
    standardize : bool, default=True
        Whether each node standardises its features. Without it features count as they
        are, as in the paper, which scales them to [0, 1] beforehand.
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
    tol : float or "auto", default="auto"
        Accuracy of a node's SVM: with "dual" in margins (0.1), with "pegasos" the
        duality gap relative to the objective (0.02), with "pegasos-paper" the paper's
        ε_P, the length of a step at which to stop (1e-4).
    max_passes : int, default=20
        Largest number of passes over the rows of a node.
    max_steps : int, optional
        T: largest number of steps of Pegasos, instead of `max_passes`.
    batch_size : int, optional
        k: rows in a step of Pegasos, 32 by default. With "pegasos-paper" a node with
        fewer rows takes all of them in each step.
    bias_rate : float, optional
        τ: how much slower the bias moves with "pegasos-paper", 0.01 by default.
    max_node_rows : int or None, default=20000
        A node with more rows trains its SVM on a random sample of so many, and splits
        all its rows. None trains on all of them.
    n_jobs : int, optional
        Threads. The model does not depend on it.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.
    checkpoint : str, path-like or Checkpoint, optional
        Folder in which finished subtrees and trees are kept. A fit that was killed goes
        on there when it is called again.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    trees_ : list of Tree
        One tree, or those of the pairs or classes, in order.
    n_features_in_ : int
        Columns of the training rows.
    feature_names_in_ : ndarray of str, if X had names
        Names of the columns.

    Notes
    -----
    When not to use it: if accuracy matters more than microseconds, kernel machines
    (`DTSVMClassifier`) and boosted trees are better on most sets; if the classes are
    linearly separable, one linear SVM does the same for less; if people are to read
    the rules, axis-parallel trees are clearer.

    `HLSVMClassifier.paper` returns the classifier with the paper's own node.

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

    _rules: ClassVar = {"multi_class": one_of("tree", "ovo", "ovr"), **PLANE_RULES}

    def __init__(
        self,
        alpha: float | str = "auto",
        *,
        regularization: str = "paper",
        solver: str = "dual",
        standardize: bool = True,
        min_share: float | str = "auto",
        prune_share: float = 0.1,
        max_depth: int | None = None,
        multi_class: str = "tree",
        class_weight: ClassWeight = None,
        tol: float | str = "auto",
        max_passes: int = 20,
        max_steps: int | None = None,
        batch_size: int | None = None,
        bias_rate: float | None = None,
        max_node_rows: int | None = 20_000,
        n_jobs: int | None = None,
        random_state: Seed = None,
        checkpoint: FilePath | Any = None,
    ) -> None:
        self.alpha = alpha
        self.regularization = regularization
        self.solver = solver
        self.standardize = standardize
        self.min_share = min_share
        self.prune_share = prune_share
        self.max_depth = max_depth
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.tol = tol
        self.max_passes = max_passes
        self.max_steps = max_steps
        self.batch_size = batch_size
        self.bias_rate = bias_rate
        self.max_node_rows = max_node_rows
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.checkpoint = checkpoint

    @classmethod
    def paper(cls, dataset: str, **parameters: Any) -> "HLSVMClassifier":
        """Return the classifier that the paper trained on one of its sets.

        Its node is a Pegasos SVM on features as they are (scale them to [0, 1] first)
        with T = 10^7 steps, ε_P = 1e-4, τ = 0.01 and batches of k = 50,000 rows, or all
        rows of a smaller node; δ is ``min_share="auto"``. The paper names k for covtype
        only. Training takes hours on its larger sets, as it did there; a smaller
        `max_steps` shortens it.

        Parameters
        ----------
        dataset : str
            "ijcnn", "shuttle", "m3vo" (MNIST, 3 against the others), "m3vom8",
            "vehicle", "faces", "covtype" (λ and ρ of Table 3), "usps" (Table 5) or
            "banana" (Figure 2, with its δ = 1e-3).
        **parameters
            Of `HLSVMClassifier`, in addition to the paper's or instead of them.
        """
        check_value("dataset", dataset, one_of(*_PAPER_CHOICES))
        return cls(**_PAPER_NODE | _PAPER_CHOICES[dataset] | parameters)

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        check_plane_parameters(self)

    def _open_checkpoint(self, rows):
        """Return the store of what was finished; without checkpoint it keeps none."""
        return open_rows_checkpoint(self, rows)

    def plane_options(self, total_weight: float) -> Any:
        """Return how nodes are split, for rows of so much weight in all."""
        return plane_options(self, total_weight)

    def grow_tree(
        self, rows: Rows, *, seed: int, n_jobs: int | None, kept: Any = None
    ) -> Tree:
        """Grow and prune one tree."""
        return grow_oblique_tree(
            rows.X,
            rows.target,
            n_classes=rows.n_classes,
            plane=self.plane_options(rows.total_weight),
            sample_weight=rows.weight,
            min_share=self.min_share,
            prune_share=self.prune_share,
            max_depth=self.max_depth,
            seed=seed,
            n_jobs=n_jobs,
            kept=kept,
        )
