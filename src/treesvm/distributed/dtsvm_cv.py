"""The search of leaf size, C and gamma on a Dask cluster."""

from numbers import Integral
from typing import Any, Self

import numpy as np

from treesvm.decomposition.checkpointing import count_restored
from treesvm.decomposition.seeds import draw_seeds, member_seeds
from treesvm.decomposition.training import machine_options
from treesvm.distributed.clusters import tells_lost_clusters
from treesvm.distributed.dtsvm import DaskDTSVMClassifier, finish
from treesvm.distributed.search_leaves import DaskLeaves, shuffled_fold
from treesvm.inputs.rows import Rows
from treesvm.inputs.training_rows import class_factors
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.model_selection.decomposition_cv import kept_member
from treesvm.model_selection.dtsvm_cv import DTSVMClassifierCV
from treesvm.model_selection.row_splits import split_rows, splits_identity


class DaskDTSVMClassifierCV(DaskDTSVMClassifier):
    """Fit a `DTSVMClassifierCV` to a Dask array or DataFrame.

    Training and validation rows are shuffled to the leaves of each fold's tree and stay
    there; the search runs as in memory, and sends candidates to the leaves. The answer
    is that of ``estimator.fit`` on the same rows in one memory.

    The codes and weights of all rows are held by the client, some 30 bytes a row.

    Parameters
    ----------
    estimator : DTSVMClassifierCV, optional
        With the parameters of the search; see `DaskDTSVMClassifier`. A splitter as
        ``cv`` does not go together with rows of weight zero.
    client : distributed.Client, optional
        The current one by default.

    Attributes
    ----------
    model_ : DTSVMClassifierCV
        An ordinary fitted model with all results of the search.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_ : int
        Columns of the training rows.
    leaves_per_worker_ : dict of int to int
        How many leaves of the final fit each worker process has trained.

    Notes
    -----
    When not to use it: a search on a sample that fits one memory finds nearly the same
    parameters for less; then fit all rows with `DaskDTSVMClassifier`.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import DTSVMClassifierCV
    >>> from treesvm.distributed import DaskDTSVMClassifierCV, local_cluster
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> X, y = da.from_array(X, chunks=(500, 2)), da.from_array(y, chunks=500)
    >>> search = DTSVMClassifierCV([1, 10], [1, 10], max_leaf_size=500, random_state=0)
    >>> with local_cluster(1) as cluster, Client(cluster) as client:
    ...     model = DaskDTSVMClassifierCV(search).fit(X, y).model_
    >>> model.C_ in (1, 10) and model.gamma_ in (1, 10)
    True
    """

    _default = DTSVMClassifierCV

    @all_or_nothing
    @tells_lost_clusters
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search and train; see `DaskDTSVMClassifier.fit`.

        Parameters
        ----------
        X : Dask array or DataFrame of shape (n_rows, n_features)
            Training rows.
        y : Dask array or Series of shape (n_rows,)
            Their labels.
        sample_weight : Dask array of shape (n_rows,), optional
            Weight of every row.

        Returns
        -------
        self
        """
        model, there = self._started(X, y, sample_weight)
        _check_splitter(model, there.rows)
        self.leaves_per_worker_ = {}
        with there.open_checkpoint(model) as store:
            model.best_estimator_ = self._searched(there, model, store)
        count_restored(model, store)
        self.model_ = model
        return self

    def _searched(self, there, model, store):
        """Return the winner, fitted."""
        client, n_threads, rows = there
        codes, weight = rows.gathered_labels(client)
        seeds = store.seeds(draw_seeds(model, n_members=1), model.random_state)
        splits = split_rows(model.cv, codes, seeds[0])
        store.confirm("the split of cv", splits_identity(splits))
        data = Rows(None, codes, weight, len(rows.classes))
        folds = [
            shuffled_fold(client, rows, data, *split, model, seeds[0], k, n_threads)
            for k, split in enumerate(splits)
        ]
        inner = [fold.fold for fold in folds]
        leaves = DaskLeaves(client, folds, machine_options(model.winner()))
        search = model.start_search(
            data,
            inner,
            seeds[0],
            store.scope("search"),
            leaves,
            weight=_judging(model, codes, weight),
            is_sparse=rows.layout.is_sparse,
        )
        outcome = model.run_search(search)
        winner = model.winner(outcome, search.n_train, rows.n_rows)
        if len(model.final_rows(inner, rows.n_rows)) < rows.n_rows:
            there = there._replace(rows=rows.taken(inner[0].train))
        options = machine_options(winner)
        if model.keeps_parts(inner):
            members = [kept_member(search, outcome, lambda t: leaves.train(t, options))]
        else:
            kept = store.scope(outcome.name)
            members = [
                self._fit_member(
                    there, winner, int(own), options, kept.scope(f"member {k}")
                )
                for k, own in enumerate(member_seeds(seeds[0], model.n_estimators))
            ]
        finish(there, winner, members, options.theta, seeds[-1])
        return winner


def _check_splitter(model, rows):
    """Refuse a splitter that would count rows which were left out."""
    is_share = model.cv is None or isinstance(model.cv, (float, Integral))
    if rows.n_left_out and not is_share:
        raise ValueError(
            f"cv={model.cv!r} numbers rows, and {rows.n_left_out} rows of weight zero "
            "are left out; drop these rows first, or give cv a share or a number."
        )


def _judging(model, codes, weight):
    """Return the weights of rows that judge: without those of the classes."""
    if model.class_weight is None:
        return weight
    counts = np.bincount(codes, minlength=len(model.classes_))
    return weight / class_factors(model.class_weight, model.classes_, counts)[codes]
