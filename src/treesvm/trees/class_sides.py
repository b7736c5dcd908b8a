"""Group the classes of a node into two sides, so that one hyperplane can part them.

Two classes are their own sides: the larger code is +1. More classes are placed by their
centroids: on the line through the origin along which the centroids spread most, they
are cut into the two groups with the least squared distance to their own group's mean
(2-means on a line, solved exactly, every class weighing what its rows weigh). A split
may then move each class to the side on which most of it fell, see `majority_sides`.
"""

import numpy as np


def centroid_sides(centroids, mass):
    """Return +1 or -1 for each class present, at least two, and 0 for the others.

    Parameters
    ----------
    centroids : ndarray of shape (n_classes, n_features), or None for two classes
        Means of the classes; rows of absent classes are not read.
    mass : ndarray of shape (n_classes,)
        Summed weight of each class in the node, 0 if absent.

    Returns
    -------
    ndarray of float64, shape (n_classes,)
    """
    present = mass.nonzero()[0]
    sides = np.zeros(len(mass))
    if len(present) == 2:
        sides[present[0]], sides[present[1]] = -1.0, 1.0
        return sides
    position = _spread_line(centroids[present], mass[present])
    order = np.argsort(position, kind="stable")
    n_low = _best_cut(position[order], mass[present][order])
    sides[present[order[:n_low]]] = -1.0
    sides[present[order[n_low:]]] = 1.0
    return sides


def majority_sides(sides, left_mass, right_mass):
    """Return the sides on which most of each class fell; unchanged if one is empty.

    Parameters
    ----------
    sides : ndarray of shape (n_classes,)
        The grouping that made the split.
    left_mass, right_mass : ndarray of shape (n_classes,)
        Weight of each class on the two sides of the split.
    """
    moved = np.where(sides == 0.0, 0.0, np.where(left_mass > right_mass, -1.0, 1.0))
    return moved if (moved > 0).any() and (moved < 0).any() else sides


def _spread_line(centroids, mass):
    """Return the places of the centroids along their first principal direction."""
    centred = centroids - np.average(centroids, axis=0, weights=mass)
    _, _, directions = np.linalg.svd(
        centred * np.sqrt(mass / mass.sum())[:, None], full_matrices=False
    )
    # The sign of a singular vector is arbitrary: fix it, so that machines agree.
    first = directions[0]
    return centred @ (first * np.sign(first[np.abs(first).argmax()]))


def _best_cut(position, mass):
    """Return how many of the sorted classes form the lower group of 2-means."""
    below = np.cumsum(mass)[:-1]
    # Summed from above: a difference of sums would lose masses that are much smaller.
    above = np.cumsum(mass[::-1])[::-1][1:]
    moment = mass * position
    gap = np.cumsum(moment)[:-1] / below - np.cumsum(moment[::-1])[::-1][1:] / above
    return int((below * above * gap**2).argmax()) + 1
