"""Selectors as parameters: their class by a name of this table, and their parameters.

{"selector": "TRSD", "parameters": {"share": 0.1, ...}}
"""

from treesvm.candidates import CBD, CVS, FLD, TRSD, CleanSpread, RandomRows
from treesvm.files.failures import ModelFileError, require

SELECTORS = {
    cls.__name__: cls for cls in (CBD, CVS, FLD, TRSD, CleanSpread, RandomRows)
}
KEYS = {"selector", "parameters"}


def is_selector(value):
    """Whether a value is a selector of exactly a class of the table."""
    return type(value) in SELECTORS.values()


def encoded_selector(selector, encode):
    """Return the JSON form; a TypeError names a parameter that has none."""
    encoded = {}
    for name, value in selector.get_params(deep=False).items():
        try:
            encoded[name] = encode(value)
        except TypeError as error:
            raise TypeError(f"a selector whose {name} is {error}") from error
    return {"selector": type(selector).__name__, "parameters": encoded}


def decoded_selector(node, decode, depth):
    """Return the selector of a JSON form, with checked parameters."""
    name, parameters = node["selector"], node["parameters"]
    require(
        isinstance(name, str) and name in SELECTORS,
        f"it holds the unknown selector {name!r:.60}",
    )
    require(isinstance(parameters, dict), "a selector in its header is bad")
    known = SELECTORS[name]().get_params(deep=False).keys()
    unknown = parameters.keys() - known
    require(not unknown, f"{name} has no parameter {min(unknown, default='')!r:.60}")
    values = {key: decode(value, depth + 1) for key, value in parameters.items()}
    try:
        selector = SELECTORS[name](**values)
        selector.check_parameters()
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"its selector is not possible: {error}") from error
    return selector
