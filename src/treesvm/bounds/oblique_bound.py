"""The generalisation bound of H-LSVM.

Rodriguez-Lujan, Santa Cruz and Huerta (2012), Lemma 3, after Golea, Bartlett, Lee and
Mason (1997): with probability at least 1 - xi and a constant c that depends on xi,

    test error <= training error + c T,
    T = (L'_eff (d + 1) log^2 N log D / N)^(1/3)

with d features, N rows, depth D and the effective number of leaves

    L'_eff = L (1 - sum_i (P'_i - 1/L)^2),   P'_i = P_i acc_i / acc,

P_i the share of rows in leaf i, acc_i the accuracy there, acc that of the tree.
"""

from typing import NamedTuple

import numpy as np

from treesvm.inputs.array_types import ArrayLike
from treesvm.trees.tree import Tree


class ObliqueBound(NamedTuple):
    """The parts of the bound for one tree.

    Attributes
    ----------
    training_error : float
        Share of the training rows that the tree answers wrongly.
    n_leaves : int
        L.
    effective_leaves : float
        L'_eff.
    depth : int
        D.
    complexity : float
        T.
    """

    training_error: float
    n_leaves: int
    effective_leaves: float
    depth: int
    complexity: float

    def value(self, c: float = 1.0) -> float:
        """Return training error + c T; the theory does not name c."""
        return self.training_error + c * self.complexity


def oblique_bound(tree: Tree) -> ObliqueBound:
    """Return the bound of Lemma 3 from the training counts in the tree.

    Parameters
    ----------
    tree : Tree
        `value` holds the class weights of the rows that grew it.

    Returns
    -------
    ObliqueBound

    Notes
    -----
    A tree of depth one has log D = 0, and so has no tree at all: log 2 is used there.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import HLSVMClassifier
    >>> from treesvm.bounds import oblique_bound
    >>> X, y = make_moons(600, noise=0.2, random_state=0)
    >>> tree = HLSVMClassifier(random_state=0).fit(X, y).trees_[0]
    >>> bound = oblique_bound(tree)
    >>> bound.effective_leaves <= bound.n_leaves == tree.n_leaves
    True
    """
    value = tree.value[tree.leaves()]
    right, total = value.max(axis=1), value.sum()
    effective = effective_leaves(right / right.sum())
    n_rows = int(tree.n_rows[0])
    terms = effective * (tree.n_features + 1) * np.log(n_rows) ** 2
    complexity = (terms * np.log(max(tree.depth, 2)) / n_rows) ** (1.0 / 3.0)
    return ObliqueBound(
        training_error=float(1.0 - right.sum() / total),
        n_leaves=tree.n_leaves,
        effective_leaves=effective,
        depth=tree.depth,
        complexity=float(complexity),
    )


def effective_leaves(shares: ArrayLike) -> float:
    """Return L (1 - sum (P_i - 1/L)^2) for leaf shares that sum to one.

    L for equally full leaves, about one when a single leaf holds nearly everything
    and there are few of them.

    Parameters
    ----------
    shares : array-like of shape (n_leaves,)
        Share of the rows in each leaf; they sum to one.

    Returns
    -------
    float

    Examples
    --------
    >>> from treesvm.bounds import effective_leaves
    >>> effective_leaves([0.25, 0.25, 0.25, 0.25])
    4.0
    """
    shares = np.asarray(shares)
    n_leaves = len(shares)
    return float(n_leaves * (1.0 - np.sum((shares - 1.0 / n_leaves) ** 2)))
