"""What a machine was compressed to: a few trees over a few terms.

One tree serves all binary machines of a multi-class problem (its leaves have a value
for each of them, from shared terms), or each machine has a tree of its own.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from treesvm.compression.tree_walk import (
    compiled_arrays,
    is_compiled,
    tree_leaves,
    tree_values,
    walk_rows,
)
from treesvm.machines.kernel_machine import float32_bands
from treesvm.machines.row_decision import RowSums, not_sure
from treesvm.machines.voting import class_scores

_SAME_SCORES = 1e-12  # share of the largest weight that rounding may be off by


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
    """

    terms: object
    trees: tuple
    pairs: np.ndarray
    n_classes: int

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

    def decisions(self, X):
        """Return the value of every row for every machine, (n, n_machines)."""
        if is_compiled(self.terms) and not sparse.issparse(X):
            X = np.ascontiguousarray(X, dtype=np.float64)
        parts = [tree_values(tree, self.terms, X) for tree in self.trees]
        return parts[0] if len(parts) == 1 else np.hstack(parts)

    def reliable_decisions(self, X, scaling=None):
        """The same after a scaling: a row's value never depends on the rows around."""
        return self.decisions(X if scaling is None else scaling.apply(X))

    def row_decider(self, scaling=None):
        """Return what gives the decision values of one row, not scaled yet."""
        return CompressedRowDecider(self, scaling)

    def evaluations(self, X):
        """Return how many distinct terms every row costs, (n,) integers."""
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


class CompressedRowDecider:
    """Decision values of one row for all machines of a `CompressedMachine`.

    `sure_code` is that of `RowSums`.

    Parameters
    ----------
    machine : CompressedMachine
    scaling : LeafScaling, optional
        Applied to the row first.
    """

    def __init__(self, machine, scaling=None):
        self._machine, self._scaling = machine, scaling
        self._arrays, self._affine = None, {}
        self._sums, self.sure_code = None, not_sure
        if is_compiled(machine.terms) and _is_chain(machine):
            chain = Chain.of(machine)
            self._sums = chain.sums(machine, scaling)
            self.sure_code = chain.by_class().sums(machine, scaling).sure_code
        elif is_compiled(machine.terms):
            self._arrays = [compiled_arrays(t, machine.terms) for t in machine.trees]
            is_affine = scaling is not None and scaling.table is None
            self._affine = _affine_maps(scaling) if is_affine else {}

    def of_array(self, x):
        """Return an array of shape (n_machines,) for one of shape (n_features,)."""
        if self._sums is not None:
            return self._sums.values(x)
        if x.dtype.char not in "df":  # floats are scaled in the precision they have
            x = x.astype(np.float64)
        if self._arrays is None:
            return self._machine.reliable_decisions(x[None], self._scaling)[0]
        X = np.ascontiguousarray(self._scaled(x[None]), dtype=np.float64)
        out = [np.empty((1, tree.n_outputs)) for tree in self._machine.trees]
        for arrays, own in zip(self._arrays, out, strict=True):
            walk_rows(X, *arrays, own)
        return out[0][0] if len(out) == 1 else np.hstack(out)[0]

    def _scaled(self, X):
        """The same as the scaling's `apply`; rows too far off get terms of zero."""
        if self._scaling is None:
            return X
        if X.dtype.char not in self._affine:
            return self._scaling.apply(X)
        shift, factor = self._affine[X.dtype.char]
        return (X[:, self._scaling.columns] - shift) * factor


def _is_chain(machine):
    """Whether every row meets the same terms."""
    return len(machine.trees) == 1 and bool(
        (machine.trees[0].left == machine.trees[0].right).all()
    )


class Chain(NamedTuple):
    """Machines whose every row meets the same terms."""

    vectors: np.ndarray
    coefficients: np.ndarray  # (n_vectors, n_machines)
    biases: np.ndarray
    pairs: np.ndarray

    @classmethod
    def of(cls, machine):
        """Return the only path of a machine's tree."""
        tree = machine.trees[0]
        leaf = int(np.flatnonzero(tree.is_leaf)[0])
        path = dict(tree.leaf_paths())[leaf]
        coefficients = tree.coefficients[tree.start[leaf] :][: len(path)]
        vectors = machine.terms.vectors[path]
        return cls(vectors, coefficients, tree.offsets[leaf], machine.pairs)

    def sums(self, machine, scaling):
        """Return the sums over the terms: one class that all machines share."""
        n_machines, kernel = len(self.pairs), machine.terms.kernel
        layout = np.array([0, len(self.vectors)]), np.arange(n_machines)[None, :]
        norms = np.linalg.norm(self._weights(), axis=0)
        return RowSums(
            kernel,
            self.vectors,
            self.coefficients,
            (*layout, self.biases),
            self.pairs,
            machine.n_classes,
            float32_bands(kernel, self.vectors, norms),
            scaling,
        )

    def by_class(self):
        """Return the same answers by a score for each class; itself if that is wrong.

        Machines of pairs may be differences of scores (those of free vectors are): then
        the class with the largest score beats all others, and 26 scores take the place
        of 325 differences.
        """
        pairs, weights = self.pairs, self._weights()
        known = np.unique(pairs)
        n_known = len(known)
        is_first = pairs[:, 0] == known[0]
        if known[0] < 0 or len(pairs) * 2 != n_known * (n_known - 1) or n_known < 3:
            return self
        scores = np.zeros((len(weights), n_known))
        scores[:, np.searchsorted(known, pairs[is_first, 1])] = -weights[:, is_first]
        positive, negative = np.searchsorted(known, pairs.T)
        rounding = _SAME_SCORES * np.abs(weights).max(initial=0.0)
        differences = scores[:, positive] - scores[:, negative]
        if np.abs(differences - weights).max(initial=0.0) > rounding:
            return self
        scores -= scores.mean(axis=1, keepdims=True)  # as short as they can be
        against_all = np.column_stack([known, np.full(n_known, -1)])
        return Chain(self.vectors, scores[:-1], scores[-1], against_all)

    def _weights(self):
        return np.vstack([self.coefficients, self.biases])


def _affine_maps(scaling):
    """Shift and factor in each precision that can hold them."""
    maps = {}
    for dtype in (np.float32, np.float64):
        with np.errstate(over="ignore"):
            shift, factor = scaling.shift.astype(dtype), scaling.factor.astype(dtype)
        if np.isfinite(factor).all():
            maps[np.dtype(dtype).char] = shift, factor
    return maps
