"""Tests between methods over a table of results: Friedman, Dunn, Nemenyi.

A table has one row for each block (a data set, or a fold of one) and one column for
each method; larger values are better. Friedman's test asks whether the methods differ
at all, the two others which pairs do. They come from SciPy and from scikit-posthocs,
which the extra ``treesvm[bench]`` installs.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from treesvm.inputs.array_types import Array, ArrayLike


class FriedmanTest(NamedTuple):
    """Outcome of Friedman's test.

    Attributes
    ----------
    statistic : float
        Friedman's χ².
    p_value : float
        How likely ranks so different are, if the methods do not differ.
    mean_ranks : ndarray of shape (n_methods,)
        1 is the best.
    """

    statistic: float
    p_value: float
    mean_ranks: np.ndarray


def friedman_test(table: ArrayLike) -> FriedmanTest:
    """Test whether any method differs from the others.

    Parameters
    ----------
    table : array-like of shape (n_blocks, n_methods)
        At least two rows and three columns of finite numbers.

    Returns
    -------
    FriedmanTest
        With p = 1 if all values of every row are equal.

    Examples
    --------
    >>> from treesvm.metrics import friedman_test
    >>> table = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.5], [0.7, 0.6, 0.5]]
    >>> round(friedman_test(table).p_value, 3)
    0.018
    """
    table = _checked(table)
    if (table == table[:, :1]).all():
        return FriedmanTest(0.0, 1.0, mean_ranks(table))
    statistic, p_value = stats.friedmanchisquare(*table.T)
    return FriedmanTest(float(statistic), float(p_value), mean_ranks(table))


def mean_ranks(table: ArrayLike) -> Array:
    """Return the mean rank of each method, 1 for the best; equal values share ranks.

    Parameters
    ----------
    table : array-like of shape (n_blocks, n_methods)
        A row for each block, a column for each method; larger values are better.

    Returns
    -------
    ndarray of shape (n_methods,)

    Examples
    --------
    >>> from treesvm.metrics import mean_ranks
    >>> mean_ranks([[0.9, 0.8, 0.7], [0.8, 0.8, 0.6]])
    array([1.25, 1.75, 3.  ])
    """
    return stats.rankdata(-_checked(table), axis=1).mean(axis=0)


def dunn_test(table: ArrayLike, *, p_adjust: str | None = None) -> Array:
    """Return the p-values of Dunn's test between all pairs of methods.

    Parameters
    ----------
    table : array-like of shape (n_blocks, n_methods)
        A row for each block, a column for each method; larger values are better.
    p_adjust : str, optional
        Correction for many pairs, such as "holm"; None is the paper's way.

    Returns
    -------
    ndarray of shape (n_methods, n_methods)
        Symmetric, ones on the diagonal.

    Examples
    --------
    >>> from treesvm.metrics import dunn_test
    >>> table = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.5], [0.7, 0.6, 0.5]]
    >>> dunn_test(table).round(2)  # doctest: +SKIP
    array([[1.  , 0.17, 0.02],
           [0.17, 1.  , 0.34],
           [0.02, 0.34, 1.  ]])
    """
    table = _checked(table)
    if np.ptp(table) == 0.0:
        return np.ones((table.shape[1], table.shape[1]))
    return _posthocs().posthoc_dunn(list(table.T), p_adjust=p_adjust).to_numpy()


def nemenyi_test(table: ArrayLike) -> Array:
    """Return the p-values of Nemenyi's test between all pairs of methods.

    Parameters
    ----------
    table : array-like of shape (n_blocks, n_methods)
        A row for each block, a column for each method; larger values are better.

    Returns
    -------
    ndarray of shape (n_methods, n_methods)
        Symmetric, ones on the diagonal.

    Examples
    --------
    >>> from treesvm.metrics import nemenyi_test
    >>> table = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.5], [0.7, 0.6, 0.5]]
    >>> nemenyi_test(table).round(2)  # doctest: +SKIP
    array([[1.  , 0.33, 0.01],
           [0.33, 1.  , 0.33],
           [0.01, 0.33, 1.  ]])
    """
    return _posthocs().posthoc_nemenyi_friedman(_checked(table)).to_numpy()


def _checked(table):
    """Return the table as float64, if it has the shape that ranks need."""
    table = np.asarray(table, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 3:
        raise ValueError(
            f"the table has shape {table.shape}; rank tests need two or more rows "
            "(blocks) and three or more columns (methods)."
        )
    if not np.isfinite(table).all():
        raise ValueError(
            "the table holds NaN or infinity; leave out methods or blocks without a "
            "result."
        )
    return table


def _posthocs():
    """Import scikit-posthocs, or say how to install it."""
    try:
        import scikit_posthocs
    except ImportError as error:
        raise ImportError(
            "tests between pairs need scikit-posthocs; install it with: "
            "pip install 'treesvm[bench]'"
        ) from error
    return scikit_posthocs
