"""Train the parts of a partition, in threads; the model does not depend on them.

Each part knows its own rows only. A part whose rows have one class needs no machine.
"""

import math
import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from treesvm.decomposition.checkpointing import NOTHING_KEPT, Item
from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.feature_weights import (
    average_weights,
    needs_prior,
    scaling_with_weights,
    trained_with_weights,
)
from treesvm.decomposition.leaf_backend import sends_leaves_away
from treesvm.decomposition.leaf_reduction import kept_rows, seeded_selector
from treesvm.decomposition.part import Part
from treesvm.decomposition.parts_loop import (
    each_part,
    error_that_names,
    largest_first,
    worker_count,
)
from treesvm.decomposition.theta import OPEN, Theta
from treesvm.decomposition.theta_choice import choose_theta, is_open
from treesvm.inputs.rows import Rows
from treesvm.kernels.kernel import make_kernel
from treesvm.machines.regression_machine import train_regressor
from treesvm.machines.scaling import part_scaling
from treesvm.machines.training import train_machine as train_classifier
from treesvm.partitions.tree_parts import TreeParts
from treesvm.trees.leaf_rows import rows_by_leaf

_CEILING = 1500  # of parts, where many rows are cut
_UNCUT = 5000  # rows that are not


class MachineOptions(NamedTuple):
    """How the machines of parts are trained: a theta, and with what effort."""

    theta: Theta
    tol: float
    max_iter: int | None
    max_bytes: int
    reduce: Any = None  # selector of the rows that train the machine
    epsilon: float | None = None  # of regressors
    prior: np.ndarray | None = None  # feature weights that small parts are drawn to


def machine_options(model) -> MachineOptions:
    """Return what the parameters of an estimator say about its machines."""
    epsilon = getattr(model, "epsilon", None)
    theta = Theta(
        model.C,
        model.gamma,
        model.gamma_scale,
        _kernel_of(model),
        getattr(model, "leaf_scaling", None),
        model.feature_weights,
        getattr(model, "multi_class", None),
        getattr(model, "loss", "hinge"),
        OPEN if epsilon == OPEN else None,
    )
    return MachineOptions(
        theta,
        float(model.tol),
        None if model.max_iter == -1 else model.max_iter,
        int(float(model.cache_size) * 2**20),
        seeded_selector(
            getattr(model, "reduce", None), getattr(model, "random_state", None)
        ),
        None if epsilon == OPEN else epsilon,
    )


def _kernel_of(model):
    """Return the kernel of an estimator's parameters, or that it is open."""
    if isinstance(model.kernel, str) and model.kernel == OPEN:
        return OPEN
    return make_kernel(model.kernel, degree=model.degree, coef0=model.coef0)


def target_spread(rows: Rows) -> float:
    """Return the standard deviation of the targets, one where they do not vary."""
    from_mean = rows.target - np.average(rows.target, weights=rows.weight)
    farthest = float(np.abs(from_mean).max())
    if farthest == 0.0:
        return 1.0
    square = np.average((from_mean / farthest) ** 2, weights=rows.weight)
    return farthest * float(np.sqrt(square))


class Recipe(NamedTuple):
    """How a decomposition is made: everything but rows and seed."""

    partition: Any  # of `treesvm.partitions`
    max_leaf_size: int | str
    options: MachineOptions
    n_jobs: int | None = None
    verbose: int = 0


def leaf_ceiling(max_leaf_size: int | str, n_rows: int, n_members: int = 1) -> int:
    """Return from how many rows on a node is split.

    If that is open, few rows are not cut: one machine is quick, and a cut costs
    accuracy.  Members are, since only their cuts tell them apart.
    """
    if max_leaf_size != OPEN:
        return int(max_leaf_size)
    return _CEILING if n_rows > _UNCUT or n_members > 1 else _UNCUT + 1


def fit_member(rows: Rows, recipe: Recipe, seed: int, store=NOTHING_KEPT):
    """Cut the space and train all parts; return the `Decomposition`."""
    return fit_members(rows, recipe, [(seed, store)])[0][0]


def fit_members(rows: Rows, recipe: Recipe, draws):
    """Make a decomposition for each of `draws`, pairs of a seed and a store.

    Returns
    -------
    (list of Decomposition, Theta)
        All have one theta; what the recipe leaves open is chosen in parts of the first.
    """
    ceiling = leaf_ceiling(recipe.max_leaf_size, len(rows.target), len(draws))
    recipe, members = recipe._replace(max_leaf_size=ceiling), []
    for seed, store in draws:
        partition, part_of = _grown(rows, recipe, seed, store)
        groups = rows_by_leaf(part_of, partition.n_parts)
        recipe = _settled(rows, groups, recipe, seed)
        parts = _trained(rows, groups, recipe, seed, store)
        members.append(Decomposition(partition, parts, rows.n_classes))
    return members, recipe.options.theta


def _settled(rows, groups, recipe, seed):
    """Return the recipe with a theta that leaves nothing open."""
    theta = recipe.options.theta
    if not is_open(theta):
        return recipe

    spread = 1.0 if rows.n_classes is not None else target_spread(rows)
    if math.isclose(spread, 1.0):  # of a target in units of its spread
        spread = 1.0
    options = settled_options(
        recipe.options,
        *_looked_at(rows, groups),
        seed,
        recipe.n_jobs,
        spread=spread,
    )
    return recipe._replace(options=options)


def _looked_at(rows, groups):
    """Return how a look at a few parts begins: `rows_of`, their sizes, `is_mixed`."""

    def rows_of(k):
        return rows.take(groups.rows(k))

    n_parts = len(groups.sizes)
    if rows.n_classes is None:
        return rows_of, groups.sizes, groups.sizes > 0
    lowest, highest = (np.full(n_parts, v) for v in (rows.n_classes, -1))
    part_of = np.repeat(np.arange(n_parts), groups.sizes)
    np.minimum.at(lowest, part_of, rows.target[groups.order])
    np.maximum.at(highest, part_of, rows.target[groups.order])
    return rows_of, groups.sizes, lowest < highest


def settled_options(
    options, rows_of, sizes, is_mixed, seed, n_jobs=None, *, spread=1.0
):
    """Return options whose theta leaves nothing open; see `choose_theta`."""
    own = options.theta
    if own.epsilon is None:  # what is given is part of every point of the grid
        own = own._replace(epsilon=options.epsilon)
    theta = choose_theta(
        own,
        rows_of,
        sizes,
        is_mixed,
        seed,
        n_jobs=n_jobs,
        spread=spread,
        tol=options.tol,
        max_iter=options.max_iter,
    )
    return options._replace(theta=theta, epsilon=theta.epsilon)


def _trained(rows, groups, recipe, seed, store):
    """Return the trained parts of a partition."""
    options = recipe.options
    if needs_prior(options, groups.sizes):
        options = options_with_prior(
            options, *_looked_at(rows, groups), seed, recipe.n_jobs
        )
    return train_parts(
        rows,
        groups,
        options,
        n_jobs=recipe.n_jobs,
        verbose=recipe.verbose,
        store=store,
    )


def options_with_prior(options, rows_of, sizes, is_mixed, seed, n_jobs=None):
    """Return options with the weights that small parts are drawn to."""
    train = _trainer(options)
    prior = average_weights(train, rows_of, sizes, is_mixed, seed, options, n_jobs)
    return options._replace(prior=prior)


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
    used, kept, scaling = _used(rows, options)
    train = _trainer(options, n_jobs)
    machine, scaling = trained_with_weights(train, used, scaling, options)
    if kept is not None:
        support = kept[machine.support]  # among the rows of the part
        machine = replace(machine, support=support, n_training_rows=len(rows.target))
    return machine, scaling


def seen_scaling(rows, options):
    """Return how a part sees rows, without training the machine that does."""
    used, _, scaling = _used(rows, options)
    return scaling_with_weights(_trainer(options, 1), used, scaling, options)[0]


def _used(rows, options):
    """Return the rows that train, their numbers if not all do, and their scaling."""
    scaling, kept = part_scaling(rows.X, options.theta.leaf_scaling), None
    if options.reduce is not None:
        seen = rows.X if scaling is None else scaling.apply(rows.X)
        kept = kept_rows(options.reduce, seen, rows.target)
    return rows if kept is None else rows.take(kept), kept, scaling


def _trainer(options, n_jobs=None):
    """Return ``train(seen rows, kernel, share of C)``."""

    def train(seen, kernel, share_of_C):
        C = share_of_C * options.theta.C
        return train_machine(seen, kernel, C, options, n_jobs)

    return train


def train_whole(model, rows, n_jobs=None):
    """Return one machine for all rows with weight, and how it sees rows.

    The kernel may be a Gram matrix.  Without feature weights rows are seen as they are,
    and a word for gamma means all of them, as in scikit-learn.
    """
    kept, options = np.flatnonzero(rows.weight > 0), machine_options(model)
    used, theta = rows.take(kept), options.theta
    if theta.feature_weights is None:
        kernel = theta.kernel.settled(theta.gamma, rows.X, theta.gamma_scale)
        if len(kept) < len(rows.target):
            used = used._replace(X=kernel.take(rows.X, kept))
        machine, scaling = train_machine(used, kernel, theta.C, options, n_jobs), None
    else:
        machine, scaling = train_seen(used, options, n_jobs)
    support = kept[machine.support]  # among the rows as given
    machine = replace(machine, support=support, n_training_rows=len(rows.target))
    return machine, scaling


def train_machine(seen, kernel, C, options, n_jobs=None):
    """Train a classifier's or a regressor's machine on rows as it sees them."""
    shared = {
        "tol": options.tol,
        "max_iter": options.max_iter,
        "max_bytes": options.max_bytes,
    }
    if seen.n_classes is None:
        how = {"loss": options.theta.loss, **shared}
        return train_regressor(*seen[:3], kernel, C, options.epsilon, **how)
    return train_classifier(
        seen.X,
        seen.target,
        seen.n_classes,
        seen.weight,
        kernel,
        C,
        multi_class=options.theta.multi_class,
        loss=options.theta.loss,
        n_jobs=n_jobs,
        **shared,
    )
