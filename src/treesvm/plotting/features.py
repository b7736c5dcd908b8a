"""Pictures of what features do: importances of a model, and the parts of one answer."""

from typing import Any

import numpy as np

from treesvm.inputs.array_types import MatrixLike
from treesvm.plotting.matplotlib_axes import axes_or_new

_TOWARDS, _AGAINST, _REST = "tab:blue", "tab:orange", "0.7"


def importances(model: Any, *, n_most: int = 15, ax: Any = None) -> Any:
    """Draw the features that a model looks at most, as bars.

    Parameters
    ----------
    model : fitted estimator with `feature_importances_`
        `TreeSVC`, `TreeSVR`, `DTSVMClassifier`, `DTSVRegressor`.
    n_most : int, default=15
        Bars; what the other features add up to is one more.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from treesvm import DTSVMClassifier, plotting
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> ax = plotting.importances(DTSVMClassifier().fit(X, y), n_most=5)
    >>> len(ax.patches)
    6
    """
    values = np.asarray(model.feature_importances_)
    order = np.argsort(-values, kind="stable")
    labels, sizes = _leading(values, order, n_most, _names(model, len(values)))
    ax = _bars(ax, labels, sizes, [_TOWARDS] * min(n_most, len(values)))
    ax.set_xlabel("importance, sums to one")
    return ax


def explanation(
    model: Any,
    x: MatrixLike,
    *,
    target: Any = None,
    n_most: int = 10,
    ax: Any = None,
) -> Any:
    """Draw what each feature of one row adds to the machine's value: Shapley values.

    Parameters
    ----------
    model : fitted estimator with `explain`
    x : data frame, array or sparse matrix of one row
    target : label, optional
        With more than two classes, the class whose value is explained; by default the
        one that `predict` says.
    n_most : int, default=10
        Bars; what the other features add up to is one more.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from treesvm import DTSVMClassifier, plotting
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = DTSVMClassifier().fit(X, y)
    >>> ax = plotting.explanation(model, X[:1], n_most=5)
    >>> ax.get_xlabel()
    'adds to the value of class 0'
    """
    told = np.asarray(model.explain(x))
    if len(told) != 1:
        raise ValueError(
            f"x has {len(told)} rows; a picture explains one: give x[i : i + 1]."
        )
    values, text = told[0], "adds to the value"
    if values.ndim == 2:
        label = model.predict(x)[0] if target is None else target
        place = np.flatnonzero(np.asarray(model.classes_) == label)
        if len(place) == 0:
            raise ValueError(f"target={target!r} is no class of the model.")
        values, text = values[:, place[0]], f"{text} of class {label}"
    elif hasattr(model, "classes_"):
        text = f"{text} for class {model.classes_[1]}"
    order = np.argsort(-np.abs(values), kind="stable")
    labels, sizes = _leading(values, order, n_most, _names(model, len(values)))
    kept = sizes[: min(n_most, len(values))]
    colours = [_TOWARDS if size > 0 else _AGAINST for size in kept]
    ax = _bars(ax, labels, sizes, colours)
    ax.axvline(0.0, color="0.3", linewidth=0.8)
    ax.set_xlabel(text)
    return ax


def _names(model, n_features):
    """Return the names of features, or their numbers."""
    numbers = [f"feature {j}" for j in range(n_features)]
    return [str(name) for name in getattr(model, "feature_names_in_", numbers)]


def _leading(values, order, n_most, names):
    """Return labels and sizes of the first bars, and of all others together."""
    labels = [names[j] for j in order[:n_most]]
    sizes = values[order[:n_most]].tolist()
    if len(order) > n_most:
        labels.append(f"{len(order) - n_most} others")
        sizes.append(float(values[order[n_most:]].sum()))
    return labels, sizes


def _bars(ax, labels, sizes, colours):
    """Draw horizontal bars, the first one on top; a bar of the rest is grey."""
    height = 1.2 + 0.3 * len(labels)
    ax = axes_or_new(ax, figsize=(7, height), layout="constrained")
    places = np.arange(len(labels))
    rest = [_REST] * (len(labels) - len(colours))
    ax.barh(places, sizes, color=[*colours, *rest])
    ax.set_yticks(places, labels)
    ax.invert_yaxis()
    return ax
