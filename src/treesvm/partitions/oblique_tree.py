"""The partition of H-LSVM: a tree whose cuts are linear SVMs."""

from typing import Any, ClassVar

import numpy as np

from treesvm.inputs.estimator import Estimator
from treesvm.partitions.tree_parts import TreeParts
from treesvm.trees.oblique import (
    PLANE_RULES,
    check_plane_parameters,
    grow_oblique_tree,
    plane_options,
)


class ObliqueTree(Estimator):
    """Cut the space along hyperplanes, each a linear SVM of its node's rows.

    The hybrid of Fehr et al. (2007) and Sun et al. (2007), named in section 1 of the
    H-LSVM paper: hyperplanes decide where they can, a kernel machine where they cannot.

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
    max_depth : int, optional
        Largest number of hyperplanes on a path.
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

    Notes
    -----
    When not to use it: it needs classes, so it does not serve regression; a cut costs a
    row as many products as there are features, where an axis-parallel tree looks at
    one.  Parts may hold more than `max_leaf_size` rows where no hyperplane lowers the
    entropy.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import DTSVMClassifier
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> model = DTSVMClassifier(max_leaf_size=300, partition="oblique", random_state=0)
    >>> bool(model.fit(X, y).score(X, y) > 0.95)
    True
    """

    is_nested = True  # parts at a larger ceiling are unions of smaller ones
    _rules: ClassVar = PLANE_RULES

    def __init__(
        self,
        alpha: float | str = "auto",
        regularization: str = "paper",
        *,
        solver: str = "dual",
        standardize: bool = True,
        max_depth: int | None = None,
        tol: float | str = "auto",
        max_passes: int = 20,
        max_steps: int | None = None,
        batch_size: int | None = None,
        bias_rate: float | None = None,
        max_node_rows: int | None = 20_000,
    ) -> None:
        self.alpha = alpha
        self.regularization = regularization
        self.solver = solver
        self.standardize = standardize
        self.max_depth = max_depth
        self.tol = tol
        self.max_passes = max_passes
        self.max_steps = max_steps
        self.batch_size = batch_size
        self.bias_rate = bias_rate
        self.max_node_rows = max_node_rows

    def check_parameters(self) -> None:
        """Raise a ValueError that names a parameter out of range."""
        check_plane_parameters(self)

    def randomized(self) -> "ObliqueTree":
        """Return the recipe of a committee's members: their seeds make them differ."""
        return self

    def grow(
        self,
        X: Any,
        target: np.ndarray,
        weight: np.ndarray,
        seed: int,
        *,
        max_leaf_size: int,
        n_classes: int | None = None,
    ) -> tuple[TreeParts, np.ndarray]:
        """Grow the tree; return the partition and the part of every row.

        Parameters are those of `AxisTree.grow`; with weights the ceiling is one of
        weight, in units of the mean weight.
        """
        if n_classes is None:
            raise ValueError(
                "partition='oblique' needs classes to cut between; regression takes "
                "partition='axis' or 'random'."
            )
        weight = weight / weight.mean() if np.ptp(weight) > 0 else None
        total = len(target) if weight is None else weight.sum()
        tree = grow_oblique_tree(
            X,
            target,
            n_classes=n_classes,
            plane=plane_options(self, total),
            sample_weight=weight,
            max_leaf_weight=max_leaf_size
            if max_leaf_size >= total
            else max_leaf_size - 1,
            max_depth=self.max_depth,
            seed=seed,
            n_jobs=1,
        )
        partition = TreeParts(tree)
        return partition, partition.apply(X)
