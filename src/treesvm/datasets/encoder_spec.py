"""The JSON form of a `ColumnEncoder`, checked before use: it may come from a stranger.

{"kind": "columns", "columns": [column, ...], ...rules}
{"kind": "matrix", "n_features": int, "storage": "dense" | "sparse",
 "fill": [number, ...] | null, ...rules}

column: {"name": str, "kind": "number", "fill": number | null}
        {"name": str, "kind": "text", "categories": [str, ...], "fill": str | null}
rules:  {"missing": ..., "unseen": ..., "scale": ..., "shift": [number, ...],
         "factor": [number, ...]}, one number for each encoded feature
"""

import math

MISSING_RULES = ("error", "median", "most_frequent")
UNSEEN_RULES = ("zeros", "error")
SCALES = ("minmax", "standard", "none")
_MAX_FEATURES = 2**31 - 1
_RULES = {"missing": MISSING_RULES, "unseen": UNSEEN_RULES, "scale": SCALES}


def checked_spec(spec):
    """Return the spec, or raise a ValueError that says what is wrong with it."""
    _demand(isinstance(spec, dict), "it is not an object")
    for name, allowed in _RULES.items():
        value = spec.get(name)
        _demand(
            isinstance(value, str) and value in allowed,
            f"{name}={value!r} is not possible; use one of {', '.join(allowed)}",
        )
    kind = spec.get("kind")
    if kind == "matrix":
        width = _checked_matrix(spec)
    elif kind == "columns":
        width = _checked_columns(spec)
    else:
        raise ValueError(f"the preprocessing has the unknown kind {kind!r}.")
    for name in ("shift", "factor"):
        _demand(_are_numbers(spec.get(name), width), f"{name} is not {width} numbers")
    return spec


def _checked_matrix(spec):
    """Check a matrix; return its width."""
    width = spec.get("n_features")
    _demand(_is_int(width) and 0 < width <= _MAX_FEATURES, "n_features is no width")
    _demand(spec.get("storage") in ("dense", "sparse"), "storage is unknown")
    fill = spec.get("fill")
    _demand(fill is None or _are_numbers(fill, width), f"fill is not {width} numbers")
    return width


def _checked_columns(spec):
    """Check named columns; return the number of features they become."""
    columns = spec.get("columns")
    _demand(isinstance(columns, list) and len(columns) > 0, "columns is no list")
    names, width = set(), 0
    for column in columns:
        _demand(isinstance(column, dict), "a column is not an object")
        name, fill = column.get("name"), column.get("fill")
        _demand(isinstance(name, str) and name not in names, "a name is no new text")
        names.add(name)
        if column.get("kind") == "number":
            _demand(fill is None or _is_number(fill), f"fill of {name!r} is no number")
            width += 1
            continue
        _demand(column.get("kind") == "text", f"the kind of {name!r} is unknown")
        categories = column.get("categories")
        is_list = isinstance(categories, list) and len(categories) > 0
        _demand(
            is_list
            and all(isinstance(c, str) for c in categories)
            and len(set(categories)) == len(categories),
            f"the categories of {name!r} are not different texts",
        )
        _demand(fill is None or fill in categories, f"fill of {name!r} is no category")
        width += len(categories)
    return width


def _demand(holds, reason):
    if not holds:
        raise ValueError(f"the preprocessing in the model is damaged: {reason}.")


def _is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value):
    return (_is_int(value) or isinstance(value, float)) and math.isfinite(value)


def _are_numbers(values, n):
    if not isinstance(values, list) or len(values) != n:
        return False
    return all(map(_is_number, values))
