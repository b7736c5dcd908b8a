"""What a fitted model holds and what its answers cost, as named facts."""

import textwrap
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from treesvm.datasets.frames import as_table
from treesvm.datasets.table import Table
from treesvm.datasets.table_model import TableModel
from treesvm.metrics import hyperplane_cost, support_vector_cost
from treesvm.reporting.number_text import short_number
from treesvm.trees.text import export_text

_MAX_LISTED = 12
_LINE_WIDTH = 88
_USED = ("C", "gamma", "gamma_scale", "kernel", "max_leaf_size", "alpha", "prune_share")


def model_facts(model: Any) -> dict[str, Any]:
    """Return {fact: value} about a fitted estimator or `TableModel`.

    Values are numbers, text and lists, so that they can be printed or stored as JSON.

    Parameters
    ----------
    model : estimator or TableModel
        Fitted.

    Returns
    -------
    dict

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treesvm import HLSVMClassifier
    >>> from treesvm.reporting import model_facts
    >>> model = HLSVMClassifier(random_state=0).fit(*load_iris(return_X_y=True))
    >>> len(model_facts(model)["classes"])
    3
    """
    estimator = model.estimator if isinstance(model, TableModel) else model
    check_is_fitted(estimator)
    facts: dict[str, Any] = {"model": type(estimator).__name__}
    classes = getattr(estimator, "classes_", None)
    if classes is not None:
        facts["classes"] = [str(label) for label in classes]
    facts["features"] = int(estimator.n_features_in_)
    if hasattr(model, "encoder_"):
        facts |= _preprocessing_facts(model.encoder_)
    machine = _machine_of(estimator)
    facts |= _search_facts(estimator) | _part_facts(machine)
    facts["parameters"] = _parameters(estimator)
    if machine is not estimator:
        facts[f"parameters of its {type(machine).__name__}"] = _parameters(machine)
    return facts


def _machine_of(estimator):
    """Return what answers encoded rows: the estimator, or the one inside TreeSVC."""
    is_front_door = hasattr(estimator, "encoder_")
    return estimator.best_estimator_ if is_front_door else estimator


def _search_facts(estimator):
    """Facts about the parameters that were used, where a fit chose them."""
    used = {name: getattr(estimator, f"{name}_", None) for name in _USED}
    used = {name: value for name, value in used.items() if np.isscalar(value)}
    used |= getattr(estimator, "best_theta_", {})
    if is_regressor(estimator):
        used.pop("loss", None)  # that of classifiers
    facts = {"used": {k: _simple(v) for k, v in used.items()}} if used else {}
    if not hasattr(estimator, "best_loss_"):
        return facts
    name = "mean squared error / variance" if is_regressor(estimator) else "error"
    if np.isfinite(estimator.best_loss_):  # there were enough rows for it
        facts[f"{name} on held-out rows"] = float(estimator.best_loss_)
    return facts | {"stopped by the time limit": bool(estimator.stopped_early_)}


def _preprocessing_facts(encoder):
    """Facts about what happens before the estimator."""
    spec = encoder.spec
    facts = {"scale": spec["scale"], "missing values": spec["missing"]}
    if spec["kind"] == "columns":
        columns = spec["columns"]
        facts["columns"] = [column["name"] + _levels(column) for column in columns]
        facts["unseen categories"] = spec["unseen"]
    return facts


def _levels(column):
    """Return in words how many categories a column has."""
    if column["kind"] != "text":
        return ""
    n_levels = len(column["categories"])
    if n_levels == 0:
        return " (no category twice)"
    return " (1 category)" if n_levels == 1 else f" ({n_levels:,} categories)"


def _part_facts(estimator):
    """Facts about trees and machines."""
    facts = {}
    widths = _widths(estimator)
    if widths:
        ends = dict.fromkeys(map(short_number, (min(widths), max(widths))))
        facts["gamma of the machines"] = " to ".join(ends)
    trees = getattr(estimator, "trees_", None)
    if trees:
        facts["trees"] = len(trees)
        facts["leaves"] = sum(tree.n_leaves for tree in trees)
        facts["depth"] = max(tree.depth for tree in trees)
        sizes = np.concatenate([tree.n_rows[tree.leaves()] for tree in trees])
        facts["rows in a leaf"] = f"{sizes.min():,} to {sizes.max():,}"
    if hasattr(estimator, "n_vectors_"):
        facts["vectors in all trees"] = int(estimator.n_vectors_)
    if hasattr(estimator, "basis_vectors_"):
        facts["basis vectors"] = len(estimator.basis_vectors_)
    if hasattr(estimator, "n_support_vectors_"):
        facts["support vectors"] = int(estimator.n_support_vectors_)
    elif hasattr(estimator, "support_"):
        facts["support vectors"] = len(estimator.support_)
    return facts


def _widths(estimator):
    """Return the gammas of all machines of a decomposition or of one machine."""
    parts = [p for m in getattr(estimator, "decompositions_", ()) for p in m.parts]
    machines = [part.machine for part in parts]
    machines.append(getattr(estimator, "machine_", None))
    kernels = [getattr(machine, "kernel", None) for machine in machines]
    return [kernel.gamma for kernel in kernels if hasattr(kernel, "gamma")]


def _parameters(estimator):
    """Return all parameters that can matter to the answers, as simple values."""
    every = estimator.get_params(deep=False).items()
    return {k: _simple(v) for k, v in every if k not in ("verbose", "n_jobs")}


def _simple(value):
    """Return a value that JSON can hold."""
    value = value.item() if isinstance(value, np.generic) else value
    is_simple = value is None or isinstance(value, (int, float, str))
    return value if is_simple else str(value)


def prediction_facts(model: TableModel, table: Table) -> dict[str, float]:
    """Return {fact: value}: what the rows of a table meet on average.

    Parameters
    ----------
    model : TableModel
        Fitted.
    table : Table
        Rows to be answered.

    Returns
    -------
    dict of str to float

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treesvm import HLSVMClassifier
    >>> from treesvm.datasets import Table, TableModel
    >>> from treesvm.reporting import prediction_facts
    >>> table = Table(*load_iris(return_X_y=True))
    >>> model = TableModel(HLSVMClassifier(random_state=0)).fit(table)
    >>> all(value > 0 for value in prediction_facts(model, table).values())
    True
    """
    estimator, X = _machine_of(model.estimator), model.estimator_rows(table)
    if estimator is not model.estimator:
        X = model.estimator.encoder_.transform(as_table(X))
    if hasattr(estimator, "kernel_evaluations"):
        met = float(np.mean(estimator.kernel_evaluations(X)))
        return {"kernels evaluated for a row": met}
    if hasattr(estimator, "decompositions_") or hasattr(estimator, "dual_coef_"):
        cost = support_vector_cost(estimator, X)
        return {"support vectors met by a row": cost.nesv_distinct}
    if hasattr(estimator, "hyperplanes_met"):
        cost = hyperplane_cost(estimator, X)
        return {"hyperplanes met by a row": cost.mean}
    return {}


def tree_text(model: Any, *, max_depth: int = 4) -> str:
    """Return the upper levels of a model's trees as text.

    Parameters
    ----------
    model : estimator or TableModel
        Fitted.
    max_depth : int, default=4
        Levels to show.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the model has no tree.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treesvm import HLSVMClassifier
    >>> from treesvm.reporting import tree_text
    >>> model = HLSVMClassifier(random_state=0).fit(*load_iris(return_X_y=True))
    >>> len(tree_text(model, max_depth=1).splitlines()) > 1
    True
    """
    estimator = model.estimator if isinstance(model, TableModel) else model
    trees = getattr(_machine_of(estimator), "trees_", None)
    if not trees:
        raise ValueError(
            f"this {type(estimator).__name__} has no tree to draw: one machine answers "
            "all rows."
        )
    names = model.encoder_.feature_names if hasattr(model, "encoder_") else None
    if names is None:
        names = getattr(estimator, "feature_names_in_", None)
    labels = [str(label) for label in getattr(estimator, "classes_", ())]
    texts = []
    for number, tree in enumerate(trees, 1):
        shown = tree.cut(tree.node_depth >= max_depth)
        if hasattr(model, "encoder_"):
            shown = in_user_units(shown, model.encoder_.spec)
        classes = labels if shown.value.shape[1] == len(labels) else None
        text = export_text(
            shown,
            feature_names=names,
            class_names=classes,
            decimals=_decimals(shown),
        )
        head = f"tree {number} of {len(trees)}, " if len(trees) > 1 else ""
        head += f"{tree.n_leaves:,} leaves, depth {tree.depth}"
        if tree.depth > max_depth:
            head += f" (the first {max_depth} levels; leaves below are joined)"
        texts.append(head + "\n" + text)
    return "\n".join(texts)


def in_user_units(tree, spec):
    """Return a tree whose tests are about features as they were before scaling."""
    shift, factor = (np.array(spec[name], dtype=float) for name in ("shift", "factor"))
    inner, threshold = ~tree.is_leaf, tree.threshold.copy()
    places = tree.feature[inner]
    if tree.is_oblique:
        weights = tree.weights * factor
        threshold[inner] += weights[places] @ shift
        return replace(tree, weights=weights, threshold=threshold)
    flat = factor[places] == 0.0  # nothing is tested there
    threshold[inner] = threshold[inner] / np.where(flat, 1.0, factor[places])
    threshold[inner] += shift[places]
    return replace(tree, threshold=threshold)


def _decimals(tree):
    """Return how many decimals tell thresholds and weights apart from zero."""
    sizes = np.abs(tree.threshold[~tree.is_leaf])
    if tree.is_oblique:
        sizes = np.concatenate([sizes, np.abs(tree.weights).max(axis=1)])
    least = sizes[sizes > 0.0].min(initial=1.0)
    return int(np.clip(2 - np.floor(np.log10(least)), 3, 12))


def fact_lines(facts: Mapping[str, Any]) -> str:
    """Return facts as aligned lines of text, long ones folded.

    Parameters
    ----------
    facts : dict
        Of `model_facts`.

    Returns
    -------
    str

    Examples
    --------
    >>> from treesvm.reporting import fact_lines
    >>> print(fact_lines({"rows": 15000, "searched": True, "sizes": [1.5, 2]}))
    rows      15,000
    searched  yes
    sizes     1.5, 2
    """
    width = max(len(name) for name in facts) + 2
    indent = width * " "
    lines: list[str] = []
    for name, value in facts.items():
        lines += textwrap.wrap(
            _fact_text(value),
            width + max(40, _LINE_WIDTH - width),
            initial_indent=f"{name:{width}}",
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [name]
    return "\n".join(lines)


def _fact_text(value):
    """Return a number, a text, a list or a dictionary of them for people."""
    if isinstance(value, dict):
        return ", ".join(f"{k}={_short(v)}" for k, v in value.items())
    if isinstance(value, list):
        more = f" … ({len(value):,} in all)" if len(value) > _MAX_LISTED else ""
        return ", ".join(map(str, value[:_MAX_LISTED])) + more
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return short_number(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _short(value):
    return f"{value:.4g}" if isinstance(value, float) else value
