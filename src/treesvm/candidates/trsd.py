"""TRSD: tree-based relative support distance (Ryu and Lee 2020)."""

from typing import Any, ClassVar

import numpy as np

from treesvm.candidates.partition import PARTITION_RULES, partition_rows
from treesvm.candidates.quotas import apportion, best_of_each
from treesvm.candidates.selector import CandidateSelector, dense_rows
from treesvm.candidates.support_distance import support_scores
from treesvm.inputs.array_types import Seed


class TRSD(CandidateSelector):
    """Keep rows with large relative support distance, and as many random ones.

    A pruned decision tree cuts the space into boxes. In each box rows of the majority
    class are scored against every adjacent box of another majority: high is a row that
    lies near the plane halfway between the two centroids and far from its own. Of each
    box the best rows and some random ones are kept, in proportion to its rows.

    Parameters
    ----------
    share : float in (0, 1], default=0.1
        β, the share of the rows to keep.
    random_share : float in [0, 1], default=0.5
        Share of the kept rows that are drawn at random from the boxes, whatever their
        label.
    tree : DecisionTreeClassifier, optional
        Of scikit-learn; an unfitted one is fitted, a fitted one is used as it is, and
        neither is pruned further. None grows CART and prunes it.
    pruning : {"auto"}, float, int or None, default="auto"
        How the grown tree is pruned: on a held-out share of the rows, by so many folds,
        or not at all. "auto" is 5 folds up to 10,000 rows and a fifth of the rows
        beyond.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_kept,)
        Rows kept, ascending; every class is among them.
    tree_ : Tree
        The tree whose leaves were compared; not there with ``share=1``.

    Notes
    -----
    The reading chosen: boxes are adjacent when they touch in one feature and overlap
    with positive length in all others; h = 0, which the nearest row of each pair has
    after scaling, counts as 1e-12, so that r decides among such rows. A leaf without a
    distinct neighbour gives its random rows only; what it lacks the others give, so
    that the total stays β n. More than two classes need nothing further.

    When not to use it: below a few thousand rows a machine of all rows costs little.
    Where labels are noisy, rows near the border say least: `CleanSpread` keeps better
    ones if neighbours can be searched, and `RandomRows` is often as good. Standardise
    the features first.

    References
    ----------
    M. Ryu, K. Lee, "Selection of support vector candidates using relative support
    distance for sustainability in large-scale support vector machines", Applied
    Sciences 10 (2020) 6979, section 3.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm.candidates import TRSD
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> X_kept, y_kept = TRSD(0.1, random_state=0).fit_resample(X, y)
    >>> len(y_kept)
    50
    """

    _rules: ClassVar = PARTITION_RULES

    def __init__(
        self,
        share: float = 0.1,
        random_share: float = 0.5,
        *,
        tree: Any = None,
        pruning: float | str | None = "auto",
        random_state: Seed = None,
    ) -> None:
        self.share = share
        self.random_share = random_share
        self.tree = tree
        self.pruning = pruning
        self.random_state = random_state

    def _select(self, X, codes, n_kept, rng):
        rows = dense_rows(X, "TRSD")
        partition = partition_rows(
            X, codes, tree=self.tree, pruning=self.pruning, rng=rng
        )
        self.tree_ = partition.tree
        scores = support_scores(rows, codes, partition)
        return rows_of_leaves(scores, partition, n_kept, self.random_share, rng)


def rows_of_leaves(scores, partition, n_kept, random_share, rng):
    """Return the rows of all leaves that are kept: the best and some at random.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        -inf where a row has none.
    partition : Partition
    n_kept : int
    random_share : float
    rng : RandomState
    """
    leaf, sizes = partition.leaf, partition.n_rows
    n_scored = np.bincount(leaf[scores > -np.inf], minlength=len(sizes))
    n_best = n_kept - round(random_share * n_kept)
    quotas = apportion(n_best, np.where(n_scored > 0, sizes, 0), n_scored)
    best = best_of_each(leaf, scores, quotas)
    draws = rng.random_sample(len(leaf))
    draws[best] = -np.inf
    quotas = apportion(n_kept - len(best), sizes, sizes - quotas)
    return np.concatenate([best, best_of_each(leaf, draws, quotas)])
