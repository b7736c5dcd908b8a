"""How many rows each group gives, and which ones."""

import numpy as np


def apportion(total, weights, caps):
    """Share `total` out in proportion to `weights`, by largest remainders.

    Parameters
    ----------
    total : int
    weights : ndarray of shape (n_groups,)
        Not negative; a group of weight zero gets nothing.
    caps : ndarray of int, shape (n_groups,)
        No group gets more; what it cannot take goes to the others.

    Returns
    -------
    ndarray of int64, shape (n_groups,)
        Adds up to `total`, or to what the groups can take if that is less. Among equal
        remainders the first group wins.
    """
    given = np.zeros(len(weights), np.int64)
    while total > 0:
        open_groups = np.flatnonzero((weights > 0) & (given < caps))
        if len(open_groups) == 0:
            break
        weight = weights[open_groups]
        ideal = total * (weight / weight.sum())
        part = np.floor(ideal).astype(np.int64)
        order = np.argsort(part - ideal, kind="stable")
        part[order[: total - part.sum()]] += 1
        part = np.minimum(part, caps[open_groups] - given[open_groups])
        given[open_groups] += part
        total -= int(part.sum())
    return given


def best_of_each(groups, scores, quotas):
    """Return the rows with the largest scores of each group.

    Parameters
    ----------
    groups : ndarray of int, shape (n_rows,)
        Group of each row, numbers from 0.
    scores : ndarray of shape (n_rows,)
        Among equal ones the first row wins; rows scored -inf are never taken.
    quotas : ndarray of int, shape (n_groups,)

    Returns
    -------
    ndarray of intp
    """
    rows = np.flatnonzero(scores > -np.inf)
    order = rows[np.lexsort((rows, -scores[rows], groups[rows]))]
    sizes = np.bincount(groups[order], minlength=len(quotas))
    first = np.cumsum(sizes) - sizes
    rank = np.arange(len(order)) - np.repeat(first, sizes)
    return order[rank < np.repeat(quotas, sizes)]
