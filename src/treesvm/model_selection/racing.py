"""Which candidates of a race can be dropped, by a paired test on validation rows.

All candidates answer the same validation rows, leaf by leaf.  The lead of the best over
another is a mean over rows, with a standard error from the spread of the leaves' leads
(rows of a leaf share its machine and are not independent), and never below that of
independent rows.
"""

import numpy as np

CONFIDENCE = 2.5  # standard errors
# Fewer leaves than this say nothing about the spread between leaves; until then rows
# count as independent, with twice the confidence.
_FEW_LEAVES = 6


def standard_error(difference, sizes):
    """Return the standard error of the mean paired difference.

    Parameters
    ----------
    difference : ndarray of shape (..., n_leaves)
        Right answers more (or fewer) than the rival's, in each leaf.
    sizes : ndarray of shape (n_leaves,)
        Validation rows of each leaf.
    """
    n = max(sizes.sum(), 1)
    mean = difference.sum(axis=-1, keepdims=True) / n
    between = np.sqrt(((difference - mean * sizes) ** 2).sum(axis=-1)) / n
    within = np.sqrt(np.abs(difference).sum(axis=-1) + 1.0) / n
    if len(sizes) < _FEW_LEAVES:
        return 2.0 * within
    return np.maximum(between, within)


def cannot_win(correct, sizes, share, tolerance, confidence=CONFIDENCE):
    """Mark candidates that will hardly beat the leader by more than `tolerance`.

    Parameters
    ----------
    correct : ndarray of shape (n_candidates, n_leaves)
        Right answers in the leaves seen so far.
    sizes : ndarray of shape (n_leaves,)
        Validation rows of those leaves.
    share : float
        Share of all validation rows that lie in leaves where candidates can differ.
    tolerance : float
        A difference in accuracy that nobody would wait for.

    Returns
    -------
    ndarray of bool, shape (n_candidates,)
        Never the leader itself.
    """
    leader = int(correct.sum(axis=1).argmax())
    difference = correct - correct[leader]
    n = max(sizes.sum(), 1)
    best_case = difference.sum(axis=1) / n + confidence * standard_error(
        difference, sizes
    )
    hopeless = best_case * share < tolerance
    hopeless[leader] = False
    return hopeless


def gain_excluded(gain, sizes, min_gain, share=1.0, confidence=CONFIDENCE):
    """Whether a mean gain of `min_gain` is excluded by the leaves seen so far."""
    n = max(sizes.sum(), 1)
    best_case = gain.sum() / n + confidence * standard_error(gain, sizes)
    return bool(best_case * share < min_gain)


def near_tie(lead, most=np.inf):
    """Whether a mean lead is within its standard error, and not above `most`.

    Parameters
    ----------
    lead : ndarray
        Of the best over another, row by row.
    """
    n, mean = len(lead), lead.mean()
    error = np.sqrt(((lead - mean) ** 2).sum()) / n
    return bool(mean <= min(error, most))
