"""Parameters and small reports as JSON, and back, without losing their types.

JSON has no tuples, no keys but text, no NaN and no arrays. Each of these becomes an
object with one telling key:

    {"tuple": [...]}   {"dict": [[key, value], ...]}   {"float": "nan"}
    {"array": [...], "dtype": "float64"}
    {"selector": "TRSD", "parameters": {...}}
"""

import math

import numpy as np

from treesvm.files.failures import ModelFileError, require
from treesvm.persistence.selector_values import (
    KEYS,
    decoded_selector,
    encoded_selector,
    is_selector,
)

_MAX_DEPTH = 6
_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_ARRAY_TYPES = {"float64": float, "int64": int, "bool": bool}


def encode(value):
    """Return the JSON form of a simple value; a TypeError names any other type."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _encoded_text(value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise TypeError(f"the number {value} beyond 64 bits")
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [encode(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[encode(k), encode(v)] for k, v in value.items()]}
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return _encoded_array(value)
    if is_selector(value):
        return encoded_selector(value, encode)
    raise TypeError(f"a value of type {type(value).__name__}")


def _encoded_text(value):
    try:
        value.encode("utf8")
    except UnicodeEncodeError as error:
        raise TypeError(f"the text {value!r} with invalid characters") from error
    return value


def _encoded_array(value):
    """An array of numbers or flags; all widths become 64 bits."""
    names = {"f": "float64", "i": "int64", "u": "int64", "b": "bool"}
    if value.dtype.kind not in names:
        raise TypeError(f"an array of {value.dtype}")
    items = [encode(item) for item in value.tolist()]
    return {"array": items, "dtype": names[value.dtype.kind]}


def decode(node, depth=0):
    """Return the value of a JSON form; anything unexpected is a `ModelFileError`."""
    require(depth <= _MAX_DEPTH, "values in its header are nested too deeply")
    if node is None or isinstance(node, (bool, str)):
        return node
    if isinstance(node, int):
        require(-(2**63) <= node < 2**63, "a number in its header is beyond 64 bits")
        return node
    if isinstance(node, float):
        require(math.isfinite(node), "a number in its header is infinite")
        return node
    if isinstance(node, list):
        return [decode(item, depth + 1) for item in node]
    if node.keys() == {"tuple"} and isinstance(node["tuple"], list):
        return tuple(decode(item, depth + 1) for item in node["tuple"])
    if node.keys() == {"dict"} and isinstance(node["dict"], list):
        return dict(_decoded_pair(pair, depth + 1) for pair in node["dict"])
    if node.keys() == {"float"} and isinstance(node["float"], str):
        require(node["float"] in _SPECIAL, "a number in its header is unknown")
        return _SPECIAL[node["float"]]
    if node.keys() == {"array", "dtype"}:
        return _decoded_array(node["array"], node["dtype"], depth)
    if node.keys() == KEYS:
        return decoded_selector(node, decode, depth)
    raise ModelFileError(f"its header holds an unknown value {list(node)[:3]}")


def _decoded_pair(pair, depth):
    require(isinstance(pair, list) and len(pair) == 2, "a table in its header is bad")
    key = decode(pair[0], depth)
    require(
        isinstance(key, (str, int, float, bool)), "a key in its header is no simple one"
    )
    return key, decode(pair[1], depth)


def _decoded_array(items, name, depth):
    require(
        isinstance(items, list) and isinstance(name, str) and name in _ARRAY_TYPES,
        "an array in its header is bad",
    )
    values = [decode(item, depth + 1) for item in items]
    wanted = _ARRAY_TYPES[name]
    require(
        all(type(value) is wanted for value in values),
        f"an array of {name} in its header holds something else",
    )
    return np.array(values, dtype=name)


def field(section, name, kinds):
    """Return ``section[name]`` of a JSON object, if its type is among `kinds`."""
    require(isinstance(section, dict), f"its header lacks a section with {name!r}")
    require(name in section, f"its header lacks {name!r}")
    value = section[name]
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    require(type(value) in kinds, f"{name!r} in its header is {value!r:.50}")
    return value


def whole_number(section, name, low, high):
    """Return an integer of a JSON object within bounds."""
    value = field(section, name, int)
    require(low <= value <= high, f"{name}={value} in its header is out of range")
    return value


def real_number(section, name, *, above=-math.inf, most=math.inf):
    """Return a finite number of a JSON object as a float."""
    value = float(field(section, name, (int, float)))
    fits = math.isfinite(value) and above < value <= most
    require(fits, f"{name}={value} in its header is out of range")
    return value
