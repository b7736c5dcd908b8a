"""A partition of the space with an answer in every part: the trained half of DTSVM.

A part whose rows have one class answers with its label, every other part with a kernel
machine.  Parts are trained in threads; each knows its own rows only, so the model does
not depend on their number.
"""

import time
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import threadpool_limits

from treesvm.decomposition.calibration import probabilities
from treesvm.decomposition.checkpointing import NOTHING_KEPT, Item
from treesvm.decomposition.leaf_backend import sends_leaves_away
from treesvm.decomposition.leaf_reduction import kept_rows
from treesvm.decomposition.parts_loop import (
    each_part,
    error_that_names,
    largest_first,
    worker_count,
)
from treesvm.kernels.kernel import Kernel
from treesvm.machines.kernel_machine import KernelMachine
from treesvm.machines.scaling import LeafScaling, minmax_scaling
from treesvm.machines.training import train_machine
from treesvm.machines.voting import row_chunks
from treesvm.trees.leaf_rows import rows_by_leaf

_SURE = 1.0  # decision value of a part with one class
_TASKS_OF_A_WORKER = 8  # enough to even out, few enough to cost nothing


class MachineOptions(NamedTuple):
    """How the machine of a part is trained."""

    kernel: Kernel
    C: float
    multi_class: str
    leaf_scaling: str | None
    tol: float
    max_iter: int | None
    max_bytes: int
    reduce: object = None  # selector of the rows that train the machine


class Part(NamedTuple):
    """What one part of the space answers, and what training it took."""

    code: int  # class code of a one-class part; the majority in others
    machine: KernelMachine | None  # or a `CompressedMachine`
    scaling: LeafScaling | None  # from rows as given to rows as the machine sees them
    n_rows: int
    n_classes: int
    seconds: float

    @property
    def n_vectors(self):
        """Distinct support vectors."""
        return 0 if self.machine is None else self.machine.n_vectors

    @property
    def converged(self):
        if self.machine is None:
            return True
        return bool(self.machine.records["converged"].all())

    def seen(self, X):
        """Return rows as the machine sees them."""
        return X if self.scaling is None else self.scaling.apply(X)

    def decisions(self, X):
        """Return reliable decision values of rows as they were given."""
        return self.machine.reliable_decisions(X, self.scaling)

    def scores(self, X):
        """Return one score for each class and row as given."""
        return self.machine.scores(self.decisions(X))

    def row_decider(self):
        """Return an object that gives the decision values of one row as given.

        Its ``of_array(x)`` takes an array of shape (n_features,).
        """
        return self.machine.row_decider(self.scaling)


@dataclass(frozen=True, eq=False)
class Decomposition:
    """A partition (a tree or random parts) and its parts, numbered densely."""

    partition: object
    parts: list
    n_classes: int

    def apply(self, X, n_jobs=None):
        """Return the part of every row."""
        return part_numbers(self.partition, X, n_jobs)

    def scores(self, X, n_jobs=None):
        """Return one score for each class, shape (n, n_classes)."""
        return self.scores_in(X, self.apply(X, n_jobs), n_jobs)

    def scores_in(self, X, numbers, n_jobs=None):
        """Return the scores of rows whose part numbers are known."""
        groups = rows_by_leaf(numbers, len(self.parts))
        out = np.empty((X.shape[0], self.n_classes))
        occupied = np.flatnonzero(groups.sizes)
        n_workers = min(effective_n_jobs(n_jobs), max(1, len(occupied)))
        n_tasks = min(len(occupied), _TASKS_OF_A_WORKER * n_workers)
        # The products of a part are small: threads of BLAS would wait for each other.
        with threadpool_limits(1 if len(occupied) > 1 else None):
            Parallel(n_jobs=n_workers, require="sharedmem")(
                delayed(self._answer_all)(occupied[task::n_tasks], X, groups, out)
                for task in range(n_tasks)
            )
        return out

    def _answer_all(self, parts, X, groups, out):
        for k in parts:
            self._answer(k, X, groups.rows(k), out)

    def _answer(self, k, X, rows, out):
        """Write the scores of one part's rows."""
        part = self.parts[k]
        if part.machine is None:
            out[rows] = certain_scores(part.code, self.n_classes)
        else:
            for chunk in row_chunks(len(rows), len(part.machine.pairs)):
                own = rows[chunk]
                out[own] = part.scores(X[own])


def part_numbers(partition, X, n_jobs=None):
    """Return dense part numbers for a tree or for random parts."""
    if hasattr(partition, "leaf_numbers"):
        return partition.leaf_numbers[partition.apply(X, n_jobs=n_jobs)]
    return partition.apply(X)


def n_parts(partition):
    """Number of parts of a tree or of a random partition."""
    return getattr(partition, "n_leaves", None) or partition.n_parts


def answers(method, scores, classes, scale=None):
    """Return what a method of a classifier makes of the scores of some rows.

    Parameters
    ----------
    method : {"predict", "decision_function", "predict_proba"}
    scores : ndarray of shape (n_rows, n_classes)
    classes : ndarray of shape (n_classes,)
    scale : float, optional
        Of the probabilities.
    """
    if method == "predict":
        return classes[scores.argmax(axis=1)]
    if method == "predict_proba":
        return probabilities(scores, scale)
    return scores[:, 1] if len(classes) == 2 else scores


def certain_scores(code, n_classes):
    """Scores of a part that knows one class only."""
    scores = np.full(n_classes, -_SURE)
    scores[code] = _SURE
    return scores


def train_parts(
    X,
    codes,
    n_classes,
    weight,
    groups,
    options,
    *,
    n_jobs=None,
    verbose=0,
    store=NOTHING_KEPT,
):
    """Train every part of a partition.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    codes, weight : ndarray of shape (n,)
    groups : LeafRows
        Rows of each part.
    options : MachineOptions
    n_jobs, verbose : int
    store : NoCheckpoint or a store with the same methods
        Parts that it knows are not trained; those that are trained are handed to it.

    Returns
    -------
    list of Part
    """
    sizes, n_workers = groups.sizes, worker_count(groups.sizes, n_jobs)
    inner_jobs = n_jobs if n_workers == 1 else 1
    known = [_restored(store, k, n_rows) for k, n_rows in enumerate(sizes)]

    def train(k):
        if known[k] is not None:
            return known[k]
        rows = groups.rows(k)
        return kept(
            k, _train_part(X, codes, n_classes, weight, rows, options, inner_jobs)
        )

    def kept(k, part):
        store.put(str(k), Item(parts=(part,)))
        return part

    if n_workers > 1 and sends_leaves_away():
        missing = [k for k in largest_first(sizes) if known[k] is None]
        sent = (
            _sent_away(k, X, codes, n_classes, weight, groups, options) for k in missing
        )
        for k, part in zip(missing, Parallel(n_jobs=n_workers)(sent), strict=True):
            known[k] = kept(k, part)
    return each_part(train, sizes, n_jobs=n_jobs, verbose=verbose)


def _restored(store, k, n_rows):
    """Return part k from the store, None if it is not there or not of these rows."""
    item = store.get(str(k))
    if item is None or len(item.parts) != 1 or item.parts[0].n_rows != n_rows:
        return None
    store.count_restored(1)
    return item.parts[0]


def _sent_away(k, X, codes, n_classes, weight, groups, options):
    """The task of a part that is trained on another machine, with its rows."""
    rows = groups.rows(k)
    return delayed(_train_alone)(
        k, X[rows], codes[rows], n_classes, weight[rows], options
    )


def _train_alone(k, X, codes, n_classes, weight, options):
    """Train part k on rows that are all its own; an error names it."""
    with error_that_names(k, len(codes)):
        rows = np.arange(len(codes))
        return _train_part(X, codes, n_classes, weight, rows, options, 1)


def _train_part(X, codes, n_classes, weight, rows, options, n_jobs):
    """Train the machine of one part, or note its only class."""
    start = time.perf_counter()
    own = codes[rows]
    mass = np.bincount(own, weights=weight[rows], minlength=n_classes)
    n_present = int(np.count_nonzero(mass))
    majority = int(mass.argmax())
    if n_present < 2:
        seconds = time.perf_counter() - start
        return Part(majority, None, None, len(rows), n_present, seconds)
    machine, scaling = train_leaf(
        X[rows], own, n_classes, weight[rows], options, n_jobs
    )
    seconds = time.perf_counter() - start
    return Part(majority, machine, scaling, len(rows), n_present, seconds)


def train_leaf(X, codes, n_classes, weight, options, n_jobs=None):
    """Return one machine, trained on the rows that are kept, and their scaling."""
    scaling = minmax_scaling(X) if options.leaf_scaling == "minmax" else None
    X = X if scaling is None else scaling.apply(X)
    kept = kept_rows(options.reduce, X, codes)
    machine = train_machine(
        X if kept is None else X[kept],
        codes if kept is None else codes[kept],
        n_classes,
        weight if kept is None else weight[kept],
        options.kernel,
        options.C,
        multi_class=options.multi_class,
        tol=options.tol,
        max_iter=options.max_iter,
        max_bytes=options.max_bytes,
        n_jobs=n_jobs,
    )
    if kept is not None:
        support = kept[machine.support]  # among the rows of the leaf
        machine = replace(machine, support=support, n_training_rows=len(codes))
    return machine, scaling
