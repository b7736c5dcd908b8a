"""FLD: rows near Fisher's discriminant of adjacent leaves (Chau, Li and Yu 2014)."""

from typing import Any, ClassVar

import numpy as np

from treesvm.candidates.partition import PARTITION_RULES, partition_rows
from treesvm.candidates.quotas import apportion, best_of_each
from treesvm.candidates.selector import CandidateSelector, dense_rows
from treesvm.candidates.support_distance import majority_centroids, majority_rows
from treesvm.inputs.array_types import Seed
from treesvm.kernels.compiling import compiled
from treesvm.trees.adjacency import neighbour_blocks

_RIDGE = 1e-3  # of the mean variance: leaves hold fewer rows than features
_BATCH_BYTES = 64 * 2**20  # matrices solved together
_SCATTER_BYTES = 2**30


class FLD(CandidateSelector):
    """Keep rows near the Fisher discriminants between adjacent leaves of a tree.

    Parameters
    ----------
    share : float in (0, 1], default=0.1
        Share of the rows to keep.
    tree : DecisionTreeClassifier, optional
        Of scikit-learn; None grows CART and prunes it.
    pruning : {"auto"}, float, int or None, default="auto"
        How the grown tree is pruned, see `TRSD`.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_kept,)
        Rows kept, ascending; every class is among them.

    Notes
    -----
    The reading chosen: for every pair of adjacent leaves with different majorities
    (adjacency as in `TRSD`), w = S⁻¹ (m₁ - m₂) with the majority-class means and their
    pooled scatter S, to which a thousandth of its mean variance is added because leaves
    often hold fewer rows than features; the threshold lies halfway between the
    projected means. A row of its leaf's majority class is ranked by its smallest
    distance to the discriminants of its leaf. Leaves with a distinct neighbour share
    the kept rows in proportion to their rows. If no pair exists, or too few rows are
    ranked, the rest is drawn at random. With the C and γ of their Table 3 the
    accuracies of Ryu and Lee (2020) come out within three points on six of nine small
    sets, whether features are standardised or not and the tree is pruned or not.

    When not to use it: a d × d system is solved for each pair of leaves, so it is slow
    with hundreds of features or thousands of leaves; `TRSD` needs a product only and
    its random half makes it more robust. Standardise the features first.

    References
    ----------
    A. L. Chau, X. Li, W. Yu, "Support vector machine classification for large datasets
    using decision tree and Fisher linear discriminant", Future Generation Computer
    Systems 36 (2014) 57-65.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm.candidates import FLD
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> X_kept, y_kept = FLD(0.1, random_state=0).fit_resample(X, y)
    >>> len(y_kept)
    50
    """

    _rules: ClassVar = PARTITION_RULES

    def __init__(
        self,
        share: float = 0.1,
        *,
        tree: Any = None,
        pruning: float | str | None = "auto",
        random_state: Seed = None,
    ) -> None:
        self.share = share
        self.tree = tree
        self.pruning = pruning
        self.random_state = random_state

    def _select(self, X, codes, n_kept, rng):
        rows = dense_rows(X, "FLD")
        partition = partition_rows(
            X, codes, tree=self.tree, pruning=self.pruning, rng=rng
        )
        scores = -discriminant_distances(rows, codes, partition)
        sizes = partition.n_rows
        n_scored = np.bincount(partition.leaf[scores > -np.inf], minlength=len(sizes))
        quotas = apportion(n_kept, np.where(n_scored > 0, sizes, 0), n_scored)
        best = best_of_each(partition.leaf, scores, quotas)
        rest = np.setdiff1d(np.arange(len(codes)), best)
        more = rng.choice(rest, n_kept - len(best), replace=False)
        return np.concatenate([best, more])


def discriminant_distances(X, codes, partition):
    """Return the distance of each row to its leaf's nearest discriminant, or inf."""
    groups = majority_rows(codes, partition)
    centroids = majority_centroids(X, groups)
    scatters = leaf_scatters(X, groups, centroids)
    nearest = np.full(len(codes), np.inf)
    step = max(1, _BATCH_BYTES // (8 * X.shape[1] ** 2))
    for block in neighbour_blocks(partition.tree, partition.majority):
        own = block.first + np.repeat(np.arange(block.n_leaves), np.diff(block.starts))
        pairs = np.stack([own, block.indices], axis=1)
        pairs = pairs[pairs[:, 0] < pairs[:, 1]]  # each pair is listed from both ends
        for start in range(0, len(pairs), step):
            part = pairs[start : start + step]
            normals, offsets = fisher_planes(part, centroids, scatters)
            _nearest_plane(
                X, groups.order, groups.starts, part, normals, offsets, nearest
            )
    return nearest


def leaf_scatters(X, groups, centroids):
    """Return the scatter matrix of each leaf's majority class."""
    n_leaves, d = centroids.shape
    if 8 * n_leaves * d * d > _SCATTER_BYTES:
        raise ValueError(
            f"FLD needs a {d} × {d} matrix for each of {n_leaves} leaves, more than "
            f"{_SCATTER_BYTES // 2**20} MB; use TRSD, or a tree with fewer leaves "
            "(tree=DecisionTreeClassifier(max_leaf_nodes=...))."
        )
    scatters = np.empty((n_leaves, d, d))
    for k in range(n_leaves):
        z = X[groups.rows(k)] - centroids[k]
        scatters[k] = z.T @ z
    return scatters


def fisher_planes(pairs, centroids, scatters):
    """Return unit normals and offsets of the discriminants, zero where means agree."""
    first, second = pairs.T
    S = scatters[first] + scatters[second]
    d = S.shape[1]
    ridge = _RIDGE * np.trace(S, axis1=1, axis2=2) / d
    S[:, np.arange(d), np.arange(d)] += np.where(ridge > 0, ridge, 1.0)[:, None]
    difference = centroids[first] - centroids[second]
    w = np.linalg.solve(S, difference[:, :, None])[:, :, 0]
    length = np.sqrt(np.einsum("ij,ij->i", w, w))
    w = np.divide(w, length[:, None], out=np.zeros_like(w), where=length[:, None] > 0)
    middle = 0.5 * (centroids[first] + centroids[second])
    return w, np.einsum("ij,ij->i", w, middle)


@compiled
def _nearest_plane(X, order, starts, pairs, normals, offsets, nearest):
    """Lower `nearest` to the distances of the rows of both leaves of each pair."""
    for p in range(len(pairs)):
        w = normals[p]
        if not w.any():
            continue  # equal centroids part nothing
        for leaf in pairs[p]:
            for t in range(starts[leaf], starts[leaf + 1]):
                i, value = order[t], -offsets[p]
                for j in range(len(w)):
                    value += w[j] * X[i, j]
                nearest[i] = min(nearest[i], abs(value))
