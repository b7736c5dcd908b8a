"""What workers do with the rows of whole leaves: split them further, train them.

Everything that computes is imported from the rooms of the in-memory estimators.
"""

import os
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from treesvm.distributed.packing import (
    CROSSES,
    JUDGES,
    TRAINS,
    Layout,
    Rows,
    as_rows,
    as_table,
    join_rows,
)
from treesvm.distributed.worker_memory import give_back
from treesvm.estimators.decomposition import MachineOptions, train_parts
from treesvm.trees.axis import SamplePlan, classification_grower, fit_branch
from treesvm.trees.borders import Crossings, border_widths, crossing_rows
from treesvm.trees.grafting import leaf_totals
from treesvm.trees.leaf_rows import rows_by_leaf
from treesvm.trees.tree import Tree


class Routing(NamedTuple):
    """Where rows go. A group is a leaf, or some small leaves that become one."""

    tree: Tree
    group_of: np.ndarray  # (n_nodes,) group of each leaf
    is_open: np.ndarray  # (n_groups,) whether a group's rows are still wanted
    widths: np.ndarray | None = None  # (n_nodes,) of its borders, None without borders


class Growth(NamedTuple):
    """How leaves that turned out too large are split further."""

    max_leaf_size: int
    criterion: str
    max_features: float | None
    seeds: dict  # group -> seed, of the groups to split

    def branch(self, group, rows, is_weighted):
        """Return the tree that replaces a leaf, None if it stays one."""
        if group not in self.seeds:
            return None
        tree = fit_branch(
            classification_grower(self.criterion, self.max_features),
            rows.X,
            rows.codes,
            rows.weight if is_weighted else None,
            self.max_leaf_size,
            self.seeds[group],
        )
        return tree if tree.n_nodes > 1 else None


class Border(NamedTuple):
    """How many rows train on both sides of a cut."""

    share: float
    sample: SamplePlan  # that grew the tree, by the rows' numbers

    def widths(self, branch, rows):
        """Measure a branch, as it would be in the whole tree, on all its rows."""
        sample = self.sample
        if sample.rows is not None:
            sample = sample._replace(rows=rows.places_among(sample.rows))
        return border_widths(branch, rows.X, self.share, sample)


class LeafWork(NamedTuple):
    """What is the same for all leaves of one decomposition."""

    layout: Layout
    n_classes: int
    is_weighted: bool
    growth: Growth
    options: MachineOptions | None  # None: only split
    border: Border | None = None


class GroupResult(NamedTuple):
    """What became of one group."""

    group: int
    branch: Tree | None
    leaves: np.ndarray  # nodes of the routing tree, or of the branch, that have rows
    n_rows: np.ndarray  # of each of them
    value: np.ndarray  # class weights of each of them
    parts: list  # a trained part for each leaf of the branch, or for the group
    worker: int  # process that did it
    widths: np.ndarray | None = None  # of the branch, if it has borders


def leaf_counts(rows, tree):
    """Return how many rows of a block reach each node of a tree."""
    return np.bincount(tree.apply(rows.X), minlength=tree.n_nodes)


def routed_table(rows, routing, role=TRAINS):
    """Return the rows of a block as a table that says where each has to go.

    Where the routing has borders, rows that cross them are there once more for each
    leaf that they enter.
    """
    leaf = routing.tree.apply(rows.X)
    place, role = np.arange(len(leaf)), np.full(len(leaf), role)
    if routing.widths is not None:
        found = crossing_rows(routing.tree, rows.X, routing.widths)
        place = np.concatenate([place, found.rows])
        leaf = np.concatenate([leaf, found.leaves])
        role = np.append(role, np.full(len(found.rows), CROSSES))
    group = routing.group_of[leaf]
    wanted = np.flatnonzero(routing.is_open[group])
    if len(wanted) < len(leaf) or len(leaf) > len(rows.codes):
        rows, leaf, group = rows.take(place[wanted]), leaf[wanted], group[wanted]
    return as_table(rows, group, leaf, role[wanted])


class Piece(NamedTuple):
    """The rows of some whole groups, on one worker."""

    training: Rows
    leaf: np.ndarray  # of the routing tree, for each training row
    validation: Rows
    extra: Rows  # rows of other leaves that train here too
    extra_leaf: np.ndarray  # of the routing tree, that each of them enters


def as_piece(table, layout):
    """Return the rows that were shuffled to one part, each kind sorted by number."""
    rows, leaf, role = as_rows(table, layout)
    if not role.any():
        none = rows.take(slice(0, 0))
        return Piece(rows, leaf, none, none, leaf[:0])
    of = {kind: np.flatnonzero(role == kind) for kind in (TRAINS, JUDGES, CROSSES)}
    return Piece(
        rows.take(of[TRAINS]),
        leaf[of[TRAINS]],
        rows.take(of[JUDGES]),
        rows.take(of[CROSSES]),
        leaf[of[CROSSES]],
    )


def finish_groups(piece, routing, work):
    """Split and train all groups of a piece; return their results."""
    groups, place = np.unique(routing.group_of[piece.leaf], return_inverse=True)
    own = rows_by_leaf(place, len(groups))
    host = np.searchsorted(groups, routing.group_of[piece.extra_leaf])
    guests = rows_by_leaf(host, len(groups))
    results, edges = [], [0]
    machine_of, visits = np.empty(len(place), np.int64), []
    for k, group in enumerate(groups.tolist()):
        chosen, guest = own.rows(k), guests.rows(k)
        split = _split(group, piece, chosen, guest, work)
        results.append(split.result)
        machine_of[chosen] = edges[-1] + split.machine
        visits.append((chosen[split.crossing.rows], edges[-1] + split.crossing.leaves))
        visits.append((len(place) + guest, edges[-1] + split.guest_machine))
        edges.append(edges[-1] + split.n_machines)
    if work.options is None or not results:
        return results
    groups = rows_by_leaf(machine_of, edges[-1])
    parts = _trained(piece, groups, visits, work)
    give_back()
    return [
        result._replace(parts=parts[a:b])
        for result, (a, b) in zip(results, pairwise(edges), strict=True)
    ]


def _trained(piece, groups, visits, work):
    """Train the machines of a piece.

    All together: limiting the threads of BLAS, once a call, costs as much as a leaf.

    Parameters
    ----------
    groups : LeafRows
        Training rows of each machine.
    visits : list of pairs of ndarray
        Further rows and the machines that they train; extra rows are counted on from
        the training rows.
    """
    rows, extra = piece.training, None
    if work.border is not None:
        # Machines get their rows in the order of numbers, own and others together.
        rows = join_rows([piece.training, piece.extra])
        numbers = np.append(piece.training.numbers, piece.extra.numbers)
        place = np.empty(len(numbers), np.int64)
        place[np.argsort(numbers, kind="stable")] = np.arange(len(numbers))
        groups = groups._replace(order=place[groups.order])
        visitor, machine = (np.concatenate(c) for c in zip(*visits, strict=True))
        lists = rows_by_leaf(machine, len(groups.sizes))
        visitor = place[visitor[lists.order]]
        extra = [np.sort(visitor[a:b]) for a, b in pairwise(lists.starts)]
    return train_parts(
        rows.X,
        rows.codes,
        work.n_classes,
        rows.weights,
        groups,
        work.options,
        extra=extra,
        n_jobs=1,
    )


class _Split(NamedTuple):
    """The machines of one group, numbered from 0, and who trains them."""

    result: GroupResult  # without parts
    n_machines: int
    machine: np.ndarray  # of each training row
    guest_machine: np.ndarray  # of each extra row
    crossing: Crossings  # training rows to another machine, which stands for its leaf


_NOBODY = Crossings(np.empty(0, np.int64), np.empty(0, np.int64))


def _split(group, piece, chosen, guest, work):
    """Split one group of a piece if it is too large.

    Parameters
    ----------
    chosen, guest : ndarray
        Places of its training rows and of its extra rows.

    Returns
    -------
    _Split
    """
    rows = piece.training.take(chosen)
    branch = work.growth.branch(group, rows, work.is_weighted)
    weight = rows.weight if work.is_weighted else None
    if branch is None:
        leaves, place = np.unique(piece.leaf[chosen], return_inverse=True)
        totals = leaf_totals(place, rows.codes, len(leaves), work.n_classes, weight)
        result = GroupResult(group, None, leaves, *totals, [], os.getpid())
        first = np.zeros(len(chosen), np.int64), np.zeros(len(guest), np.int64)
        return _Split(result, 1, *first, _NOBODY)
    reached, leaves = branch.apply(rows.X), branch.leaves()
    totals = leaf_totals(reached, rows.codes, branch.n_nodes, work.n_classes, weight)
    widths, crossing = None, _NOBODY
    if work.border is not None:
        widths = work.border.widths(branch, rows)
        crossing = crossing_rows(branch, rows.X, widths)
    totals = (total[leaves] for total in totals)
    result = GroupResult(group, branch, leaves, *totals, [], os.getpid(), widths)
    return _Split(
        result,
        branch.n_leaves,
        branch.leaf_numbers[reached],
        branch.leaf_numbers[branch.apply(piece.extra.X[guest])],
        crossing._replace(leaves=branch.leaf_numbers[crossing.leaves]),
    )
