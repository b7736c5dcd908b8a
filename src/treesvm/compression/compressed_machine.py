"""What a machine was compressed to: a few trees over a few terms.

One tree serves all binary machines of a multi-class problem (its leaves have a value
for each of them, from shared terms), or each machine has a tree of its own. Dense terms
of a Gaussian or Laplacian kernel are evaluated by compiled code, one row at a time and
only along its path; other terms are evaluated node by node for all rows that reach the
node.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from treesvm.compression.score_tree import add_path
from treesvm.kernels.compiling import compiled, inner
from treesvm.machines.scaling import LeafScaling
from treesvm.machines.voting import class_scores
from treesvm.trees.routing import LEAF


@dataclass(frozen=True, eq=False)
class CompressedMachine:
    """Trees over terms, and how their values make classes.

    Attributes
    ----------
    terms : KernelTerms or LearnerTerms
        Only those that some node evaluates.
    trees : tuple of ScoreTree
        One with a value for each machine, or one for each machine.
    pairs : ndarray of shape (n_machines, 2)
        As in `KernelMachine`.
    n_classes : int
    scaling : LeafScaling or None
        Applied to rows before terms.
    """

    terms: object
    trees: tuple
    pairs: np.ndarray
    n_classes: int
    scaling: LeafScaling | None = None

    @property
    def n_vectors(self):
        """Distinct terms of all trees."""
        return self.terms.n_terms

    @property
    def n_evaluations(self):
        """Mean number of nodes on a path, over the rows that the trees were grown on.

        A chain has one path.
        """
        total = 0.0
        for tree in self.trees:
            is_leaf = tree.is_leaf
            rows = np.maximum(tree.n_rows[is_leaf], 1)
            total += float(np.average(tree.depth[is_leaf], weights=rows))
        return total

    def with_scaling(self, scaling):
        """Return the same with a leaf's scaling before the terms."""
        return replace(self, scaling=scaling)

    def after_scaling(self, scaling):
        """Return the same for rows that a leaf's scaling has still to be applied to."""
        if self.scaling is None or scaling is None:
            return self if scaling is None else self.with_scaling(scaling)
        own = self.scaling
        return self.with_scaling(
            LeafScaling(
                scaling.columns[own.columns],
                scaling.shift[own.columns] + own.shift / scaling.factor[own.columns],
                scaling.factor[own.columns] * own.factor,
            )
        )

    def decisions(self, X):
        """Return the value of every row for every machine, (n, n_machines)."""
        X = X if self.scaling is None else self.scaling.apply(X)
        if is_compiled(self.terms) and not sparse.issparse(X):
            X = np.ascontiguousarray(X, dtype=np.float64)
        parts = [tree_values(tree, self.terms, X) for tree in self.trees]
        return parts[0] if len(parts) == 1 else np.hstack(parts)

    def reliable_decisions(self, X):
        """The same: a row's value never depends on the rows around it."""
        return self.decisions(X)

    def evaluations(self, X):
        """Return how many distinct terms every row costs, (n,) integers."""
        X = X if self.scaling is None else self.scaling.apply(X)
        if len(self.trees) == 1:
            tree = self.trees[0]
            costs = np.zeros(tree.n_nodes, np.int64)
            for leaf, path in tree.leaf_paths():
                costs[leaf] = self.terms.evaluations(path)
            return costs[tree_leaves(tree, self.terms, X)]
        leaves = [tree_leaves(tree, self.terms, X) for tree in self.trees]
        paths = [dict(tree.leaf_paths()) for tree in self.trees]
        costs = [
            self.terms.evaluations(
                np.unique([c for t, leaf in enumerate(row) for c in paths[t][leaf]])
            )
            for row in np.stack(leaves, axis=1).tolist()
        ]
        return np.array(costs, np.int64)

    def scores(self, decisions):
        """Return one score for each class, the largest for the answer."""
        if self.n_classes == 2:
            return np.stack([-decisions[:, 0], decisions[:, 0]], axis=1)
        return class_scores(decisions, self.pairs, self.n_classes)


def is_compiled(terms):
    """Whether compiled code evaluates the terms: their vectors are dense."""
    if not (hasattr(terms, "kernel") and terms.kernel.power):
        return False
    return isinstance(terms.vectors, np.ndarray) and terms.vectors.ndim == 2


def compiled_arrays(tree, terms):
    """Arrays of a tree as `walk_rows` wants them."""
    return (
        np.ascontiguousarray(terms.vectors, dtype=np.float64),
        float(terms.kernel.gamma),
        terms.kernel.power,
        np.stack([tree.column, tree.left, tree.right], axis=1).astype(np.int64),
        tree.threshold,
        tree.start,
        tree.coefficients,
        tree.offsets,
        tree.height,
    )


def tree_values(tree, terms, X):
    """Return the tree's value for every row, evaluating only what the paths need."""
    if is_compiled(terms):
        X = X.toarray() if sparse.issparse(X) else X
        out = np.empty((len(X), tree.n_outputs))
        rows = np.ascontiguousarray(X, dtype=np.float64)
        walk_rows(rows, *compiled_arrays(tree, terms), out)
        return out
    out = np.empty((X.shape[0], tree.n_outputs))
    for leaf, rows, kept in _walk(tree, terms, X):
        start = tree.start[leaf]
        own = tree.coefficients[start : start + kept.shape[1]]
        out[rows] = kept @ own + tree.offsets[leaf]
    return out


def tree_leaves(tree, terms, X):
    """Return the leaf of every row."""
    leaves = np.empty(X.shape[0], np.intp)
    for leaf, rows, _ in _walk(tree, terms, X):
        leaves[rows] = leaf
    return leaves


def _walk(tree, terms, X):
    """Yield (leaf, its rows, terms kept on the way); a term is evaluated once."""
    waiting = [(0, np.arange(X.shape[0]), np.zeros((X.shape[0], 0)), [])]
    while waiting:
        node, rows, kept, path = waiting.pop()
        if len(rows) == 0:
            continue
        column = int(tree.column[node])
        if column in path:
            values = kept[:, path.index(column)]
        else:
            values = terms.values(X[rows], column)
        kept, path = np.column_stack([kept, values]), [*path, column]
        if tree.left[node] == LEAF:
            yield node, rows, kept
        elif tree.left[node] == tree.right[node]:
            waiting.append((tree.left[node], rows, kept, path))
        else:
            goes_left = values <= tree.threshold[node]
            for child, side in ((tree.left, goes_left), (tree.right, ~goes_left)):
                waiting.append((child[node], rows[side], kept[side], path))


@compiled
def walk_rows(
    X,
    vectors,
    gamma,
    power,
    links,
    threshold,
    start,
    coefficients,
    offsets,
    height,
    out,
):
    """Write the values of the rows to `out`; `links` is (column, left, right)."""
    kept = np.empty(height)
    for i in range(len(X)):
        k, n_kept = 0, 0
        while True:
            term = np.exp(-gamma * _distance(X[i], vectors[links[k, 0]], power))
            kept[n_kept] = term
            n_kept += 1
            if links[k, 1] == LEAF:
                break
            k = links[k, 1] if term <= threshold[k] else links[k, 2]
        add_path(kept, n_kept, start[k], coefficients, offsets[k], out[i])


@inner
def _distance(x, vector, power):
    """Sum of absolute differences, or of their squares."""
    distance = 0.0
    if power == 1:
        for f in range(len(x)):
            distance += abs(x[f] - vector[f])
    else:
        for f in range(len(x)):
            d = x[f] - vector[f]
            distance += d * d
    return distance
