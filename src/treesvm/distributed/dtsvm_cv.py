"""The search of leaf size, C and gamma on a Dask cluster."""

from numbers import Integral

from treesvm.decomposition.checkpointing import open_checkpoint
from treesvm.distributed.dtsvm import DaskDTSVMClassifier, machine_options
from treesvm.distributed.row_blocks import read_rows
from treesvm.distributed.search_leaves import DaskLeaves, shuffled_fold
from treesvm.estimators.dtsvm import member_seeds
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.model_selection.dtsvm_cv import DTSVMClassifierCV, kept_leaves
from treesvm.model_selection.row_splits import split_rows, splits_identity
from treesvm.model_selection.search_fold import SearchData


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
    classes_, n_features_in_, leaves_per_worker_
        As in `DaskDTSVMClassifier`; leaves of the final fit are counted.

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
    def fit(self, X, y, sample_weight=None):
        """Search and train; see `DaskDTSVMClassifier.fit`."""
        client, size = self._cluster()
        model = self._template()
        model.check_parameters()
        rows = read_rows(
            client, model, X, y, sample_weight, model.class_weight, size.total_memory
        )
        _check_splitter(model, rows)
        self.leaves_per_worker_ = {}
        store = open_checkpoint(
            model,
            lambda: rows.identity(client),
            n_classes=len(rows.classes),
            n_features=rows.layout.n_features,
        )
        with store:
            self._search_and_train(client, size, model, rows, store)
        model._count_restored(store)
        self.model_ = model
        return self

    def _search_and_train(self, client, size, model, rows, store):
        """Set what the search finds and the members of the model."""
        codes, weight = rows.gathered_labels(client)
        seeds = store.seeds(model._draw_seeds(), model.random_state)
        splits = split_rows(model.cv, codes, seeds[0])
        store.confirm("the split of cv", splits_identity(splits))
        data = SearchData(None, codes, weight, len(rows.classes))
        folds = [
            shuffled_fold(
                client, rows, data, *split, model, seeds[0], k, size.n_threads
            )
            for k, split in enumerate(splits)
        ]
        leaves = DaskLeaves(client, folds, model._winner()._machine_options(None))
        inner = [fold.fold for fold in folds]
        search, outcome = model._search(
            data, inner, seeds[0], store.scope("search"), leaves
        )
        model._note(outcome, search)
        winner = model._winner(one_leaf_of=search.n_train, n_rows=rows.n_rows)
        if model._keeps_leaves(inner):
            options = winner._machine_options(None)
            members = [
                kept_leaves(
                    search, outcome, data.n_classes, lambda t: leaves.train(t, options)
                )
            ]
        else:
            final = rows
            if len(model._final_rows(inner, rows.n_rows)) < rows.n_rows:
                final = rows.taken(inner[0].train)
            members = [
                self._fit_member(
                    client,
                    size,
                    winner,
                    final,
                    int(own),
                    machine_options(client, winner, final),
                    store.scope(f"member {k}"),
                )
                for k, own in enumerate(member_seeds(seeds[0], model.n_estimators))
            ]
        scale = None
        if model.probability:
            folder = store.folder_of("calibration")
            winner.n_features_in_ = model.n_features_in_
            scale = self._calibrate(client, size, winner, rows, seeds[-1], folder)
        model._publish(members, scale)


def _check_splitter(model, rows):
    """Refuse a splitter that would count rows which were left out."""
    is_share = model.cv is None or isinstance(model.cv, (float, Integral))
    if rows.n_left_out and not is_share:
        raise ValueError(
            f"cv={model.cv!r} numbers rows, and {rows.n_left_out} rows of weight zero "
            "are left out; drop these rows first, or give cv a share or a number."
        )
