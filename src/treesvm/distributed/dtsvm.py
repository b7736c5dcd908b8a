"""DTSVM on a Dask cluster."""

from typing import Any, Self

import numpy as np

from treesvm.decomposition.calibration import calibration_by_parts, judged_parts
from treesvm.decomposition.checkpointing import count_restored
from treesvm.decomposition.feature_weights import averaged_parts, needs_prior
from treesvm.decomposition.seeds import draw_seeds
from treesvm.decomposition.theta_choice import is_open
from treesvm.decomposition.theta_choice import judged_parts as judged_for_theta
from treesvm.decomposition.training import (
    leaf_ceiling,
    machine_options,
    options_with_prior,
    settled_options,
)
from treesvm.distributed.clusters import tells_lost_clusters
from treesvm.distributed.dask_classifier import DaskClassifier
from treesvm.distributed.decomposing import fit_decomposition, plan_leaves
from treesvm.estimators.dtsvm import DTSVMClassifier
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.partitions.axis_tree import AxisTree
from treesvm.partitions.choice import find_partition


class DaskDTSVMClassifier(DaskClassifier):
    """Fit a `DTSVMClassifier` to a Dask array or DataFrame, leaf by leaf on workers.

    The tree is grown on a seeded sample of the `max_tree_rows` rows of its `AxisTree`
    (on all of them with None, or if there are fewer), all rows are sent down block by
    block and shuffled to their leaves, leaves that turned out too large are split
    further where they are, and every leaf is trained by the functions that train it in
    memory. The model is the one that ``estimator.fit`` gives on the same rows in one
    memory, to the last bit, however many workers there are.

    Parameters
    ----------
    estimator : DTSVMClassifier, optional
        With the parameters of the fit, its `checkpoint` among them. `n_jobs` is for
        predictions without Dask; here the workers' threads count.
    client : distributed.Client, optional
        The current one by default.

    Attributes
    ----------
    model_ : DTSVMClassifier
        An ordinary fitted model: it pickles, saves and predicts without Dask.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_ : int
        Columns of the training rows.
    leaves_per_worker_ : dict of int to int
        How many leaves each worker process has trained, by process number.

    Notes
    -----
    When not to use it: rows that fit one memory are faster with `DTSVMClassifier`
    itself, or with it under ``joblib.parallel_config(backend="dask")``.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import DTSVMClassifier
    >>> from treesvm.distributed import DaskDTSVMClassifier, local_cluster
    >>> X, y = make_moons(3000, noise=0.2, random_state=0)
    >>> X, y = da.from_array(X, chunks=(500, 2)), da.from_array(y, chunks=500)
    >>> with local_cluster(1) as cluster, Client(cluster) as client:
    ...     ordinary = DTSVMClassifier(max_leaf_size=500, random_state=0)
    ...     model = DaskDTSVMClassifier(ordinary).fit(X[:2000], y[:2000])
    ...     accuracy = model.score(X[2000:], y[2000:])
    >>> accuracy > 0.95
    True
    """

    _default: type = DTSVMClassifier

    def __init__(self, estimator: Any = None, *, client: Any = None) -> None:
        self.estimator = estimator
        self.client = client

    @all_or_nothing
    @tells_lost_clusters
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree or trees and train their leaves on the cluster.

        Parameters
        ----------
        X : Dask array or DataFrame of shape (n_rows, n_features)
            Blocks may be empty, uneven and of unknown size.
        y : Dask array or Series; an array in memory if the sizes of blocks are known
        sample_weight : like y, optional

        Returns
        -------
        self
        """
        model, there = self._started(X, y, sample_weight)
        self.leaves_per_worker_: dict[int, int] = {}
        with there.open_checkpoint(model) as store:
            seeds = store.seeds(draw_seeds(model), model.random_state)
            options = _settled(there, model, seeds[0])
            members = [
                self._fit_member(there, model, seed, options, store.scope(f"{number}"))
                for number, seed in enumerate(seeds[: model.n_estimators])
            ]
        finish(there, model, members, options.theta, seeds[-1])
        count_restored(model, store)
        self.model_ = model
        return self

    def _check_model(self, model):
        tree_recipe(model)

    def _fit_member(self, there, model, seed, options, store):
        """Grow one tree and train its leaves."""
        client, n_threads, rows = there
        plan = _planned(there, model, seed)
        options = _with_prior(there, plan, options, seed)
        member, trained_by = fit_decomposition(
            client,
            rows,
            plan,
            options,
            store=store,
            verbose=model.verbose,
            n_threads=n_threads,
        )
        for worker, count in trained_by.items():
            before = self.leaves_per_worker_.get(worker, 0)
            self.leaves_per_worker_[worker] = before + count
        return member


def _planned(there, model, seed):
    """Return the plan of one member's leaves."""
    partition = tree_recipe(model)
    if model.n_estimators > 1:
        partition = partition.randomized()
    ceiling = leaf_ceiling(model.max_leaf_size, there.rows.n_rows, model.n_estimators)
    return plan_leaves(there.client, there.rows, partition, ceiling, seed)


def _settled(there, model, seed):
    """Return how parts are trained; leaves of the first tree say what is open."""
    options = machine_options(model)
    if not is_open(options.theta):
        return options
    partition, sizes, is_mixed = _grown(there, _planned(there, model, seed))
    parts = judged_for_theta(sizes, is_mixed, seed)
    rows_of = _gathered(there, partition, parts)
    return settled_options(options, rows_of, sizes, is_mixed, seed)


def _with_prior(there, plan, options, seed):
    """Return how parts are trained, with the feature weights small ones listen to."""
    is_one = len(plan.sizes) == 1 and not plan.growth.seeds
    if is_one or not isinstance(options.theta.feature_weights, str):
        return options
    partition, sizes, is_mixed = _grown(there, plan)
    if not needs_prior(options, sizes):
        return options
    rows_of = _gathered(there, partition, averaged_parts(is_mixed, seed))
    return options_with_prior(options, rows_of, sizes, is_mixed, seed)


def _grown(there, plan):
    """Return the partition of a plan, without machines, sizes and `is_mixed`."""
    client, n_threads, rows = there
    grown, _ = fit_decomposition(client, rows, plan, None, n_threads=n_threads)
    tree = grown.partition.tree
    leaves = tree.leaves()
    is_mixed = (tree.value[leaves] > 0).sum(axis=1) > 1
    return grown.partition, tree.n_rows[leaves], is_mixed


def _gathered(there, partition, parts):
    """Return `rows_of`, from the number of one of the parts to its rows, brought here.

    Without parts it knows none, and nobody asks.
    """
    if not parts:
        return {}.get
    rows = there.rows
    some, part = rows.of_parts(there.client, partition, parts)

    def rows_of(k):
        own = some.take(np.flatnonzero(part == k))
        return own.training(len(rows.classes))

    return rows_of


def finish(there, model, members, theta, seed):
    """Make a model of its trained members, calibrated if it has probabilities."""
    model.restore_fitted(members, theta)
    model.calibration_ = None
    if model.probability:
        model.calibration_ = _calibrated(there.client, model, there.rows, seed)


def _calibrated(client, model, rows, seed):
    """Return the calibration of a fitted model, from the rows of a few parts."""
    members = model.decompositions_
    wanted = {}
    for number, k in judged_parts(members, seed, model.voting):
        wanted.setdefault(number, []).append(k)
    found = {
        number: rows.of_parts(client, members[number].partition, parts)
        for number, parts in wanted.items()
    }

    def rows_of(number, k):
        some, part = found[number]
        return some.take(np.flatnonzero(part == k)).training(len(rows.classes))

    mass = members[0].partition.tree.value[0]
    how = {"loss": model.loss, "voting": model.voting}
    return calibration_by_parts(members, rows_of, mass, model.C_, seed, **how)


def tree_recipe(model):
    """Return the partition of a model; on a cluster it is an axis-parallel tree."""
    partition = find_partition(model.partition)
    if not isinstance(partition, AxisTree):
        raise ValueError(
            f"partition={model.partition!r} is grown in one memory only; on a cluster "
            "use 'axis' or an AxisTree."
        )
    return partition
