"""Rows from across the borders of a search's leaves, brought to these leaves.

The training rows of a fold stay in their pieces. At each ceiling the rows that cross a
cut are shuffled, as copies, to the piece where the leaf that they enter is at home; the
client knows their numbers.
"""

from typing import NamedTuple

import numpy as np
from dask import delayed

from treesvm.distributed.leaf_tasks import as_piece
from treesvm.distributed.packing import Layout, as_table, empty_table
from treesvm.distributed.shuffling import shuffled
from treesvm.trees.borders import crossing_rows, widths_after_cut
from treesvm.trees.leaf_rows import rows_by_leaf
from treesvm.trees.tree import Tree


class FoldBorders:
    """The borders of one fold; called like the `extra_rows` of `SearchFold`.

    Parameters
    ----------
    client : distributed.Client
    pieces : list of futures of Piece
    tree : Tree
        Of the smallest ceiling.
    widths : ndarray
        Of its nodes.
    layout : Layout
    """

    def __init__(self, client, pieces, tree, widths, layout: Layout):
        self._client, self._pieces, self._layout = client, pieces, layout
        self._tree, self._widths = tree, widths
        self._brought = {}

    def __call__(self, cut):
        """Return for each leaf of a cut tree the rows that enter it over its borders.

        Rows are counted among the fold's training rows.
        """
        widths = widths_after_cut(self._tree, self._widths, cut)
        where = delayed((cut, widths), traverse=False)
        tasks = [delayed(_census)(piece, where) for piece in self._pieces]
        found = self._client.gather(self._client.compute(tasks))
        rows = np.concatenate([census.rows for census in found])
        order = np.argsort(rows, kind="stable")
        leaves = np.concatenate([census.entered for census in found])[order]
        groups = rows_by_leaf(leaves, cut.n_nodes)
        if len(rows):
            self._bring(where, _homes(cut, found))
        rows = rows[order][groups.order]
        return [rows[groups.starts[k] : groups.starts[k + 1]] for k in cut.leaves()]

    def _bring(self, where, homes):
        """Shuffle copies of the rows that cross to the pieces of their new leaves."""
        there = delayed(homes.piece, traverse=False)
        tables = [delayed(_copies)(piece, where, there) for piece in self._pieces]
        parts = shuffled(
            self._client, tables, len(self._pieces), empty_table(self._layout)
        )
        copies = self._client.compute(
            [delayed(as_piece)(table, self._layout) for table in parts]
        )
        # A leaf that survives a larger ceiling has the same borders there.
        for first, n_rows, piece in zip(*homes, strict=True):
            self._brought[int(first), int(n_rows)] = copies[piece]

    def copies_for(self, own):
        """Return the future of a piece that holds the rows across a leaf's borders.

        Parameters
        ----------
        own : ndarray
            The leaf's training rows, ascending; they tell which leaf it is.
        """
        return self._brought[int(own[0]), len(own)]


class _Census(NamedTuple):
    """What the client learns about a piece."""

    rows: np.ndarray  # numbers of the rows that cross a cut
    entered: np.ndarray  # leaf that each copy enters
    leaves: np.ndarray  # leaves with rows here
    firsts: np.ndarray  # smallest number in each of them
    sizes: np.ndarray  # rows here of each of them


def _census(piece, where):
    tree, widths = where
    rows, found = piece.training, crossing_rows(tree, piece.training.X, widths)
    leaves, first, sizes = np.unique(
        tree.apply(rows.X), return_index=True, return_counts=True
    )
    return _Census(
        rows.numbers[found.rows], found.leaves, leaves, rows.numbers[first], sizes
    )


class _Homes(NamedTuple):
    """For each node of a tree: its smallest row, how many rows, and a piece of them."""

    first: np.ndarray
    n_rows: np.ndarray
    piece: np.ndarray


def _homes(tree: Tree, found):
    """Let every leaf be at home in the piece that has most of its rows."""
    first = np.full(tree.n_nodes, np.iinfo(np.int64).max)
    n_rows, most, home = np.zeros((3, tree.n_nodes), np.int64)
    for k, census in enumerate(found):
        leaves = census.leaves
        first[leaves] = np.minimum(first[leaves], census.firsts)
        n_rows[leaves] += census.sizes
        home[leaves] = np.where(census.sizes > most[leaves], k, home[leaves])
        most[leaves] = np.maximum(most[leaves], census.sizes)
    return _Homes(first, n_rows, home)


def _copies(piece, where, home):
    """Return the rows of a piece that cross a cut as a table, by their new home."""
    tree, widths = where
    found = crossing_rows(tree, piece.training.X, widths)
    return as_table(piece.training.take(found.rows), home[found.leaves], found.leaves)
