"""Pictures of oblique trees: their shape, and the regions they cut."""

from typing import Any

import numpy as np

from treesvm.inputs.array_types import ArrayLike
from treesvm.plotting.matplotlib_axes import axes_or_new


def plot_tree(model: Any, *, tree: int = 0, max_depth: int = 4, ax: Any = None) -> Any:
    """Draw the upper part of a tree: rows and majority of each node.

    Parameters
    ----------
    model : HLSVMClassifier or SVMTreesClassifier
        Fitted.
    tree : int
        Which tree of a committee.
    max_depth : int
        Deeper branches are drawn as dots.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import HLSVMClassifier
    >>> from treesvm.plotting import plot_tree
    >>> X, y = make_moons(300, noise=0.2, random_state=0)
    >>> model = HLSVMClassifier(random_state=0).fit(X, y)
    >>> axes = plot_tree(model, max_depth=2)  # doctest: +SKIP
    """
    ax = axes_or_new(ax, figsize=(10, 5), layout="constrained")
    shown = model.trees_[tree]
    labels = model.classes_ if len(model.trees_) == 1 else np.arange(2)
    place = _places(shown, max_depth)
    for node, (x, y) in place.items():
        for child in (shown.left[node], shown.right[node]):
            if child in place:
                ax.plot(*zip((x, y), place[child], strict=True), color="0.7", zorder=1)
    for node, (x, y) in place.items():
        is_open = shown.left[node] != -1 and shown.node_depth[node] == max_depth
        text = "…" if is_open else _label(shown, node, labels)
        face = "white" if shown.is_leaf[node] else "0.93"
        box = {"boxstyle": "round", "facecolor": face, "edgecolor": "0.5"}
        ax.text(x, y, text, ha="center", va="center", fontsize=8, bbox=box)
    ax.set_axis_off()
    return ax


def plot_regions(
    model: Any, X: ArrayLike, y: ArrayLike, *, n_grid: int = 400, ax: Any = None
) -> Any:
    """Draw the decision regions of a classifier of two features, and rows on them.

    Parameters
    ----------
    model : classifier
        Fitted on two features.
    X : ndarray of shape (n_rows, 2)
        Rows to draw; they also set the range of the axes.
    y : array-like of shape (n_rows,)
        Their labels.
    n_grid : int
        Points along each side.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import HLSVMClassifier
    >>> from treesvm.plotting import plot_regions
    >>> X, y = make_moons(300, noise=0.2, random_state=0)
    >>> model = HLSVMClassifier(random_state=0).fit(X, y)
    >>> axes = plot_regions(model, X, y)  # doctest: +SKIP
    """
    X = np.asarray(X)
    if X.shape[1] != 2:
        raise ValueError(
            f"X has {X.shape[1]} features; regions can be drawn for two. Choose two "
            "columns and fit on them."
        )
    ax = axes_or_new(ax, figsize=(5, 5), layout="constrained")
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.05 * (high - low)
    ends = zip(low - margin, high + margin, strict=True)
    sides = [np.linspace(*pair, n_grid) for pair in ends]
    grid = np.stack(np.meshgrid(*sides), axis=-1)
    answers = model.predict(grid.reshape(-1, 2).astype(X.dtype))
    codes = np.searchsorted(model.classes_, answers).reshape(n_grid, n_grid)
    levels = np.arange(len(model.classes_) + 1) - 0.5
    colors = [f"C{code}" for code in range(len(model.classes_))]
    ax.contourf(*sides, codes, levels=levels, colors=colors, alpha=0.25)
    shown = np.searchsorted(model.classes_, y)
    ax.scatter(*X.T, c=[colors[k] for k in shown], s=5, alpha=0.5, linewidths=0)
    return ax


def _places(tree, max_depth):
    """Return {node: (x, y)}; leaves of the drawn part stand side by side."""
    drawn = tree.cut(tree.node_depth >= max_depth)
    original = np.flatnonzero(tree.node_depth <= max_depth)
    x = np.empty(drawn.n_nodes)
    x[_left_to_right(drawn)] = np.arange(drawn.n_leaves)
    for k in range(drawn.n_nodes - 1, -1, -1):
        if drawn.left[k] != -1:
            x[k] = 0.5 * (x[drawn.left[k]] + x[drawn.right[k]])
    depth = drawn.node_depth
    return {int(original[k]): (x[k], -depth[k]) for k in range(drawn.n_nodes)}


def _left_to_right(tree):
    """Return the leaves in the order in which they are drawn."""
    leaves, stack = [], [0]
    while stack:
        k = stack.pop()
        if tree.left[k] == -1:
            leaves.append(k)
        else:
            stack += [int(tree.right[k]), int(tree.left[k])]
    return leaves


def _label(tree, node, labels):
    """Return rows, and at leaves the majority class with its share."""
    rows = f"{tree.n_rows[node]:,}"
    if not tree.is_leaf[node]:
        return rows
    value = tree.value[node]
    return f"{labels[value.argmax()]}\n{value.max() / value.sum():.0%} of {rows}"
