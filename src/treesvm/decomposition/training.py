"""Train the parts of a partition, in threads; the model does not depend on them.

Each part knows its own rows only. A part whose rows have one class needs no machine.
"""

import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from treesvm.decomposition.checkpointing import NOTHING_KEPT, Item
from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.leaf_backend import sends_leaves_away
from treesvm.decomposition.leaf_reduction import kept_rows, seeded_selector
from treesvm.decomposition.part import Part
from treesvm.decomposition.parts_loop import (
    each_part,
    error_that_names,
    largest_first,
    worker_count,
)
from treesvm.inputs.rows import Rows
from treesvm.kernels.families import Kernel
from treesvm.kernels.kernel import resolve_kernel
from treesvm.machines.regression_machine import train_regressor
from treesvm.machines.scaling import minmax_scaling
from treesvm.machines.training import train_machine
from treesvm.partitions.tree_parts import TreeParts
from treesvm.trees.leaf_rows import rows_by_leaf


class MachineOptions(NamedTuple):
    """How the machine of a part is trained."""

    kernel: Kernel
    C: float
    multi_class: str | None
    leaf_scaling: str | None
    tol: float
    max_iter: int | None
    max_bytes: int
    reduce: Any = None  # selector of the rows that train the machine
    epsilon: float | None = None  # of regressors


def machine_options(model, X) -> MachineOptions:
    """Return what the parameters of an estimator say about its machines."""
    kernel = resolve_kernel(
        model.kernel, gamma=model.gamma, degree=model.degree, coef0=model.coef0, X=X
    )
    return MachineOptions(
        kernel,
        model.C,
        getattr(model, "multi_class", None),
        model.leaf_scaling,
        model.tol,
        None if model.max_iter == -1 else model.max_iter,
        int(model.cache_size * 2**20),
        seeded_selector(getattr(model, "reduce", None), model.random_state),
        getattr(model, "epsilon", None),
    )


class Recipe(NamedTuple):
    """How a decomposition is made: everything but rows and seed."""

    partition: Any  # of `treesvm.partitions`
    max_leaf_size: int
    options: MachineOptions
    n_jobs: int | None = None
    verbose: int = 0


def fit_member(rows: Rows, recipe: Recipe, seed: int, store=NOTHING_KEPT):
    """Cut the space and train all parts; return the `Decomposition`."""
    partition, part_of = _grown(rows, recipe, seed, store)
    parts = train_parts(
        rows,
        rows_by_leaf(part_of, partition.n_parts),
        recipe.options,
        n_jobs=recipe.n_jobs,
        verbose=recipe.verbose,
        store=store,
    )
    return Decomposition(partition, parts, rows.n_classes)


def _grown(rows, recipe, seed, store):
    """Return the partition, grown or from the store, and the part of every row."""
    known = store.get("tree")
    if known is not None:
        partition = TreeParts(known.trees[0])
        return partition, partition.apply(rows.X, recipe.n_jobs)
    partition, part_of = recipe.partition.grow(
        *rows[:3], seed, max_leaf_size=recipe.max_leaf_size, n_classes=rows.n_classes
    )
    if isinstance(partition, TreeParts):
        store.put("tree", Item(trees=(partition.tree,)))
    return partition, part_of


def train_parts(rows, groups, options, *, n_jobs=None, verbose=0, store=NOTHING_KEPT):
    """Train every part of a partition.

    Parameters
    ----------
    rows : Rows
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
        return kept(k, train_part(rows.take(groups.rows(k)), options, inner_jobs))

    def kept(k, part):
        store.put(str(k), Item(parts=(part,)))
        return part

    if n_workers > 1 and sends_leaves_away():
        missing = [k for k in largest_first(sizes) if known[k] is None]
        sent = Parallel(n_jobs=n_workers)(
            delayed(_train_named)(k, rows.take(groups.rows(k)), options)
            for k in missing
        )
        for k, part in zip(missing, sent, strict=True):
            known[k] = kept(k, part)
    return each_part(train, sizes, n_jobs=n_jobs, verbose=verbose)


def _restored(store, k, n_rows):
    """Return part k from the store, None if it is not there or not of these rows."""
    item = store.get(str(k))
    if item is None or len(item.parts) != 1 or item.parts[0].n_rows != n_rows:
        return None
    store.count_restored(1)
    return item.parts[0]


def _train_named(k, rows, options):
    """Train part k on another machine; an error names it."""
    with error_that_names(k, len(rows.target)):
        return train_part(rows, options, 1)


def train_part(rows, options, n_jobs=None):
    """Train the machine of one part, or note its only class."""
    start, n_rows = time.perf_counter(), len(rows.target)
    majority, n_present = 0, 1
    if rows.n_classes is not None:
        mass = np.bincount(rows.target, weights=rows.weight, minlength=rows.n_classes)
        majority, n_present = int(mass.argmax()), int(np.count_nonzero(mass))
        if n_present < 2:
            seconds = time.perf_counter() - start
            return Part(majority, None, None, n_rows, n_present, seconds)
    machine, scaling = train_seen(rows, options, n_jobs)
    seconds = time.perf_counter() - start
    return Part(majority, machine, scaling, n_rows, n_present, seconds)


def train_seen(rows, options, n_jobs=None):
    """Return one machine, trained on the rows that are kept, and their scaling."""
    scaling = minmax_scaling(rows.X) if options.leaf_scaling == "minmax" else None
    seen = rows if scaling is None else rows._replace(X=scaling.apply(rows.X))
    kept = kept_rows(options.reduce, seen.X, seen.target)
    used = seen if kept is None else seen.take(kept)
    shared = {
        "tol": options.tol,
        "max_iter": options.max_iter,
        "max_bytes": options.max_bytes,
    }
    kernel, C = options.kernel, options.C
    if rows.n_classes is None:
        machine = train_regressor(*used[:3], kernel, C, options.epsilon, **shared)
    else:
        machine = train_machine(
            used.X,
            used.target,
            used.n_classes,
            used.weight,
            kernel,
            C,
            multi_class=options.multi_class,
            n_jobs=n_jobs,
            **shared,
        )
    if kept is not None:
        support = kept[machine.support]  # among the rows of the part
        machine = replace(machine, support=support, n_training_rows=len(rows.target))
    return machine, scaling
