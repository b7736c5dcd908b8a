"""SVM-partitioned trees: oblique trees whose splits are SVM-Maj machines."""

from typing import Any, ClassVar

from treesvm.estimators.oblique_classifier import ObliqueTreeClassifier
from treesvm.inputs.array_types import ClassWeight, Seed
from treesvm.inputs.parameter_rules import count, either, number, one_of
from treesvm.inputs.rows import Rows
from treesvm.solvers.hinges import find_hinge
from treesvm.trees.majorization_split import MajorizationOptions, MajorizationSplit
from treesvm.trees.node_answers import last_predictions, with_answers
from treesvm.trees.oblique import grow_oblique_tree
from treesvm.trees.tree import Tree


class SVMPartitionTreeClassifier(ObliqueTreeClassifier):
    """Oblique decision tree partitioned by linear SVMs (SVM-Maj).

    Every node trains a linear SVM on its own rows, with λ chosen in the node; rows
    predicted to be of the first class go left, the others right, and the children go
    on in the same way. A node is a leaf when it is pure, when it holds no more rows
    than there are features, or when all its rows get the same prediction.

    The thesis' own tree is ``leaf_answer="last", balance_nodes=False, prune_share=0``.

    Parameters
    ----------
    hinge : {"quadratic", "absolute", "huber"}, default="quadratic"
        As in `SVMMajClassifier`, like `huber_k`.
    huber_k : float above -1, default=0.0
        Only for the Huber hinge: where the parabola becomes a line.
    alpha : float or "cv", default="cv"
        λ of every node. "cv" chooses it in each node among 2^-15, 2^-14.5, …, 2^8 by
        accuracy on folds of the node's rows, the largest of equals.
    cv : int, default=5
        Folds of ``alpha="cv"``.
    min_rows : int or "n_features", default="n_features"
        Nodes with no more rows (of no more weight, with weights) are leaves.
    max_depth : int, optional
        Largest number of hyperplanes on a path.
    prune_share : float, default=0.2
        Share of the training rows kept out of growing and used for cost-complexity
        pruning; 0 keeps the grown tree.
    leaf_answer : {"majority", "last"}, default="majority"
        A leaf answers with the majority of its rows, or with the last prediction on
        its path (only with two classes, or with one tree for each pair or class).
    balance_nodes : bool, default=True
        Whether both classes of a node weigh the same in its SVM. Without it, the SVM of
        a node in which one class prevails tends to predict that class for all rows,
        and the tree ends there.
    multi_class : {"tree", "ovo", "ovr"}, default="tree"
        One tree for all classes (the classes of a node are grouped into two sides, see
        `treesvm.trees.class_sides`), a tree for each pair, or for each class against
        the rest. With two classes all three are the same tree.
    class_weight : dict or "balanced", optional
        Multiplies `sample_weight`.
    tol : float, default=1e-7
        Accuracy of a node's SVM, see `SVMMajClassifier`.
    max_steps : int, default=1000
        Largest number of steps of a node's SVM.
    n_jobs : int, optional
        Threads. The model does not depend on it.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.

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
    When not to use it: on a few hundred rows one `SVMMajClassifier` is as accurate or
    better, see docs/benchmarks/svmmaj.md. For large sets `HLSVMClassifier` grows trees
    of the same kind and is usually more accurate; if accuracy matters most, take kernel
    machines or boosted trees. Features should be scaled.

    References
    ----------
    O. Fayoyin, "SVM partitioned decision trees", bachelor thesis, Erasmus University
    Rotterdam, 2017.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import SVMPartitionTreeClassifier
    >>> X, y = make_moons(600, noise=0.15, random_state=0)
    >>> model = SVMPartitionTreeClassifier(alpha=1.0, random_state=0)
    >>> model = model.fit(X[:400], y[:400])
    >>> bool(model.score(X[400:], y[400:]) > 0.9)
    True
    """

    _rules: ClassVar = {
        "alpha": either(
            "cv", number("use a positive, finite number or 'cv'", above=0.0)
        ),
        "min_rows": either(
            "n_features",
            number("use a number of rows, 0 or more, or 'n_features'", least=0.0),
        ),
        "multi_class": one_of("tree", "ovo", "ovr"),
        "cv": count("every node draws its own folds: use how many, 2 or more", 2),
    }

    def __init__(
        self,
        hinge: str = "quadratic",
        *,
        huber_k: float = 0.0,
        alpha: float | str = "cv",
        cv: Any = 5,
        min_rows: int | str | None = "n_features",
        max_depth: int | None = None,
        prune_share: float = 0.2,
        leaf_answer: str = "majority",
        balance_nodes: bool = True,
        multi_class: str = "tree",
        class_weight: ClassWeight = None,
        tol: float = 1e-7,
        max_steps: int = 1000,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.hinge = hinge
        self.huber_k = huber_k
        self.alpha = alpha
        self.cv = cv
        self.min_rows = min_rows
        self.max_depth = max_depth
        self.prune_share = prune_share
        self.leaf_answer = leaf_answer
        self.balance_nodes = balance_nodes
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.tol = tol
        self.max_steps = max_steps
        self.n_jobs = n_jobs
        self.random_state = random_state

    def grow_tree(
        self, rows: Rows, *, seed: int, n_jobs: int | None, kept: Any = None
    ) -> Tree:
        """Grow and prune one tree."""
        is_last = self.leaf_answer == "last"
        if is_last and rows.n_classes not in (1, 2):
            raise ValueError(
                f"leaf_answer='last' names no class among {rows.n_classes}; use "
                "leaf_answer='majority', or multi_class='ovo' or 'ovr'."
            )
        plane = MajorizationOptions(
            hinge=find_hinge(self.hinge, self.huber_k),
            alpha=self.alpha,
            n_folds=self.cv,
            is_balanced=self.balance_nodes,
            tol=float(self.tol),
            max_iter=self.max_steps,
        )
        tree = grow_oblique_tree(
            rows.X,
            rows.target,
            n_classes=rows.n_classes,
            plane=plane,
            finder=MajorizationSplit,
            answers=last_predictions if is_last else None,
            sample_weight=rows.weight,
            max_leaf_weight=rows.X.shape[1]
            if self.min_rows == "n_features"
            else self.min_rows,
            prune_share=self.prune_share,
            max_depth=self.max_depth,
            seed=seed,
            n_jobs=n_jobs,
            kept=kept,
        )
        return with_answers(tree, last_predictions(tree)) if is_last else tree
