"""The leaves of a search on the cluster: rows stay on workers, candidates come to them.

The client knows which rows are in which leaf, their classes and weights, and so runs
the search as in memory; only the judging of candidates in a leaf is sent away.
"""

from typing import NamedTuple

import numpy as np
from dask import delayed
from threadpoolctl import threadpool_limits

from treesvm.decomposition.training import train_part
from treesvm.distributed.clusters import as_finished
from treesvm.distributed.decomposing import assemble, plan_leaves
from treesvm.distributed.leaf_tasks import LeafWork, finish_groups
from treesvm.distributed.packing import join_rows
from treesvm.distributed.shuffling import gathered_pieces
from treesvm.model_selection.search_fold import SearchFold, evaluate_leaf
from treesvm.partitions.choice import find_partition
from treesvm.partitions.tree_parts import TreeParts


class ShuffledFold(NamedTuple):
    """One split of the rows, on the workers by leaves of its tree."""

    fold: SearchFold
    pieces: list  # futures of `Piece`
    place: np.ndarray  # (n_rows,) place of each row among the fold's training rows
    val_place: np.ndarray  # and among its validation rows
    piece_of: np.ndarray  # piece of each training row
    val_piece_of: np.ndarray

    def inputs(self, task):
        """Return what a worker needs to judge candidates in one leaf."""
        rows, judging = self.place[task.rows], self.val_place[task.val_rows]
        return self._pieces(rows, self.val_piece_of[judging]), rows, judging

    def training_inputs(self, task):
        """Return what a worker needs to train one leaf: pieces, and rows in them."""
        rows = self.place[task.rows]
        return self._pieces(rows, []), rows

    def _pieces(self, rows, others):
        """Return the pieces that hold some training rows, and other pieces."""
        used = np.union1d(self.piece_of[rows], others).astype(int)
        return [self.pieces[k] for k in used]


def shuffled_fold(client, rows, data, train, val, model, seed, number, n_threads):
    """Grow the tree of a fold and bring all its rows to their leaves.

    Parameters
    ----------
    rows : RowBlocks
    data : Rows
        Without features.
    train, val : ndarray
        Numbers of the training and the validation rows.
    model : DTSVMClassifierCV
    seed, number : int
        Of the search, and of the fold.
    """
    training, judging = rows.taken(train), rows.taken(val)
    recipe = find_partition(model.partition)
    plan = plan_leaves(client, training, recipe, model.max_leaf_size, seed)
    where = delayed(plan.routing, traverse=False)
    pieces = client.compute(
        gathered_pieces(
            client, plan.routing, plan.sizes, training, judging, n_threads=n_threads
        )
    )
    is_weighted = training.is_weighted
    work = LeafWork(rows.layout, data.n_classes, is_weighted, plan.growth, None)
    tasks = [delayed(finish_groups)(piece, where, work) for piece in pieces]
    results = {r.group: r for found in _gathered(client, tasks) for r in found}
    tree, _ = assemble(plan, results, data.n_classes)
    leaf = np.empty(len(train), np.int32), np.empty(len(val), np.int32)
    piece_of = np.empty(len(train), np.int32), np.empty(len(val), np.int32)
    there = delayed(tree, traverse=False)
    for k, found in enumerate(
        _gathered(client, [delayed(_leaves_in)(piece, there) for piece in pieces])
    ):
        for kind, (numbers, leaves) in enumerate(found):
            leaf[kind][numbers], piece_of[kind][numbers] = leaves, k
    parts = (tree.leaf_numbers[found] for found in leaf)
    grown = TreeParts(tree), *parts
    fold = SearchFold(data, train, val, number=number, grown=grown)
    place = [_places(chosen, len(data.target)) for chosen in (train, val)]
    return ShuffledFold(fold, pieces, *place, *piece_of)


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
                task.described(None, None),
                task.data.n_classes,
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
    return rows.take(np.searchsorted(rows.numbers, numbers))


def _judge(pieces, numbers, val_numbers, leaf, n_classes, *how):
    """Evaluate candidates in one leaf, on a worker."""
    rows = _rows_of(pieces, numbers, "training")
    judging = _rows_of(pieces, val_numbers, "validation")
    leaf = leaf._replace(rows=rows.training(n_classes), X_val=judging.X)
    thetas, machine, cap, keep = how
    return evaluate_leaf(leaf, thetas, machine, steps_per_row=cap, keep=keep)


def _train(pieces, numbers, n_classes, options):
    """Train one leaf, on a worker."""
    rows = _rows_of(pieces, numbers, "training")
    with threadpool_limits(1):
        return train_part(rows.training(n_classes), options, n_jobs=1)
