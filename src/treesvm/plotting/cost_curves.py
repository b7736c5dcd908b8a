"""Pictures of cost: error against evaluations, time and nodes against rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from treesvm.plotting.matplotlib_axes import axes_or_new

_MARKERS = "oDs^vP*X"


def plot_error_against_cost(
    tables: Mapping[str, Sequence[Mapping[str, Any]]], *, ax: Any = None
) -> Any:
    """Draw each method's error over what a prediction evaluates (Figure 4 of H-LSVM).

    Parameters
    ----------
    tables : dict of str to list of dict
        For each data set its methods, with the keys "method", "error %" and "cost".
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from treesvm.plotting import plot_error_against_cost
    >>> tree = {"method": "H-LSVM", "error %": 6.1, "cost": 12}
    >>> machine = {"method": "SVC", "error %": 4.8, "cost": 3100}
    >>> axes = plot_error_against_cost({"letters": [tree, machine]})  # doctest: +SKIP
    """
    ax = axes_or_new(ax, figsize=(7, 5), layout="constrained")
    methods = sorted({row["method"] for rows in tables.values() for row in rows})
    for number, (name, rows) in enumerate(tables.items()):
        for row in rows:
            ax.plot(
                row["cost"],
                row["error %"],
                _MARKERS[methods.index(row["method"]) % len(_MARKERS)],
                color=f"C{number}",
            )
        ax.plot([], [], "-", color=f"C{number}", label=name)
    for number, method in enumerate(methods):
        ax.plot([], [], _MARKERS[number % len(_MARKERS)], color="0.3", label=method)
    ax.set(xscale="log", yscale="log", ylabel="test error, %")
    ax.set_xlabel("hyperplanes, stumps or support vectors met by a row")
    ax.legend(fontsize=8, ncols=2)
    return ax


def plot_growth(rows: Sequence[Mapping[str, Any]], *, axes: Any = None) -> Any:
    """Draw time, nodes and errors over the number of training rows (Figure 5).

    Parameters
    ----------
    rows : list of dict
        With "rows", "fit s", "inner nodes", "training error %" and "test error %".
    axes : sequence of three matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    sequence of matplotlib Axes

    Examples
    --------
    >>> from treesvm.plotting import plot_growth
    >>> names = ("rows", "fit s", "inner nodes", "training error %", "test error %")
    >>> figures = ((1000, 0.1, 20, 4.0, 7.0), (10_000, 0.9, 90, 4.5, 5.5))
    >>> rows = [dict(zip(names, line, strict=True)) for line in figures]
    >>> axes = plot_growth(rows)  # doctest: +SKIP
    """
    if axes is None:
        figure = axes_or_new(figsize=(11, 3.5), layout="constrained").figure
        figure.clear()
        axes = figure.subplots(1, 3)
    sizes = [row["rows"] for row in rows]
    panels = (("fit s",), ("inner nodes",), ("training error %", "test error %"))
    for ax, columns in zip(axes, panels, strict=True):
        for column in columns:
            ax.plot(sizes, [row[column] for row in rows], "o-", label=column)
        ax.set(xscale="log", xlabel="training rows, thousands")
        ax.set_xticks(sizes, [f"{size / 1000:g}" for size in sizes])
        ax.set_xticks([], minor=True)
        ax.legend(fontsize=8)
    for ax in axes[:2]:
        ax.set_yscale("log")
    return axes
