"""The leaves of a search on the cluster: rows stay on workers, candidates come to them.

The client knows which rows are in which leaf, their classes and weights, and so runs
the search as in memory; only the judging of candidates in a leaf is sent away.
"""

from typing import NamedTuple

import numpy as np
from dask import delayed

from treesvm.distributed.clusters import as_finished
from treesvm.distributed.decomposing import assemble, assembled_widths, plan_leaves
from treesvm.distributed.leaf_tasks import (
    LeafWork,
    as_piece,
    finish_groups,
    routed_table,
)
from treesvm.distributed.packing import JUDGES, empty_table, join_rows
from treesvm.distributed.search_borders import FoldBorders
from treesvm.distributed.shuffling import gathered_groups, number_of_parts
from treesvm.estimators.decomposition import train_parts
from treesvm.model_selection.search_fold import SearchFold, evaluate_leaf
from treesvm.trees.leaf_rows import LeafRows


class ShuffledFold(NamedTuple):
    """One split of the rows, on the workers by leaves of its tree."""

    fold: SearchFold
    pieces: list  # futures of `Piece`
    place: np.ndarray  # (n_rows,) place of each row among the fold's training rows
    val_place: np.ndarray  # and among its validation rows
    piece_of: np.ndarray  # piece of each training row
    val_piece_of: np.ndarray
    borders: FoldBorders | None

    def inputs(self, task):
        """Return what a worker needs to judge candidates in one leaf."""
        rows, judging = self.place[task.training_rows()], self.val_place[task.val_rows]
        pieces = self._pieces(task, self.val_piece_of[judging], len(rows))
        return pieces, rows, judging

    def training_inputs(self, task):
        """Return what a worker needs to train one leaf.

        Pieces, the rows in the order in which they train, and which of these are the
        leaf's own and which come from across its borders.
        """
        own, extra = task.rows, task.border_rows()
        every = np.sort(np.append(own, extra)) if len(extra) else own
        pieces = self._pieces(task, [], len(every))
        return pieces, self.place[every], np.isin(every, own), np.isin(every, extra)

    def _pieces(self, task, others, n_rows):
        """Return the pieces that hold a leaf's rows, all `n_rows` of them."""
        own = self.place[task.rows]
        used = np.union1d(self.piece_of[own], others).astype(int)
        pieces = [self.pieces[k] for k in used]
        return pieces if n_rows == len(own) else [*pieces, self.borders.copies_for(own)]


def shuffled_fold(client, rows, data, train, val, model, seed, number, n_threads):
    """Grow the tree of a fold and bring all its rows to their leaves.

    Parameters
    ----------
    rows : RowBlocks
    data : SearchData
        Without features.
    train, val : ndarray
        Numbers of the training and the validation rows.
    model : DTSVMClassifierCV
    seed, number : int
        Of the search, and of the fold.
    """
    training, judging = rows.taken(train), rows.taken(val)
    plan = plan_leaves(client, training, model, seed, None)
    # Which rows cross depends on the ceiling; so far every row goes to its own leaf.
    where = delayed(plan.routing._replace(widths=None), traverse=False)
    tables = [delayed(routed_table)(block, where) for block in training.blocks]
    tables += [delayed(routed_table)(block, where, JUDGES) for block in judging.blocks]
    n_parts = number_of_parts(rows.n_rows, rows.layout.row_bytes, n_threads)
    parts = gathered_groups(client, tables, n_parts, empty_table(rows.layout))
    pieces = client.compute([delayed(as_piece)(table, rows.layout) for table in parts])
    work = LeafWork(
        rows.layout,
        data.n_classes,
        training.is_weighted,
        plan.growth,
        None,
        plan.border,
    )
    tasks = [delayed(finish_groups)(piece, where, work) for piece in pieces]
    results = {r.group: r for found in _gathered(client, tasks) for r in found}
    tree = assemble(plan, results, data.n_classes).tree
    leaf = np.empty(len(train), np.int32), np.empty(len(val), np.int32)
    piece_of = np.empty(len(train), np.int32), np.empty(len(val), np.int32)
    there = delayed(tree, traverse=False)
    for k, found in enumerate(
        _gathered(client, [delayed(_leaves_in)(piece, there) for piece in pieces])
    ):
        for kind, (numbers, leaves) in enumerate(found):
            leaf[kind][numbers], piece_of[kind][numbers] = leaves, k
    borders = None
    if plan.border is not None:
        widths = assembled_widths(plan, results, tree)
        borders = FoldBorders(client, pieces, tree, widths, rows.layout)
    fold = SearchFold(
        data, train, val, tree, extra_rows=borders, number=number, leaf_ids=leaf
    )
    place = [_places(chosen, len(data.codes)) for chosen in (train, val)]
    return ShuffledFold(fold, pieces, *place, *piece_of, borders)


def _gathered(client, tasks):
    return client.gather(client.compute(tasks))


def _places(chosen, n_rows):
    place = np.full(n_rows, -1, np.int64)
    place[chosen] = np.arange(len(chosen))
    return place


def _leaves_in(piece, tree):
    """Return (numbers, leaves) of the training and the validation rows of a piece."""
    return [
        (rows.numbers, tree.apply(rows.X))
        for rows in (piece.training, piece.validation)
    ]


class DaskLeaves:
    """Judges candidates where the leaves are; called like `ThreadedLeaves`.

    Parameters
    ----------
    client : distributed.Client
    folds : list of ShuffledFold
    machine : MachineOptions
    """

    def __init__(self, client, folds, machine):
        self._client, self._folds, self._machine = client, folds, machine

    def __call__(self, tasks, thetas, jobs, finished, *, cap, keep):
        """Judge all jobs; call ``finished(job, answers)`` after each of them."""
        waiting = {}
        for job in jobs:
            task = tasks[job.leaf]
            if not task.is_mixed:
                finished(job, task.one_class_answers(len(job.candidates), keep))
                continue
            chosen = [thetas[t] for t in job.candidates]
            future = self._client.submit(
                _judge,
                *self._folds[task.fold].inputs(task),
                task.described(None, None, None, None),
                chosen,
                self._machine,
                cap,
                keep,
                pure=False,
            )
            waiting[future] = job
        for future, answers in as_finished(list(waiting)):
            finished(waiting.pop(future), answers)

    def train(self, tasks, options):
        """Return the trained parts of some leaves."""
        n_classes = tasks[0].data.n_classes if tasks else 0
        futures = [
            self._client.submit(
                _train,
                *self._folds[task.fold].training_inputs(task),
                n_classes,
                options,
                pure=False,
            )
            for task in tasks
        ]
        return self._client.gather(futures)


def _rows_of(pieces, numbers, kind):
    """Return the rows with the given numbers, in the order of these."""
    found, ascending = [], np.sort(numbers)
    for piece in pieces:
        rows = getattr(piece, kind)
        found.append(rows.take(rows.places_among(ascending)))
    rows = join_rows(found)
    if np.array_equal(rows.numbers, numbers):
        return rows
    # A row may be in its own piece and also among the copies of those that cross.
    return rows.take(np.searchsorted(rows.numbers, numbers))


def _judge(pieces, numbers, val_numbers, leaf, thetas, machine, cap, keep):
    """Evaluate candidates in one leaf, on a worker."""
    rows = _rows_of(pieces, numbers, "training")
    judging = _rows_of(pieces, val_numbers, "validation")
    leaf = leaf._replace(
        X=rows.X, codes=rows.codes, weight=rows.weights, X_val=judging.X
    )
    return evaluate_leaf(leaf, thetas, machine, steps_per_row=cap, keep=keep)


def _train(pieces, numbers, is_own, is_extra, n_classes, options):
    """Train one leaf, on a worker."""
    rows, own = _rows_of(pieces, numbers, "training"), np.flatnonzero(is_own)
    return train_parts(
        rows.X,
        rows.codes,
        n_classes,
        rows.weights,
        LeafRows(own, np.array([0, len(own)])),
        options,
        extra=[np.flatnonzero(is_extra)],
        n_jobs=1,
    )[0]
