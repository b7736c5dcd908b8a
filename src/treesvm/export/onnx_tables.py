"""Inputs of the ONNX model, and tables as a `ColumnEncoder` encodes them."""

import numpy as np

_NO_NAMES = ("", "label", "probabilities", "scores", "variable")


def encoded_rows(g, plan):
    """Return the inputs [(name, dtype, shape)] and the rows (float64) made of them.

    A matrix is one input, a table one for each column.
    """
    spec = {"kind": "plain"} if plan.encoder is None else plan.encoder.spec
    if spec["kind"] == "columns":
        inputs, blocks = _columns(g, spec["columns"])
    else:
        width = spec.get("n_features", plan.n_features)
        inputs = [("X", np.float32, [None, width])]
        blocks = _matrix(g, g.cast("X", np.float64), spec)
    rows = g.Concat(*blocks, axis=1)
    if plan.encoder is None:
        return inputs, rows
    shift, factor = (g.constant(spec[name], np.float64) for name in ("shift", "factor"))
    return inputs, g.Mul(g.Sub(rows, shift), factor)


def _matrix(g, x, spec):
    if spec.get("fill") is None:
        return [x]
    lacking = g.IsNaN(x)
    blocks = [g.Where(lacking, g.constant(spec["fill"], np.float64), x)]
    if spec.get("indicators"):
        chosen = g.Gather(lacking, g.ints(*spec["indicators"]), axis=1)
        blocks.append(g.cast(chosen, np.float64))
    return blocks


def _columns(g, columns):
    inputs, blocks = [], []
    for column in columns:
        if column["name"] in _NO_NAMES:
            raise ValueError(
                f"column {column['name']!r} cannot be an input of an ONNX model, where "
                "outputs are called so or names are not empty; rename it and fit again."
            )
        is_number = column["kind"] == "number"
        dtype = np.float32 if is_number else np.str_
        inputs.append((column["name"], dtype, [None, 1]))
        made = _number(g, column) if is_number else [_category(g, column)]
        blocks.extend(made)
    return inputs, blocks


def _number(g, column):
    x = g.cast(column["name"], np.float64)
    indicators = [0] * bool(column.get("indicator"))
    fill = None if column["fill"] is None else [column["fill"]]
    return _matrix(g, x, {"fill": fill, "indicators": indicators})


def _category(g, column):
    """Text to its numbers; an empty text is a missing value, unless it is a category.

    What `predict` refuses (missing or new categories, where the model was told to) is
    encoded as a category that training did not have: a graph has no errors.
    """
    categories = column["categories"]
    place = {category: code for code, category in enumerate(categories)}
    unseen, missing = len(categories), len(categories) + 1
    place.setdefault("", place.get(column["fill"], missing))
    codes = g.LabelEncoder(
        column["name"],
        keys_strings=list(place),
        values_int64s=list(place.values()),
        default_int64=unseen,
    )
    rows = g.constant(_coding_rows(column), np.float64)
    return g.Gather(rows, g.Squeeze(codes, g.ints(1)))


def _coding_rows(column):
    """Return the numbers of every category, then of unseen and of missing ones."""
    coding = column.get("coding")
    if coding is None:
        n = len(column["categories"])
        return np.eye(n + 2, n)
    unseen = coding["unseen"]
    return np.array([*coding["rows"], unseen, coding["missing"] or unseen])
