"""What workers do with the rows of whole leaves: split them further, train them.

Everything that computes is imported from the rooms of the in-memory estimators.
"""

import os
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from treesvm.decomposition.training import MachineOptions, train_parts
from treesvm.distributed.packing import (
    JUDGES,
    TRAINS,
    Layout,
    NumberedRows,
    as_rows,
    as_table,
    join_rows,
)
from treesvm.distributed.worker_memory import kept_memory
from treesvm.partitions.axis_tree import AxisTree
from treesvm.trees.axis import fit_branch
from treesvm.trees.grafting import leaf_totals
from treesvm.trees.leaf_rows import rows_by_leaf
from treesvm.trees.tree import Tree


class Routing(NamedTuple):
    """Where rows go. A group is a leaf, or some small leaves that become one."""

    tree: Tree
    group_of: np.ndarray  # (n_nodes,) group of each leaf
    is_open: np.ndarray  # (n_groups,) whether a group's rows are still wanted


class Growth(NamedTuple):
    """How leaves that turned out too large are split further."""

    max_leaf_size: int
    partition: AxisTree
    seeds: dict  # group -> seed, of the groups to split

    def branch(self, group, rows, is_weighted):
        """Return the tree that replaces a leaf, None if it stays one."""
        if group not in self.seeds:
            return None
        ceiling, seed = self.max_leaf_size, self.seeds[group]
        tree = grown_tree(rows, is_weighted, ceiling, self.partition, seed)
        return tree if tree.n_nodes > 1 else None


def grown_tree(rows, is_weighted, ceiling, partition, seed):
    """Grow a tree on rows in memory."""
    weight = rows.weight if is_weighted else None
    grower = partition.classification_grower()
    return fit_branch(grower, rows.X, rows.codes, weight, ceiling, seed)


class LeafWork(NamedTuple):
    """What is the same for all leaves of one decomposition."""

    layout: Layout
    n_classes: int
    is_weighted: bool
    growth: Growth
    options: MachineOptions | None  # None: only split


class GroupResult(NamedTuple):
    """What became of one group."""

    group: int
    branch: Tree | None
    leaves: np.ndarray  # nodes of the routing tree, or of the branch, that have rows
    n_rows: np.ndarray  # of each of them
    value: np.ndarray  # class weights of each of them
    parts: list  # a trained part for each leaf of the branch, or for the group
    worker: int  # process that did it


def leaf_counts(rows, tree):
    """Return how many rows of a block reach each node of a tree."""
    return np.bincount(tree.apply(rows.X), minlength=tree.n_nodes)


def routed_table(rows, routing, role=TRAINS):
    """Return the rows of a block as a table that says where each has to go."""
    leaf = routing.tree.apply(rows.X)
    group = routing.group_of[leaf]
    wanted = np.flatnonzero(routing.is_open[group])
    if len(wanted) < len(leaf):
        rows, leaf, group = rows.take(wanted), leaf[wanted], group[wanted]
    return as_table(rows, group, leaf, np.full(len(leaf), role))


def dealt_rows(rows, routing, part_of, n_parts):
    """Return the rows of a block that go to each part, as they are held.

    Parameters
    ----------
    rows : NumberedRows
    routing : Routing
    part_of : ndarray of shape (n_groups,)
        The part of each group, -1 where its rows are not wanted.
    n_parts : int

    Returns
    -------
    list of NumberedRows
        Views of one matrix: what stays on this worker is not copied again.
    """
    part = part_of[routing.group_of[routing.tree.apply(rows.X)]]
    own = rows_by_leaf(part[part >= 0], n_parts)
    wanted = np.flatnonzero(part >= 0)
    together = rows.take(wanted[own.order])
    return [together.take(slice(a, b)) for a, b in pairwise(own.starts)]


class Piece(NamedTuple):
    """The rows of some whole groups, on one worker."""

    training: NumberedRows
    leaf: np.ndarray  # of the routing tree, for each training row
    validation: NumberedRows


def joined_piece(training, validation, routing):
    """Return the rows that all blocks dealt to one part, sorted by number."""
    rows = join_rows(training)
    judges = join_rows(validation) if validation else rows.take(slice(0, 0))
    return Piece(rows, routing.tree.apply(rows.X), judges)


def as_piece(table, layout, routing):
    """Return the rows that were shuffled to one part, each kind sorted by number."""
    rows, _, role = as_rows(table, layout)
    n_training = int(np.searchsorted(role, JUDGES))
    trains, judges = rows.take(slice(n_training)), rows.take(slice(n_training, None))
    return Piece(trains, routing.tree.apply(trains.X), judges)


@kept_memory()
def finish_groups(piece, routing, work):
    """Split and train all groups of a piece; return their results."""
    groups, place = np.unique(routing.group_of[piece.leaf], return_inverse=True)
    own = rows_by_leaf(place, len(groups))
    results, edges = [], [0]
    part_of = np.empty(len(place), np.int64)
    for k, group in enumerate(groups.tolist()):
        chosen = own.rows(k)
        split = _split(group, piece, chosen, work)
        results.append(split.result)
        part_of[chosen] = edges[-1] + split.part
        edges.append(edges[-1] + split.n_parts)
    if work.options is None or not results:
        return results
    # All together: limiting the threads of BLAS, once a call, costs as much as a leaf.
    parts = train_parts(
        piece.training.training(work.n_classes),
        rows_by_leaf(part_of, edges[-1]),
        work.options,
        n_jobs=1,
    )
    return [
        result._replace(parts=parts[a:b])
        for result, (a, b) in zip(results, pairwise(edges), strict=True)
    ]


class _Split(NamedTuple):
    """The parts of one group, numbered from 0, and whose rows train them."""

    result: GroupResult  # without parts
    n_parts: int
    part: np.ndarray  # of each training row


def _split(group, piece, chosen, work):
    """Split one group of a piece, its rows at the places `chosen`, if it is large."""
    rows = piece.training.take(chosen)
    branch = work.growth.branch(group, rows, work.is_weighted)
    weight = rows.weight if work.is_weighted else None
    if branch is None:
        leaves, place = np.unique(piece.leaf[chosen], return_inverse=True)
        totals = leaf_totals(place, rows.codes, len(leaves), work.n_classes, weight)
        result = GroupResult(group, None, leaves, *totals, [], os.getpid())
        return _Split(result, 1, np.zeros(len(chosen), np.int64))
    reached, leaves = branch.apply(rows.X), branch.leaves()
    totals = leaf_totals(reached, rows.codes, branch.n_nodes, work.n_classes, weight)
    totals = (total[leaves] for total in totals)
    result = GroupResult(group, branch, leaves, *totals, [], os.getpid())
    return _Split(result, branch.n_leaves, branch.leaf_numbers[reached])
