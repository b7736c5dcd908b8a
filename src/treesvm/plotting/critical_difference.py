"""Critical-difference diagram: mean ranks of methods, ties joined by bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from treesvm.inputs.array_types import ArrayLike
from treesvm.metrics.rank_tests import mean_ranks, nemenyi_test
from treesvm.plotting.matplotlib_axes import axes_or_new


def plot_critical_difference(
    table: ArrayLike,
    names: Sequence[str],
    *,
    alpha: float = 0.05,
    p_values: ArrayLike | None = None,
    ax: Any = None,
) -> Any:
    """Draw the mean rank of each method on a line (Demšar, JMLR 7, 2006).

    Methods joined by a bar do not differ significantly. Drawn by scikit-posthocs, which
    the extra ``treesvm[bench]`` installs.

    Parameters
    ----------
    table : array-like of shape (n_blocks, n_methods)
        Larger values are better.
    names : sequence of str
        One for each method.
    alpha : float
        Level of significance.
    p_values : ndarray of shape (n_methods, n_methods), optional
        Nemenyi's by default.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from treesvm.plotting import plot_critical_difference
    >>> table = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.5], [0.7, 0.6, 0.5]]
    >>> axes = plot_critical_difference(table, ["A", "B", "C"])  # doctest: +SKIP
    """
    table = np.asarray(table)
    if len(names) != table.shape[1]:
        raise ValueError(
            f"there are {len(names)} names for {table.shape[1]} columns of the table; "
            "give one for each method."
        )
    p_values = nemenyi_test(table) if p_values is None else np.asarray(p_values)
    import pandas as pd  # comes with scikit-posthocs
    from scikit_posthocs import critical_difference_diagram

    ax = axes_or_new(ax, figsize=(7, 2.5), layout="constrained")
    ranks = pd.Series(mean_ranks(table), index=list(names))
    matrix = pd.DataFrame(p_values, index=list(names), columns=list(names))
    critical_difference_diagram(ranks, matrix, alpha=alpha, ax=ax)
    return ax
