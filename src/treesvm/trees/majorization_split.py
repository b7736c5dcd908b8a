"""Split a node by SVM-Maj, with lambda chosen in the node.

The split of Fayoyin, "SVM partitioned decision trees" (2017), section 5: a linear SVM
by majorization on the node's own rows; rows predicted -1 go left, +1 right. lambda is
one number for all nodes or is chosen in each node by cross-validation on the thesis'
grid. The node stays a leaf when all its rows get the same prediction.

Everything else is that of `treesvm.trees.oblique_split.ObliqueSplit`.
"""

from typing import NamedTuple

import numpy as np

from treesvm.solvers.hinges import Hinge
from treesvm.solvers.majorization import descend, start_from
from treesvm.solvers.majorization_path import PathOptions, choose_penalty, draw_folds
from treesvm.solvers.majorized_rows import majorized_rows
from treesvm.trees.oblique_split import ObliqueSplit


class MajorizationOptions(NamedTuple):
    """How the hyperplane of a node is found."""

    hinge: Hinge
    alpha: float | str  # lambda, or "cv"
    n_folds: int = 5
    is_balanced: bool = False  # whether both sides of a node weigh the same
    tol: float = 1e-7
    max_iter: int = 1000
    max_node_rows: None = None  # every node trains on all its rows
    side_rounds: int = 3  # how often classes may change sides


class MajorizationSplit(ObliqueSplit):
    """The split finder of SVM-partitioned trees; `options` is MajorizationOptions."""

    def _prepare(self, rows, sample):
        """Return the rows of the node; with balanced sides their weights come later."""
        if self.options.is_balanced:
            return _PlainRows(self.X[sample])
        return majorized_rows(self.X[sample], self.weight[sample])

    def _plane(self, node, y, weight, seed):
        """Return (w, b) for labels -1, +1 of the sampled rows."""
        options = self.options
        if options.is_balanced:
            weight = balanced_weights(y, weight)
            node = majorized_rows(node.Z, weight)
        penalty = options.alpha
        if penalty == "cv":
            penalty = self._choose(node, y, weight, seed)
        state = start_from(node)
        descend(
            node,
            y,
            penalty,
            options.hinge,
            state,
            "conjugate",
            options.tol,
            options.max_iter,
        )
        return node.unfold(state[0], float(state[1][0]))

    def _choose(self, node, y, weight, seed):
        """Return the lambda that errs least on folds of the node's rows."""
        options = self.options
        path = PathOptions(options.hinge, tol=options.tol, max_iter=options.max_iter)
        codes = (y > 0).astype(np.int64)
        folds = draw_folds(codes, options.n_folds, seed)
        # In the node's own coordinates: a rotation changes neither w'w nor predictions.
        return choose_penalty(node.Z, codes, folds, path, weight=weight).penalty

    def _is_worth_it(self, split, disorder, before):
        """Whether the rows get different predictions; the thesis asks no more."""
        n_left = np.count_nonzero(split.goes_left)
        return 0 < n_left < len(split.goes_left)


class _PlainRows(NamedTuple):
    """Rows whose weights are not known yet."""

    Z: object


def balanced_weights(y, weight):
    """Return weights that sum to the same on both sides, and to the old sum in all."""
    above = y > 0
    side = np.where(above, weight[above].sum(), weight[~above].sum())
    return weight * (0.5 * weight.sum() / side)
