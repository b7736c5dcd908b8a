"""Readings of CVS and FLD side by side, at the C and γ that Ryu and Lee (2020) give.

The originals (Li, Chen and Kou 2007; Chau, Li and Yu 2014) were not at hand, and the
papers that use them give no formula. Table 6 narrows CVS: its selection takes 0.7 s for
the rows of cod-rna (8 features), 44.5 s for a9a (123) and 17.5 s for w8a (300), of
which nearly all rows have one class. So it looks for nearest rows of the other class
in a tree, and for none of the own class.
"""

import itertools

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks import candidates_problems as problems
from benchmarks.papers import trsd_published as published
from benchmarks.papers.trsd_methods import folds, trained_on
from treesvm.candidates.fld import discriminant_distances, fisher_planes, leaf_scatters
from treesvm.candidates.partition import partition_rows
from treesvm.candidates.quotas import apportion, best_of_each
from treesvm.candidates.support_distance import majority_centroids, majority_rows
from treesvm.trees.adjacency import neighbour_blocks

SETS = tuple(
    name
    for name in (*problems.SMALL, *problems.WAVEFORM)
    if name in published.TABLE_3 and name != "checkerboard"  # no FLD in the paper
)
SHARES = (0.1, 0.3)
N_FOLDS = 3
CLOSE = 3.0  # points, the tolerance of Table 4


def compare(folder, quick, name, method):
    """Mean accuracies of every reading of a method: {"reading, share": %}."""
    found = {}
    for fold in itertools.islice(folds(folder, quick, name), N_FOLDS):
        for share in SHARES:
            n_kept = round(share * len(fold.y))
            for label, kept in READINGS[method](fold, n_kept):
                accuracy, _ = trained_on(name, fold, kept, method)
                found.setdefault(f"{label}, {share}", []).append(accuracy)
    return {label: round(float(np.mean(values)), 2) for label, values in found.items()}


def summary(method, figures_of):
    """Of every reading: accuracies at the first share, how far it is from the paper."""
    figures, gaps = {}, {}
    for name in SETS:
        for label, value in (figures_of(f"{name}, readings of {method}") or {}).items():
            reading, share = label.rsplit(", ", 1)
            theirs = published.accuracies()[name, float(share)][method][0]
            gaps.setdefault(reading, []).append(abs(value - theirs))
            if float(share) == SHARES[0]:
                figures[f"{reading}, {name}"] = value
                figures[f"published, {name}"] = theirs
    for reading, values in gaps.items():
        figures[f"{reading}, mean deviation"] = float(np.mean(values))
        figures[f"{reading}, close"] = sum(gap <= CLOSE for gap in values)
        figures[f"{reading}, compared"] = len(values)
    return figures


def _cvs(fold, n_kept):
    """Orders of the rows, each with two ways to share out among the classes."""
    X, y = fold.X, fold.y
    distance, nearest = np.empty(len(y)), np.empty(len(y), np.intp)
    to_centre = np.empty(len(y))
    for code in (0, 1):
        own, others = np.flatnonzero(y == code), np.flatnonzero(y != code)
        far, place = NearestNeighbors(n_neighbors=1).fit(X[others]).kneighbors(X[own])
        distance[own], nearest[own] = far[:, 0], others[place[:, 0]]
        to_centre[own] = np.linalg.norm(X[own] - X[own].mean(axis=0), axis=1)
    nearness = 1.0 / (1.0 + distance)
    is_named = np.isin(np.arange(len(y)), nearest)
    is_mutual = nearest[nearest] == np.arange(len(y))
    drawn = np.random.RandomState(fold.seed).uniform(size=len(y)) / 2
    orders = {
        "mutual first": is_mutual + nearness,
        "named first": is_named + nearness,
        "named first, at random": is_named + drawn,
        "nearest": nearness,
        "nearest over own centre": -distance / np.maximum(to_centre, 1e-12),
    }
    sizes = np.bincount(y)
    quotas = {
        "in proportion": apportion(n_kept, sizes.astype(float), sizes),
        "equal": apportion(n_kept, np.ones(2), sizes),
    }
    for (order, scores), (share, quota) in itertools.product(
        orders.items(), quotas.items()
    ):
        yield f"{order}, {share}", best_of_each(y, scores, quota)


def _fld(fold, n_kept):
    """Distance or side, shared out among leaves, classes or not at all."""
    X, y = fold.X, fold.y
    rng = np.random.RandomState(fold.seed)
    partition = partition_rows(X, y, rng=rng)
    orders = {
        "distance": -discriminant_distances(X, y, partition),
        "side": _towards_the_other(X, y, partition),
    }
    leaves, sizes = partition.n_rows, np.bincount(y)
    for order, scores in orders.items():
        known = scores > -np.inf
        groups = {
            "by leaf": (partition.leaf, leaves),
            "by class": (y, sizes),
            "overall": (np.zeros(len(y), np.intp), np.array([len(y)])),
        }
        for label, (group, weights) in groups.items():
            caps = np.bincount(group[known], minlength=len(weights))
            quota = apportion(n_kept, np.where(caps > 0, weights, 0.0), caps)
            kept = best_of_each(group, scores, quota)
            rest = np.setdiff1d(np.arange(len(y)), kept)
            more = rng.choice(rest, n_kept - len(kept), replace=False)
            yield f"{order}, {label}", _with_all_classes(np.append(kept, more), y)


def _with_all_classes(kept, y):
    """The last rows make room for the first of a class that is not among them."""
    absent = np.setdiff1d(y, y[kept])
    firsts = [np.flatnonzero(y == code)[0] for code in absent]
    return np.append(kept[: len(kept) - len(firsts)], firsts).astype(np.intp)


def _towards_the_other(X, y, partition):
    """How far a row lies towards, or beyond, the discriminant of a neighbour leaf."""
    groups = majority_rows(y, partition)
    centroids = majority_centroids(X, groups)
    scatters = leaf_scatters(X, groups, centroids)
    scores = np.full(len(y), -np.inf)
    for block in neighbour_blocks(partition.tree, partition.majority):
        own = block.first + np.repeat(np.arange(block.n_leaves), np.diff(block.starts))
        pairs = np.stack([own, block.indices], axis=1)
        if len(pairs) == 0:
            continue
        normals, offsets = fisher_planes(pairs, centroids, scatters)
        for (leaf, _), w, offset in zip(pairs, normals, offsets, strict=True):
            rows = groups.rows(leaf)
            if w.any():  # it points from the other leaf to this one
                scores[rows] = np.maximum(scores[rows], offset - X[rows] @ w)
    return scores


READINGS = {"CVS": _cvs, "FLD": _fld}
# What they yield; the first of each is the library's.
LABELS = {
    "CVS": tuple(
        f"{order}, {share}"
        for order in (
            *("mutual first", "named first", "named first, at random"),
            *("nearest", "nearest over own centre"),
        )
        for share in ("in proportion", "equal")
    ),
    "FLD": tuple(
        f"{order}, {share}"
        for order in ("distance", "side")
        for share in ("by leaf", "by class", "overall")
    ),
}
