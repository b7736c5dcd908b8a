"""A fitted model as an ONNX model: standard operators, rows in, answers out."""

import json
from itertools import combinations
from typing import Any

import numpy as np

from treesvm import __version__
from treesvm.export.onnx_graph import Graph, checked_model
from treesvm.export.onnx_machines import member_scores
from treesvm.export.onnx_routing import leaves_of_rows
from treesvm.export.onnx_tables import encoded_rows
from treesvm.export.onnx_votes import (
    joined,
    on_top,
    side_arrays,
    stacked,
    voted_scores,
    votes,
    winner,
)
from treesvm.export.plan import plan_of
from treesvm.trees.tree_committee import node_shares


def to_onnx(model: Any) -> Any:
    """Return a fitted model as an ONNX model, checked by ONNX's own checker.

    The input is ``X`` (float32, one row for each row), or for a model of tables one
    input for each column, named as there, of shape (n_rows, 1): float32 for numbers
    (NaN where a value is missing) and text for categories (an empty text where it is
    missing). The outputs are named as skl2onnx names them: ``label`` and, where the
    model has `predict_proba`, ``probabilities``, else ``scores``, which are what
    `decision_function` returns; a regressor has ``variable``. Operators are those of
    ai.onnx (opset 18) and ai.onnx.ml (opset 3).

    Parameters
    ----------
    model : classifier, regressor or TableModel
        Fitted.

    Returns
    -------
    onnx.ModelProto

    Raises
    ------
    ValueError
        If the model cannot be exported; the message names what is in the way.

    Notes
    -----
    When not to use it: in Python `predict` and `predictor()` are faster, and they
    refuse rows that make no sense; a graph answers whatever it is given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treesvm import HLSVMClassifier
    >>> from treesvm.export import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> made = to_onnx(HLSVMClassifier(random_state=0).fit(X, y))
    >>> [output.name for output in made.graph.output]
    ['label', 'probabilities']
    """
    plan = plan_of(model)
    g = Graph(taken=plan.names)
    inputs, x = encoded_rows(g, plan)
    if plan.classes is None:
        outputs = [_numbers(g, x, plan)]
    else:
        outputs = _answers(g, x, plan)
    words = {"treesvm": __version__, "model": type(model).__name__}
    if plan.names and len(inputs) == 1:
        words["features"] = json.dumps(plan.names)
    for name, found, _, _ in outputs:
        g.name_output(found, name)
    described = [(name, dtype, shape) for name, _, dtype, shape in outputs]
    return checked_model(g, inputs, described, words)


def _numbers(g, x, plan):
    """Return the output of a regressor."""
    every = [member_scores(g, x, member)[0] for member in plan.members]
    values = _weighted(g, every, plan)
    mean, scale = map(g.constant, plan.target)
    values = g.Add(mean, g.Mul(scale, values))
    return _output(g, "variable", values, 1)


def _output(g, name, values, width):
    """Return (name, value, dtype, shape) of numbers, in single precision."""
    return name, g.cast(values, np.float32), np.float32, [None, width]


def _answers(g, x, plan):
    """Return the outputs of a classifier: the label, and what it is made of."""
    if plan.trees:
        ranks = _tree_scores(g, x, plan)
        made = _output(g, "probabilities", _shares(g, ranks), plan.n_classes)
    elif plan.calibrations:
        ranks, log_p = _calibrated(g, x, plan)
        chances = g.Softmax(log_p, axis=1)
        made = _output(g, "probabilities", chances, plan.n_classes)
    else:
        ranks, made = _member_answers(g, x, plan)
    code = g.ArgMax(ranks, axis=1, keepdims=0)
    classes = plan.classes
    classes = classes.astype(object) if classes.dtype.kind in "OU" else classes
    label = g.Gather(g.constant(classes), code)
    return [("label", label, classes.dtype, [None]), made]


def _member_answers(g, x, plan):
    """Return what the largest of decides, and the second output."""
    n_classes = plan.n_classes
    found = [member_scores(g, x, member)[0] for member in plan.members]
    scores = found[0] if plan.pair_values else joined(g, found, n_classes)
    values, width = scores, plan.members[0].n_outputs
    if plan.pair_values:
        pairs = np.array(list(combinations(range(n_classes), 2)))
        sides = side_arrays(pairs, n_classes)
        scores = voted_scores(g, values, *map(g.constant, sides.values()))
    elif n_classes == 2:
        values, width = g.Gather(scores, g.ints(1), axis=1), 1
    ranks = g.Round(scores) if plan.by_votes else scores  # the votes without the sums
    if plan.scale is None:
        return ranks, _output(g, "scores", values, width)
    chances = _softmax(g, scores, ranks, plan)
    return ranks, _output(g, "probabilities", chances, n_classes)


def _softmax(g, scores, ranks, plan):
    """Return probabilities; where votes were tied, their winner gets the largest."""
    if plan.by_votes:
        best, chosen = (winner(g, x, plan.n_classes) for x in (scores, ranks))
        top = g.ReduceMax(scores, g.ints(1))
        lead = g.Sub(top, g.ReduceSum(g.Mul(chosen, scores), g.ints(1)))
        scores = g.Add(scores, g.Mul(lead, g.Sub(chosen, best)))
    return g.Softmax(g.Mul(g.constant(plan.scale), scores), axis=1)


def _calibrated(g, x, plan):
    """Return what the largest of decides, and logarithms of probabilities."""
    said, every = [], []
    for member, tables in zip(plan.members, plan.calibrations, strict=True):
        scores, parts = member_scores(g, x, member)
        factor, shift = (g.Gather(g.constant(t, np.float64), parts) for t in tables)
        found = g.Add(g.Mul(factor, scores), shift)
        logits = g.Add(g.Mul(g.constant(plan.slope), found), g.constant(plan.base))
        said.append(scores)
        every.append(g.LogSoftmax(logits, axis=1))
    if plan.joining == "logarithms":
        total = _weighted(g, every, plan)
        return total, total
    pairs = zip(every, said, strict=True)
    every = [g.LogSoftmax(on_top(g, *own, plan.n_classes), axis=1) for own in pairs]
    # The mean but for a constant, which a softmax does not see.
    mean = g.ReduceLogSumExp(stacked(g, every), g.ints(0), keepdims=0)
    if plan.joining == "means":
        return mean, mean
    ranks = joined(g, said, plan.n_classes)
    return ranks, on_top(g, mean, ranks, plan.n_classes)


def _weighted(g, every, plan):
    """Return the sum of what members say, times their weights."""
    pairs = zip(plan.weights, every, strict=True)
    return g.Sum(*(g.Mul(g.constant(weight), values) for weight, values in pairs))


def _tree_scores(g, x, plan):
    """Return the scores of oblique trees; see `tree_committee.class_scores`."""
    leaves = leaves_of_rows(g, x, plan.trees)
    shares = np.concatenate([node_shares(tree) for tree in plan.trees])
    if len(plan.trees) == 1:
        return g.Gather(g.constant(shares), g.Squeeze(leaves, g.ints(0)))
    values = shares[:, 1] if plan.multi_class == "ovr" else shares[:, 1] - shares[:, 0]
    values = g.Transpose(g.Gather(g.constant(values), leaves), perm=[1, 0])
    if plan.multi_class == "ovr":
        return values
    n_classes = plan.n_classes
    pairs = np.array([(b, a) for a, b in combinations(range(n_classes), 2)])
    made = side_arrays(pairs, n_classes)
    sides, base = g.constant(made["sides"]), g.constant(made["base"] + 0.25)
    # Not MatMul after Transpose, see `kernel_matrix`.
    support = g.Div(g.Gemm(values, sides), g.constant(4.0 * n_classes))
    return g.Add(votes(g, values, sides, base), support)


def _shares(g, scores):
    """Return scores divided by their sum, equal shares where all are zero."""
    total = g.ReduceSum(scores, g.ints(1))
    is_some = g.Greater(total, g.constant(0.0))
    scores = g.Where(is_some, scores, g.constant(1.0))
    return g.Div(scores, g.ReduceSum(scores, g.ints(1)))
