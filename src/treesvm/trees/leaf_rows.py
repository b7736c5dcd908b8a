"""Rows grouped by leaf, so that nobody scans all rows once for each leaf."""

from typing import NamedTuple

import numpy as np


class LeafRows(NamedTuple):
    """Rows sorted by leaf: those of leaf k are ``order[starts[k]:starts[k + 1]]``."""

    order: np.ndarray  # (n_rows,) row numbers, ascending inside each leaf
    starts: np.ndarray  # (n_leaves + 1,)

    @property
    def sizes(self):
        """Rows of each leaf, shape (n_leaves,)."""
        return np.diff(self.starts)

    def rows(self, leaf):
        """Return the row numbers of one leaf, ascending."""
        return self.order[self.starts[leaf] : self.starts[leaf + 1]]


def rows_by_leaf(leaf_ids, n_leaves=None):
    """Group rows by leaf with one sort.

    Parameters
    ----------
    leaf_ids : ndarray of int, shape (n_rows,)
        Leaf of each row: node numbers as `Tree.apply` returns them, or dense numbers
        through `Tree.leaf_numbers`.
    n_leaves : int, optional
        Length of the numbering (`Tree.n_nodes` or `Tree.n_leaves`); by default the
        largest number seen, plus one.

    Returns
    -------
    LeafRows
    """
    if n_leaves is None:
        n_leaves = int(leaf_ids.max()) + 1 if len(leaf_ids) else 0
    # NumPy counts numbers of sixteen bits instead of comparing them.
    keys = leaf_ids.astype(np.uint16) if n_leaves <= 2**16 else leaf_ids
    order = np.argsort(keys, kind="stable")
    sizes = np.bincount(leaf_ids, minlength=n_leaves)
    return LeafRows(order, np.concatenate([[0], np.cumsum(sizes)]))
