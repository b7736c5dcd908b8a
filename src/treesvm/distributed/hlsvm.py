"""H-LSVM on a Dask cluster."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from treesvm.decomposition.checkpointing import KeptTrees
from treesvm.distributed.clusters import tells_lost_clusters
from treesvm.distributed.dask_classifier import DaskClassifier
from treesvm.distributed.oblique_growing import Problem, grow_sampled, grow_whole
from treesvm.estimators.hlsvm import HLSVMClassifier
from treesvm.inputs.parameter_rules import count, either
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.trees.tree_committee import binary_problems


class DaskHLSVMClassifier(DaskClassifier):
    """Fit an `HLSVMClassifier` to a Dask array or DataFrame.

    Up to `max_sample_rows` rows grow the tree in one task, and the model is that of
    ``estimator.fit`` in one memory, to the last bit. With more, the top of the tree is
    grown on a seeded sample of so many rows; all rows are shuffled to its leaves, and
    each leaf is grown further on all its rows. Pruning counts all rows kept for it.
    The trees of a committee (``multi_class="ovo"`` or "ovr") grow one after the other.
    The client holds the class codes of all rows, some 20 bytes a row.

    Parameters
    ----------
    estimator : HLSVMClassifier, optional
        With the parameters of the fit, its `checkpoint` among them.
    max_sample_rows : int or None, default=500_000
        Rows that one worker grows a tree from; None for all.
    client : distributed.Client, optional
        The current one by default.

    Attributes
    ----------
    model_ : HLSVMClassifier
        An ordinary fitted model: it pickles, saves and predicts without Dask.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_ : int
        Columns of the training rows.

    Notes
    -----
    When not to use it: each node trains on `max_node_rows` rows at most, so up to some
    ten million rows one machine that holds them is as fast.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import HLSVMClassifier
    >>> from treesvm.distributed import DaskHLSVMClassifier, local_cluster
    >>> X, y = make_moons(1000, noise=0.15, random_state=0)
    >>> X, y = da.from_array(X, chunks=(250, 2)), da.from_array(y, chunks=250)
    >>> with local_cluster(1) as cluster, Client(cluster) as client:
    ...     model = DaskHLSVMClassifier(HLSVMClassifier(random_state=0)).fit(X, y)
    ...     accuracy = model.score(X, y)
    >>> accuracy > 0.95
    True
    """

    _default = HLSVMClassifier
    _rules: ClassVar = {
        "max_sample_rows": either(
            None, count("use a positive whole number, or None for all rows")
        )
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        max_sample_rows: int = 500_000,
        client: Any = None,
    ) -> None:
        self.estimator = estimator
        self.max_sample_rows = max_sample_rows
        self.client = client

    @all_or_nothing
    @tells_lost_clusters
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree or trees on the cluster.

        Parameters
        ----------
        X, y, sample_weight
            As in `DaskDTSVMClassifier.fit`.

        Returns
        -------
        self
        """
        self.check_parameters()
        model, there = self._started(X, y, sample_weight)
        marks = {"max_sample_rows": str(self.max_sample_rows)}
        with there.open_checkpoint(model, **marks) as store:
            seed = check_random_state(model.random_state).randint(2**31 - 1)
            seed = store.seeds([seed], model.random_state)[0]
            trees = [
                self._tree(there, model, problem, store.scope(f"tree {k}"))
                for k, problem in enumerate(_problems(there, model, seed))
            ]
        self.model_ = model.restore_fitted(trees)
        return self

    def _tree(self, there, model, problem, store):
        """Grow one tree, or take it from the checkpoint."""
        kept = KeptTrees(store)
        tree = kept.get("whole")
        if tree is not None:
            return tree
        limit = self.max_sample_rows
        if limit is None or problem.rows.n_rows <= limit:
            tree = there.client.compute(grow_whole(problem, model)).result()
        else:
            client, n_threads, _ = there
            tree = grow_sampled(client, problem, model, limit, n_threads, store)
        kept.put("whole", tree)
        return tree


def _problems(there, model, seed):
    """Yield the trees to grow, as rows with codes of their own."""
    rows = there.rows
    codes, weight = rows.gathered_labels(there.client)
    n_classes = len(rows.classes)
    problems = list(binary_problems(codes, n_classes, model.multi_class))
    for place, (numbers, labels) in enumerate(problems):
        own, n_own = rows, n_classes
        if len(numbers) < rows.n_rows:
            own = rows.taken(numbers)
        if len(problems) > 1:
            new_code, n_own = np.zeros(n_classes, np.int64), 2
            new_code[codes[numbers]] = labels
            own = own.relabelled(new_code)
        total = len(numbers) if not rows.layout.has_weight else weight[numbers].sum()
        yield Problem(own, labels, total, n_own, seed + place)
