"""Collect the nodes of a growing tree; freeze them to flat arrays."""

import numpy as np

from treesvm.compression.score_tree import ScoreTree
from treesvm.trees.routing import LEAF

LEFT, RIGHT, BOTH = 0, 1, 2


def chain(columns, coefficients, offsets, n_rows):
    """Return a tree of one path, which meets the columns in their order."""
    builder = TreeBuilder(len(offsets))
    for k, column in enumerate(columns):
        builder.add(int(column), n_rows)
        builder.link(k - 1, BOTH, k)
    builder.end(len(columns) - 1, coefficients, offsets)
    return builder.finish()


class TreeBuilder:
    """Nodes in the order in which they are added: parents first.

    Parameters
    ----------
    n_outputs : int
    """

    def __init__(self, n_outputs):
        self._n_outputs = n_outputs
        self._columns, self._n_rows, self._thresholds = [], [], []
        self._left, self._right, self._depth = [], [], []
        self._starts, self._coefficients, self._offsets = [], [], []
        self._n_coefficients = 0

    def add(self, column, n_rows):
        """Add a node that is a leaf until it gets children; return its number."""
        self._columns.append(column)
        self._n_rows.append(n_rows)
        self._thresholds.append(0.0)
        self._left.append(LEAF)
        self._right.append(LEAF)
        self._depth.append(1)
        self._starts.append(0)
        self._offsets.append(np.zeros(self._n_outputs))
        return len(self._columns) - 1

    def link(self, parent, side, node):
        """Hang a node under its parent, -1 for the root."""
        if parent < 0:
            return
        if side in (LEFT, BOTH):
            self._left[parent] = node
        if side in (RIGHT, BOTH):
            self._right[parent] = node
        self._depth[node] = self._depth[parent] + 1

    def set_threshold(self, node, threshold):
        """Rows whose term is at most this go left."""
        self._thresholds[node] = float(threshold)

    def end(self, node, coefficients, offsets):
        """Make a node a leaf with the coefficients of its path."""
        self._starts[node] = self._n_coefficients
        self._coefficients.append(np.asarray(coefficients, np.float64))
        self._n_coefficients += len(coefficients)
        self._offsets[node] = np.asarray(offsets, np.float64)

    def finish(self):
        """Return the tree."""
        return ScoreTree(
            column=np.array(self._columns, np.int32),
            threshold=np.array(self._thresholds, np.float64),
            left=np.array(self._left, np.int32),
            right=np.array(self._right, np.int32),
            n_rows=np.array(self._n_rows, np.int64),
            start=np.array(self._starts, np.int64),
            depth=np.array(self._depth, np.int32),
            coefficients=np.concatenate(self._coefficients),
            offsets=np.array(self._offsets),
        )
