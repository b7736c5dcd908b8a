"""The exact algorithm for balanced trees (support vector trees, section 3.2).

A tree is balanced when every split sends half of its rows each way. The threshold is
then the median of the node's column, and only columns are left to choose: all of them
are tried in every node. The running time is n^(log m) for n rows and m columns, so this
is for small inputs, and to judge the greedy algorithm.
"""

from typing import NamedTuple

import numpy as np

_LARGEST = 10**8  # column choices that may be tried


class ExactNode(NamedTuple):
    """A node of an exact tree."""

    cost: float  # squared error of all its rows
    column: int
    threshold: float  # NaN at a leaf
    left: "ExactNode | None"
    right: "ExactNode | None"


def exact_balanced_tree(X, target, height):
    """Return the balanced tree of least squared error, scales fixed at one.

    Parameters
    ----------
    X : ndarray of shape (n, m)
        Terms a_j g(s_j, x_i).
    target : ndarray of shape (n,)
        r, the row sums.
    height : int
        Most columns on a path.

    Returns
    -------
    ExactNode
        The root. A node is left unsplit where that costs no more (the paper's remark
        below (4)), or where its median separates nothing.

    Raises
    ------
    ValueError
        If more than 10^8 choices of columns would have to be tried.
    """
    n, m = X.shape
    n_levels = min(height, 1 + int(np.log2(max(n, 1))))
    n_choices = float(2 * m) ** n_levels
    if n_choices > _LARGEST:
        raise ValueError(
            f"an exact tree of height {height} over {m} columns tries about "
            f"{n_choices:.0e} choices; use fewer columns or a smaller height, or the "
            "greedy algorithm."
        )
    return _best_node(np.asarray(X, np.float64), np.asarray(target, float), height)


def median_cut(column):
    """Return the mask of rows at or below the median, None if that is all of them.

    With an odd number of rows the left side has one more.
    """
    threshold = np.sort(column)[(len(column) - 1) // 2]
    goes_left = column <= threshold
    return None if goes_left.all() else (goes_left, float(threshold))


def _best_node(X, residual, height):
    """Try every column in a node whose path so far leaves `residual`."""
    errors = ((residual[:, None] - X) ** 2).sum(axis=0)
    k = int(errors.argmin())
    best = ExactNode(float(errors[k]), k, float("nan"), None, None)
    if height == 1 or len(X) < 2:
        return best
    for j in range(X.shape[1]):
        cut = median_cut(X[:, j])
        if cut is None:
            continue
        goes_left, threshold = cut
        rest = residual - X[:, j]
        left = _best_node(X[goes_left], rest[goes_left], height - 1)
        right = _best_node(X[~goes_left], rest[~goes_left], height - 1)
        if left.cost + right.cost < best.cost:
            best = ExactNode(left.cost + right.cost, j, threshold, left, right)
    return best
