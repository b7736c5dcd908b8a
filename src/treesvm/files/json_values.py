"""Parameters and small reports as JSON, and back, without losing their types.

JSON has no tuples, no keys but text, no NaN and no arrays. Each of these becomes an
object with one telling key:

    {"tuple": [...]}   {"dict": [[key, value], ...]}   {"float": "nan"}
    {"array": [...], "dtype": "float64"}
    {"object": "TRSD", "parameters": {...}}

Which objects there are is said by a higher room, see `JsonValues`.
"""

import math

import numpy as np

from treesvm.files.failures import ModelFileError, require

_MAX_DEPTH = 6
_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_ARRAY_TYPES = {"float64": float, "int64": int, "bool": bool, "str": str}
_ARRAY_KINDS = {"f": "float64", "i": "int64", "u": "int64", "b": "bool", "U": "str"}
_MAX_TEXT = 64  # characters in an array, where the longest sets the size of all


class JsonValues:
    """Writes simple values as JSON and reads them again.

    Parameters
    ----------
    describe : callable, optional
        From an object that is no simple value to its name and its parameters as a dict,
        or to None if it cannot be written.
    make : callable, optional
        From a name and parameters to the object, after checking both.
    """

    def __init__(self, describe=lambda value: None, make=None):
        self._describe, self._make = describe, make

    def encode(self, value):
        """Return the JSON form of a value; a TypeError names any unknown type."""
        value = value.item() if isinstance(value, np.generic) else value
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return _checked_text(value)
        if isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                raise TypeError(f"the number {value} beyond 64 bits")
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, list):
            return [self.encode(item) for item in value]
        if isinstance(value, tuple):
            return {"tuple": [self.encode(item) for item in value]}
        if isinstance(value, dict):
            pairs = [[self.encode(k), self.encode(v)] for k, v in value.items()]
            return {"dict": pairs}
        if isinstance(value, np.ndarray) and value.ndim == 1:
            return self._encoded_array(value)
        return self._encoded_object(value)

    def _encoded_array(self, value):
        """An array of numbers, flags or short texts; numbers become 64 bits."""
        if value.dtype.kind not in _ARRAY_KINDS:
            raise TypeError(f"an array of {value.dtype}")
        items = [self.encode(item) for item in value.tolist()]
        return {"array": items, "dtype": _ARRAY_KINDS[value.dtype.kind]}

    def _encoded_object(self, value):
        described = self._describe(value)
        if described is None:
            raise TypeError(f"a value of type {type(value).__name__}")
        name, parameters = described
        encoded = {}
        for key, parameter in parameters.items():
            try:
                encoded[key] = self.encode(parameter)
            except TypeError as error:
                raise TypeError(f"a {name} whose {key} is {error}") from error
        return {"object": name, "parameters": encoded}

    def decode(self, node, depth=0):
        """Return the value of a JSON form; anything unexpected is a ModelFileError."""
        require(depth <= _MAX_DEPTH, "values in its header are nested too deeply")
        if node is None or isinstance(node, (bool, str)):
            return node
        if isinstance(node, int):
            in_range = -(2**63) <= node < 2**63
            require(in_range, "a number in its header is beyond 64 bits")
            return node
        if isinstance(node, float):
            require(math.isfinite(node), "a number in its header is infinite")
            return node
        if isinstance(node, list):
            return [self.decode(item, depth + 1) for item in node]
        if node.keys() == {"tuple"} and isinstance(node["tuple"], list):
            return tuple(self.decode(item, depth + 1) for item in node["tuple"])
        if node.keys() == {"dict"} and isinstance(node["dict"], list):
            return dict(self._decoded_pair(pair, depth + 1) for pair in node["dict"])
        if node.keys() == {"float"} and isinstance(node["float"], str):
            require(node["float"] in _SPECIAL, "a number in its header is unknown")
            return _SPECIAL[node["float"]]
        if node.keys() == {"array", "dtype"}:
            return self._decoded_array(node["array"], node["dtype"], depth)
        if node.keys() == {"object", "parameters"} and self._make is not None:
            return self._decoded_object(node, depth)
        raise ModelFileError(f"its header holds an unknown value {list(node)[:3]}")

    def _decoded_pair(self, pair, depth):
        is_pair = isinstance(pair, list) and len(pair) == 2
        require(is_pair, "a table in its header is bad")
        key = self.decode(pair[0], depth)
        is_simple = isinstance(key, (str, int, float, bool))
        require(is_simple, "a key in its header is no simple one")
        return key, self.decode(pair[1], depth)

    def _decoded_array(self, items, name, depth):
        require(
            isinstance(items, list) and isinstance(name, str) and name in _ARRAY_TYPES,
            "an array in its header is bad",
        )
        values = [self.decode(item, depth + 1) for item in items]
        require(
            all(type(value) is _ARRAY_TYPES[name] for value in values),
            f"an array of {name} in its header holds something else",
        )
        is_short = name != "str" or max(map(len, values), default=0) <= _MAX_TEXT
        require(is_short, "an array in its header holds a long text")
        return np.array(values, dtype=name)

    def _decoded_object(self, node, depth):
        name, parameters = node["object"], node["parameters"]
        is_described = isinstance(name, str) and isinstance(parameters, dict)
        require(is_described, "an object in its header is described badly")
        values = {k: self.decode(v, depth + 1) for k, v in parameters.items()}
        return self._make(name, values)


def _checked_text(value):
    try:
        value.encode("utf8")
    except UnicodeEncodeError as error:
        raise TypeError(f"the text {value!r} with invalid characters") from error
    return value


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


def real_number(section, name, *, above=-math.inf):
    """Return a finite number of a JSON object as a float."""
    value = float(field(section, name, (int, float)))
    fits = math.isfinite(value) and value > above
    require(fits, f"{name}={value} in its header is out of range")
    return value
