"""Grow a support vector tree: a few terms of a sum for every row, chosen by a tree.

Given the terms K (n rows of D x m terms) and intervals of targets for each output, the
greedy algorithm of the paper (section 4) gives each node a column, and finds for its
split the threshold and the columns of both children: from a random threshold, it takes
turns between the best columns for the threshold and the best threshold for the columns,
until the cost stops falling. Residuals are net of the node's own score.

``refit=False`` is the paper's algorithm: least squares, a scale for each new column,
earlier scales untouched. The scale is the best one (section 4.3) or, with `scales`, the
one that the column has in the sum: Algorithms 2 to 5 without scaling, c = 1. With
``refit=True`` all coefficients of a path are fitted together at every node
(`path_fit`), a leaf has a constant, and nodes with fewer than `split_rows` rows grow on
as chains: further columns without splitting.
"""

from typing import NamedTuple

import numpy as np

from treesvm.compression.chain_columns import ChainColumns, path_basis
from treesvm.compression.column_sums import (
    best_column,
    best_cut,
    column_sums,
    errors_of,
    permute_rows,
    without_span,
)
from treesvm.compression.path_fit import fit_path, interval_residual, weighted_gram
from treesvm.compression.tree_builder import TreeBuilder
from treesvm.kernels.blas_threads import one_blas_thread

_SETTLED = 1e-20  # share of the squared targets below which nothing is left to explain
_SAME = 1e-10  # column values nearer than this share of the largest are not cut apart
_LONGEST_PATH = 500
# A column whose squares over a node are below this share of its mean square would need
# a huge scale; with refit, it is explained by the path already, up to rounding.
_FLAT, _REFIT_FLAT = 1e-12, 1e-7


class GrowthOptions(NamedTuple):
    """How a tree grows."""

    max_height: int | None = None  # terms on a path
    min_rows: int = 5  # a node with so few rows is not split
    n_starts: int = 5
    refit: bool = True
    split_rows: int = 0  # with refit: nodes with fewer rows grow chains
    prior_rows: float = 1.0  # with refit: rows that the parent's coefficients weigh


class _Branch(NamedTuple):
    """A node that is still to be made."""

    first: int  # its rows
    last: int
    path: list  # columns, its own last
    coefficients: np.ndarray
    offsets: np.ndarray
    ridge: np.ndarray | None  # with refit: how its parent's coefficients hold it
    parent: int
    side: int  # 0 left, 1 right, 2 both
    columns: ChainColumns | None = None  # within a chain whose rows stay in their order


class _Split(NamedTuple):
    cut: int  # rows on the left
    columns: tuple  # of the two children
    scales: tuple
    cost: float


def grow_score_tree(K, lower, upper, options, *, offsets=None, scales=None, rng=None):
    """Grow one tree.

    Parameters
    ----------
    K : ndarray of shape (n, m), float64, C order
        Terms. Its rows are put in another order; pass a copy if that matters.
    lower, upper : ndarray of shape (n, n_outputs)
        Intervals that the values should lie in.
    options : GrowthOptions
    offsets : ndarray of shape (n_outputs,), optional
        Constant that the paper's tree carries along, and where a refit starts.
    scales : ndarray of shape (m, n_outputs), optional
        Without refit: the scale that each column keeps.
    rng : numpy Generator
        Draws the starting thresholds.

    Returns
    -------
    ScoreTree
    """
    rng = np.random.default_rng() if rng is None else rng
    offsets = np.zeros(lower.shape[1]) if offsets is None else offsets
    growth = _Growth(K, lower.copy(), upper.copy(), options, scales, rng)
    with one_blas_thread():
        return growth.run(offsets)


class _Growth:
    """The rows, in the order of the nodes they fall into, and the tree so far."""

    def __init__(self, K, lower, upper, options, scales, rng):
        self.K, self.lower, self.upper = K, lower, upper
        self.options, self.scales, self.rng = options, scales, rng
        share = _REFIT_FLAT if options.refit else _FLAT
        self.least = share * np.einsum("ij,ij->j", K, K) / max(1, len(K))
        self.height = min(options.max_height or _LONGEST_PATH, _LONGEST_PATH)
        self.builder = TreeBuilder(lower.shape[1])

    def run(self, offsets):
        residual = self._start_residual(offsets)
        self.total = float((residual**2).sum())
        root = self._best_column(column_sums(self.K, residual))
        column = max(root.column, 0)
        scale = np.zeros_like(root.scale) if self.options.refit else root.scale
        ridge = self._ridge(slice(0, len(self.K)), [column])
        rows = 0, len(self.K)
        branches = [_Branch(*rows, [column], scale[None], offsets, ridge, -1, 0)]
        while branches:
            branches.extend(self._grow_node(branches.pop()))
        return self.builder.finish()

    def _best_column(self, sums, taken=()):
        return best_column(sums, self.least, taken, self.scales)

    def _start_residual(self, offsets):
        values = np.broadcast_to(offsets, self.lower.shape)
        return interval_residual(values, self.lower, self.upper)

    def _grow_node(self, branch):
        """Make a node; return the branches of its children, right before left."""
        rows = slice(branch.first, branch.last)
        branch, residual = self._fitted(branch, rows)
        node = self.builder.add(branch.path[-1], branch.last - branch.first)
        self.builder.link(branch.parent, branch.side, node)
        children = []
        if len(branch.path) < self.height and self._is_worth_more(branch, residual):
            children = self._split(branch, node, rows, residual)
            if not children and self._may_chain(branch):
                children = self._chain(branch, node, rows, residual)
        if not children:
            self.builder.end(node, branch.coefficients, branch.offsets)
        return children

    def _is_worth_more(self, branch, residual):
        """Whether there are rows and residuals left to explain."""
        n_rows = branch.last - branch.first
        is_small = n_rows <= self.options.min_rows and not self.options.refit
        return not is_small and (residual**2).sum() > _SETTLED * self.total

    def _fitted(self, branch, rows):
        """Return the branch with its coefficients, and the residuals of its rows."""
        A = self.K[rows][:, branch.path]
        lower, upper = self.lower[rows], self.upper[rows]
        if not self.options.refit:
            values = A @ branch.coefficients + branch.offsets
            return branch, interval_residual(values, lower, upper)
        fit = fit_path(
            A, lower, upper, branch.coefficients, branch.offsets, branch.ridge
        )
        branch = branch._replace(coefficients=fit.coefficients, offsets=fit.offsets)
        return branch, fit.residual

    def _split(self, branch, node, rows, residual):
        """Find threshold and children's columns; no children if there is no cut."""
        if not self._may_split(branch):
            return []
        values = self._sort_rows(rows, branch.path[-1], residual)
        cuts = 1 + np.flatnonzero(np.diff(values) > _SAME * np.abs(values).max())
        if len(cuts) == 0:
            return []
        taken = branch.path if self.options.refit else ()
        K = self._candidates(rows, branch.path)
        split = self._best_split(K, residual, cuts, taken)
        if split is None:
            return []
        middle = (values[split.cut - 1] + values[split.cut]) / 2
        self.builder.set_threshold(node, middle)
        cut = branch.first + split.cut
        edges = ((branch.first, cut, 0), (cut, branch.last, 1))
        return [
            self._child(branch, node, edge, split.columns[side], split.scales[side])
            for side, edge in reversed(tuple(enumerate(edges)))
        ]

    def _may_split(self, branch):
        """Whether a node has enough rows to be split."""
        n_rows, options = branch.last - branch.first, self.options
        is_short = options.refit and n_rows < options.split_rows
        return n_rows > options.min_rows and not is_short

    def _sort_rows(self, rows, column, residual):
        """Sort the node's rows and `residual` by their column; return the column."""
        order = np.argsort(self.K[rows, column], kind="stable")
        permute_rows(self.K[rows], order)
        self.lower[rows] = self.lower[rows][order]
        self.upper[rows] = self.upper[rows][order]
        residual[:] = residual[order]
        return self.K[rows, column].copy()

    def _best_split(self, K, residual, cuts, taken):
        """Take turns between columns and threshold from several starts."""
        total = column_sums(K, residual)
        best, seen = None, set()
        left, at = None, 0
        starts = self.rng.integers(0, len(cuts), self.options.n_starts)
        for start in np.unique(cuts[starts]).tolist():
            # Sums up to this start continue those up to the one before.
            step = column_sums(K[at:start], residual[at:start])
            left, at = step if left is None else left + step, start
            split = self._take_turns(K, residual, cuts, taken, total, left, at, seen)
            if split is not None and (best is None or split.cost < best.cost):
                best = split
        return best

    def _take_turns(self, K, residual, cuts, taken, total, left, at, seen):
        """Alternate from the threshold `at` until the cost stops falling."""
        best = None
        while at not in seen:
            seen.add(at)
            pair = (
                self._best_column(left, taken),
                self._best_column(total - left, taken),
            )
            if pair[0].column < 0 or pair[1].column < 0:
                break
            errors = [errors_of(K, residual, side.column, side.scale) for side in pair]
            cut, cost = best_cut(*errors, cuts)
            if best is not None and cost >= best.cost:
                break
            columns = tuple(side.column for side in pair)
            best = _Split(cut, columns, tuple(side.scale for side in pair), cost)
            between = slice(min(at, cut), max(at, cut))
            step = column_sums(K[between], residual[between])
            left, at = left + step if cut > at else left - step, cut
        return best

    def _may_chain(self, branch):
        """Chains belong to refitted trees; the paper's need one to get past ties."""
        return self.options.refit or branch.last - branch.first > self.options.min_rows

    def _chain(self, branch, node, rows, residual):
        """Go on with the best column for all rows."""
        columns = None
        if self.options.refit:
            columns = branch.columns or ChainColumns(self.K[rows], branch.path)
            columns.extend_to(branch.path)
            best = self._best_column(columns.sums(residual), branch.path)
        else:
            best = self._best_column(column_sums(self.K[rows], residual))
        if best.gain <= _SETTLED * self.total:
            return []
        self.builder.set_threshold(node, 0.0)
        edge = branch.first, branch.last, 2
        child = self._child(branch, node, edge, best.column, best.scale)
        if self._may_split(child):  # which sorts the rows
            return [child]
        return [child._replace(columns=columns)]

    def _child(self, branch, node, edge, column, scale):
        first, last, side = edge
        scale = np.zeros_like(scale) if self.options.refit else scale
        return _Branch(
            first,
            last,
            [*branch.path, column],
            np.vstack([branch.coefficients, scale]),
            branch.offsets,
            self._ridge(slice(branch.first, branch.last), [*branch.path, column]),
            node,
            side,
        )

    def _ridge(self, rows, path):
        """How strongly a child keeps to the coefficients of its parent."""
        if not self.options.refit:
            return None
        return weighted_gram(self.K[rows][:, path], self.options.prior_rows)

    def _candidates(self, rows, path):
        """Return the columns of a node's rows as they can still help.

        With refit that is what the path's columns and a constant do not explain of
        them: their own part is fitted anyway.
        """
        K = self.K[rows]
        return without_span(K, path_basis(K, path)) if self.options.refit else K
