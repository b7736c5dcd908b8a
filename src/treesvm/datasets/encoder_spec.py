"""The JSON form of a `ColumnEncoder`, checked before use: it may come from a stranger.

{"kind": "columns", "columns": [column, ...], ...rules}
{"kind": "matrix", "n_features": int, "storage": "dense" | "sparse",
 "fill": [number, ...] | null, "indicators": [int, ...], ...rules}

column: {"name": str, "kind": "number", "fill": number | null, "indicator": bool}
        {"name": str, "kind": "text", "categories": [str, ...], "fill": str | null,
         "coding": coding}
coding: {"kind": ..., "features": [str, ...], "rows": [[number, ...], ...],
         "missing": [number, ...] | null, "unseen": [number, ...]}, one row for each
         category, one number for each feature; see `category_codings`
rules:  {"missing": ..., "unseen": ..., "scale": ..., "shift": [number, ...],
         "factor": [number, ...]}, one number for each encoded feature

"indicators" (features of the matrix with an indicator of missing values behind the
matrix), "indicator" and "coding" may be absent: then there are no indicators of missing
values, and every category has one indicator.
"""

import math

MISSING_RULES = ("error", "median", "most_frequent")  # those of `learn`
CODINGS = ("onehot", "means", "frequency")
UNSEEN_RULES = ("zeros", "error")
SCALES = ("minmax", "standard", "none")
_MAX_FEATURES = 2**31 - 1
_RULES = {
    "missing": (*MISSING_RULES, "indicator"),
    "unseen": UNSEEN_RULES,
    "scale": SCALES,
}


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
    fill, indicators = spec.get("fill"), spec.get("indicators", [])
    _demand(fill is None or _are_numbers(fill, width), f"fill is not {width} numbers")
    _demand(
        isinstance(indicators, list)
        and all(_is_int(place) and 0 <= place < width for place in indicators)
        and len(set(indicators)) == len(indicators),
        "indicators are not different features",
    )
    can_miss = fill is not None and spec["storage"] == "dense"
    _demand(can_miss or not indicators, "indicators have no fill")
    return width + len(indicators)


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
            has_indicator = column.get("indicator", False)
            _demand(fill is None or _is_number(fill), f"fill of {name!r} is no number")
            _demand(
                has_indicator is False or (has_indicator is True and fill is not None),
                f"the indicator of {name!r} is not true or false, or has no fill",
            )
        else:
            _check_text_column(name, fill, column)
        width += len(column_features(column))
    return width


def _check_text_column(name, fill, column):
    """Check the categories of a column, and their coding if there is one."""
    _demand(column.get("kind") == "text", f"the kind of {name!r} is unknown")
    categories = column.get("categories")
    _demand(
        _are_texts(categories)
        and len(set(categories)) == len(categories)
        and (categories or "coding" in column),
        f"the categories of {name!r} are not different texts",
    )
    _demand(fill is None or fill in categories, f"fill of {name!r} is no category")
    if "coding" not in column:
        return
    coding = column["coding"]
    _demand(isinstance(coding, dict), f"the coding of {name!r} is not an object")
    kind, features = coding.get("kind"), coding.get("features")
    is_known = isinstance(kind, str) and kind in CODINGS
    _demand(is_known, f"the coding of {name!r} is unknown")
    _demand(_are_texts(features) and features, f"{name!r} has no names of features")
    rows, missing = coding.get("rows"), coding.get("missing")
    unseen, width = coding.get("unseen"), len(features)
    _demand(
        isinstance(rows, list)
        and len(rows) == len(categories)
        and all(_are_numbers(row, width) for row in rows)
        and _are_numbers(unseen, width)
        and (missing is None or _are_numbers(missing, width)),
        f"the codes of {name!r} are not rows of {width} numbers",
    )


def column_features(column):
    """Return the names of the encoded features of a column."""
    name = column["name"]
    if column["kind"] == "number":
        return [name] + [f"{name} is missing"] * column.get("indicator", False)
    if "coding" in column:
        return column["coding"]["features"]
    return [f"{name}={category}" for category in column["categories"]]


def _demand(holds, reason):
    if not holds:
        raise ValueError(f"the preprocessing in the model is damaged: {reason}.")


def _is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value):
    return (_is_int(value) or isinstance(value, float)) and math.isfinite(value)


def _are_texts(values):
    return isinstance(values, list) and all(isinstance(v, str) for v in values)


def _are_numbers(values, n):
    if not isinstance(values, list) or len(values) != n:
        return False
    return all(map(_is_number, values))
