"""A support vector tree as flat arrays.

Node k evaluates one term (a kernel value g(s, x), or the answer of a weak learner),
keeps it, and sends the row left when it is at most ``threshold[k]``, else right. A leaf
adds up the terms kept on the way, with coefficients of its own, and a constant:

    value(x) = offsets[leaf] + sum over the path of coefficients * term

In the paper's trees a node has one scale for all leaves below it; here each leaf stores
the scales of its path, so that both kinds of tree are one. A node whose two links are
equal is a link of a chain: it adds a term and does not split.
"""

from dataclasses import dataclass

import numpy as np

from treesvm.kernels.compiling import compiled
from treesvm.trees.routing import LEAF


@dataclass(frozen=True, eq=False)
class ScoreTree:
    """Nodes in preorder: a parent stands before its children.

    Attributes
    ----------
    column : ndarray of shape (n_nodes,)
        Number of the term that the node evaluates.
    threshold : ndarray of shape (n_nodes,)
    left, right : ndarray of shape (n_nodes,)
        Children, LEAF (-1) at leaves; equal in a chain.
    n_rows : ndarray of shape (n_nodes,)
        Rows of D that reached the node.
    start : ndarray of shape (n_nodes,)
        Where a leaf's coefficients begin; 0 at inner nodes.
    depth : ndarray of shape (n_nodes,)
        Terms evaluated when the node's own is: 1 at the root.
    coefficients : ndarray of shape (n_coefficients, n_outputs)
    offsets : ndarray of shape (n_nodes, n_outputs)
        Zero at inner nodes.
    """

    column: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    n_rows: np.ndarray
    start: np.ndarray
    depth: np.ndarray
    coefficients: np.ndarray
    offsets: np.ndarray

    @property
    def n_nodes(self):
        return len(self.column)

    @property
    def n_outputs(self):
        return self.offsets.shape[1]

    @property
    def is_leaf(self):
        return self.left == LEAF

    @property
    def height(self):
        """Most terms that a row can meet."""
        return int(self.depth.max())

    def leaf_paths(self):
        """Return for every leaf its number and the columns on its path, in order."""
        paths, found = {0: [int(self.column[0])]}, []
        for k in range(self.n_nodes):
            path = paths.pop(k)
            if self.left[k] == LEAF:
                found.append((k, path))
                continue
            for child in {int(self.left[k]), int(self.right[k])}:
                paths[child] = [*path, int(self.column[child])]
        return found

    def apply(self, terms):
        """Return the leaf of every row of an (n, n_terms) matrix of terms."""
        leaves = np.empty(len(terms), np.intp)
        arrays = self.column, self.threshold, self.left, self.right
        _leaves_of(np.ascontiguousarray(terms, dtype=np.float64), *arrays, leaves)
        return leaves

    def values(self, terms):
        """Return the tree's value for every row, shape (n, n_outputs)."""
        terms = np.ascontiguousarray(terms, dtype=np.float64)
        out = np.zeros((len(terms), self.n_outputs))
        arrays = self.column, self.threshold, self.left, self.right, self.start
        _values_of(terms, *arrays, self.coefficients, self.offsets, self.height, out)
        return out

    def with_columns(self, number):
        """Return the tree with its columns renumbered by ``number[old] = new``."""
        arrays = vars(self) | {"column": number[self.column].astype(np.int32)}
        return ScoreTree(**arrays)


@compiled
def _leaves_of(terms, column, threshold, left, right, leaves):
    for i in range(len(terms)):
        k = 0
        while left[k] != LEAF:
            k = left[k] if terms[i, column[k]] <= threshold[k] else right[k]
        leaves[i] = k


@compiled
def _values_of(
    terms, column, threshold, left, right, start, coefficients, offsets, height, out
):
    kept = np.empty(height)
    for i in range(len(terms)):
        k, n_kept = 0, 0
        while True:
            term = terms[i, column[k]]
            kept[n_kept] = term
            n_kept += 1
            if left[k] == LEAF:
                break
            k = left[k] if term <= threshold[k] else right[k]
        add_path(kept, n_kept, start[k], coefficients, offsets[k], out[i])


@compiled
def add_path(kept, n_kept, start, coefficients, offset, out):
    """Write the value of a leaf whose path has the terms ``kept[:n_kept]``."""
    for m in range(len(out)):
        out[m] = offset[m]
    for j in range(n_kept):
        for m in range(len(out)):
            out[m] += coefficients[start + j, m] * kept[j]
