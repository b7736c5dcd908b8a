"""A binary tree as parallel arrays, for axis-parallel and for oblique splits.

Node 0 is the root and every parent is numbered before its children, so one pass over
the arrays in order visits each node after its parent, and in reverse before it.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse

from treesvm.inputs.row_access import row_arrays, row_matrix
from treesvm.trees import routing
from treesvm.trees.routing import LEAF

_BLOCK_ROWS = 8192  # fewer rows are routed before a second thread has started


@dataclass(frozen=True, eq=False)
class Tree:
    """Node k sends a row left when its tested value is ``<= threshold[k]``.

    The tested value is the feature ``x[feature[k]]``, compared as float32 like in
    scikit-learn, or, in an oblique tree, ``weights[feature[k]] @ x`` in float64 (so the
    hyperplane of node k is ``w @ x + b = 0`` with ``b = -threshold[k]``).

    Attributes
    ----------
    feature : ndarray of int32, shape (n_nodes,)
        Column of X, or row of `weights`, that the node tests; LEAF (-1) at leaves.
    threshold : ndarray of float64, shape (n_nodes,)
    left, right : ndarray of int32, shape (n_nodes,)
        Child numbers, LEAF at leaves.
    n_rows : ndarray of int64, shape (n_nodes,)
        Training rows in the node.
    value : ndarray of float64, shape (n_nodes, n_classes)
        Summed weights of each class in the node; in a regression tree, shape
        (n_nodes, 1), the mean target.
    weights : ndarray of float64, shape (n_planes, n_features)
        Normal vectors of an oblique tree; no rows in an axis-parallel one.
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    n_rows: np.ndarray
    value: np.ndarray
    weights: np.ndarray

    @property
    def n_nodes(self):
        """Number of nodes, inner and leaves."""
        return len(self.left)

    @property
    def n_features(self):
        """Width of the rows that the tree routes."""
        return self.weights.shape[1]

    @property
    def is_oblique(self):
        """Whether the nodes test weighted sums instead of single features."""
        return len(self.weights) > 0

    @property
    def is_leaf(self):
        """Mask of the leaves, shape (n_nodes,)."""
        return self.left == LEAF

    @property
    def n_leaves(self):
        """Number of leaves."""
        return int(np.count_nonzero(self.is_leaf))

    def leaves(self):
        """Return the node numbers of the leaves, ascending."""
        return np.flatnonzero(self.is_leaf)

    @cached_property
    def leaf_numbers(self):
        """For each node its place among `leaves()`, LEAF at inner nodes."""
        return np.where(self.is_leaf, np.cumsum(self.is_leaf) - 1, LEAF)

    @cached_property
    def node_depth(self):
        """Number of tests above each node, shape (n_nodes,)."""
        depths = np.zeros(self.n_nodes, np.int32)
        for depth, inner in enumerate(self._levels()):
            depths[self.left[inner]] = depths[self.right[inner]] = depth + 1
        return depths

    @property
    def depth(self):
        """Number of tests on the longest path."""
        return int(self.node_depth.max())

    def _levels(self):
        """Yield the inner nodes of each depth, from the root down."""
        level = np.zeros(1, np.int32)
        while len(inner := level[self.left[level] != LEAF]):
            yield inner
            level = np.concatenate([self.left[inner], self.right[inner]])

    @cached_property
    def parent(self):
        """Parent of each node, LEAF for the root."""
        parent = np.full(self.n_nodes, LEAF, np.int32)
        inner = np.flatnonzero(~self.is_leaf)
        parent[self.left[inner]] = inner
        parent[self.right[inner]] = inner
        return parent

    def apply(self, X, *, start=0, n_jobs=None):
        """Return the leaf that each row reaches.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_rows, n_features)
            Finite numbers; nothing is checked here.
        start : int
            Node at which the rows enter, the root by default.
        n_jobs : int, optional
            Threads among which blocks of rows are shared.

        Returns
        -------
        ndarray of int32, shape (n_rows,)
            Node numbers of leaves.
        """
        X, out = row_matrix(X), np.empty(X.shape[0], np.int32)
        n_workers = min(effective_n_jobs(n_jobs), 1 + len(out) // _BLOCK_ROWS)
        if n_workers == 1:
            self._route(row_arrays(X), start, out)
            return out
        edges = np.linspace(0, len(out), n_workers + 1).astype(int)
        Parallel(n_jobs=n_workers, require="sharedmem")(
            delayed(self._route)(row_arrays(X[a:b]), start, out[a:b])
            for a, b in pairwise(edges)
        )
        return out

    def _route(self, rows, start, out):
        """Write the leaf of each row to `out`."""
        nodes = (self.feature, self.threshold, self.left, self.right, start, out)
        if self.is_oblique:
            routing.route_oblique(rows, self.weights, *nodes)
        else:
            routing.route(rows, *nodes)

    def decision_path(self, X):
        """Return the nodes that each row meets, its leaf included.

        Returns
        -------
        csr_matrix of shape (n_rows, n_nodes)
            Ones at the nodes of the path, as scikit-learn's trees return it.
        """
        leaf_ids = self.apply(X)
        indptr = np.zeros(len(leaf_ids) + 1, np.int64)
        np.cumsum(self.node_depth[leaf_ids] + 1, out=indptr[1:])
        indices = np.empty(indptr[-1], np.int32)
        routing.write_paths(leaf_ids, self.parent, indptr, indices)
        ones = np.ones(len(indices), np.int64)
        return sparse.csr_matrix(
            (ones, indices, indptr), shape=(len(leaf_ids), self.n_nodes)
        )

    def node_map(self, nodes):
        """Return where the rows of each node are after ``cut(nodes)``.

        Returns
        -------
        ndarray of int32, shape (n_nodes,)
            Number in the cut tree of the node itself, or of the leaf that replaced it.
        """
        is_cut, holder = self._mask(nodes), np.arange(self.n_nodes)
        for inner in self._levels():
            own = holder[inner]
            is_gone = (own != inner) | is_cut[inner]
            for child in (self.left[inner], self.right[inner]):
                holder[child] = np.where(is_gone, own, child)
        is_kept = holder == np.arange(self.n_nodes)
        return (np.cumsum(is_kept, dtype=np.int32) - 1)[holder]

    def cut(self, nodes):
        """Return the tree in which the given nodes are leaves, numbered densely."""
        is_cut = self._mask(nodes)
        new_id = self.node_map(is_cut)
        # A node keeps its place exactly if it is the first with its new number.
        kept = np.unique(new_id, return_index=True)[1]
        if len(kept) == self.n_nodes:
            return self
        inner = ~self.is_leaf[kept] & ~is_cut[kept]
        feature = np.where(inner, self.feature[kept], LEAF).astype(np.int32)
        weights = self.weights
        if self.is_oblique:
            weights = weights[feature[inner]]
            feature[inner] = np.arange(len(weights), dtype=np.int32)
        return replace(
            self,
            feature=feature,
            threshold=np.where(inner, self.threshold[kept], 0.0),
            left=np.where(inner, new_id[self.left[kept]], LEAF).astype(np.int32),
            right=np.where(inner, new_id[self.right[kept]], LEAF).astype(np.int32),
            n_rows=self.n_rows[kept],
            value=self.value[kept],
            weights=weights,
        )

    def _mask(self, nodes):
        """Return a mask of the given nodes (a mask stays as it is)."""
        mask = np.zeros(self.n_nodes, np.bool_)
        mask[nodes] = True
        return mask
