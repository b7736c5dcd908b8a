"""Objects that a file may describe by name and parameters: estimators and their parts.

A name is looked up in these tables and nowhere else: nothing outside of them is ever
imported or made because of what a file says.
"""

import importlib

from treesvm import candidates
from treesvm.estimator_table import ESTIMATORS, WRAPPERS
from treesvm.files.failures import ModelFileError, require
from treesvm.files.json_values import JsonValues
from treesvm.partitions.choice import PARTITIONS

_SELECTORS = [getattr(candidates, name) for name in candidates.__all__]
_PARTS = {cls.__name__: cls for cls in (*_SELECTORS, *PARTITIONS.values())}
# Parameters that name places on a disk. They belong to the machine that trained, and a
# stranger's file would choose where the fit of a clone writes and deletes.
_PLACES = {"checkpoint"}


def entry_of(model):
    """Return the table's entry for exactly the class of `model`."""
    name = type(model).__name__
    if not _is_estimator(model):
        raise ValueError(
            f"{name} cannot be kept in a model file; save one of "
            f"{', '.join(sorted(ESTIMATORS | WRAPPERS))} (of a pipeline or search, the "
            "fitted estimator inside)."
        )
    return ESTIMATORS[name]


def _is_estimator(value):
    entry = ESTIMATORS.get(type(value).__name__)
    return entry is not None and entry.module == type(value).__module__


def is_wrapper(model):
    """Whether `model` is of exactly a class of the wrappers."""
    return WRAPPERS.get(type(model).__name__) == type(model).__module__


def wrapper_class(name):
    """Return a class of the wrappers by its name."""
    require(name in WRAPPERS, f"it holds the unknown class {name!r:.60}")
    return getattr(importlib.import_module(WRAPPERS[name]), name)


def write_parameters(model):
    """Return the constructor's parameters as JSON, without those that are unsaved."""
    encoded = {}
    for name, value in _saved_parameters(model).items():
        try:
            encoded[name] = VALUES.encode(value)
        except TypeError as error:
            raise ValueError(
                f"{name} is {error}, which a model file cannot hold because nothing in "
                f"it is ever executed; use set_params({name}=...) with a number, a "
                "text, a list or None. (What only training uses may be changed "
                "without harm once the model is fitted.)"
            ) from error
    return encoded


def _saved_parameters(model):
    unsaved = _PLACES.union(entry_of(model).unsaved)
    every = model.get_params(deep=False)
    return {name: value for name, value in every.items() if name not in unsaved}


def build(name, parameters):
    """Return an unfitted estimator of the table from its parameters as JSON."""
    require(name in ESTIMATORS, f"it holds the unknown class {name!r:.60}")
    return _make(name, {key: VALUES.decode(node) for key, node in parameters.items()})


def _describe(value):
    """Name and parameters of an object of the tables, None for any other."""
    name = type(value).__name__
    if _is_estimator(value):
        return name, _saved_parameters(value)
    is_part = type(value) is _PARTS.get(name)
    return (name, value.get_params(deep=False)) if is_part else None


def _class_of(name):
    """Look a name up in the tables; only what is found there is imported."""
    if name in ESTIMATORS:
        return getattr(importlib.import_module(ESTIMATORS[name].module), name)
    require(name in _PARTS, f"it holds the unknown object {name!r:.60}")
    return _PARTS[name]


def parameter_names(name):
    """The names of the parameters of a class of the tables."""
    return set(_class_of(name)().get_params(deep=False))


def _make(name, parameters):
    """Return an object of the tables after checking its parameters."""
    cls = _class_of(name)
    unknown = parameters.keys() - parameter_names(name)
    require(not unknown, f"{name} has no parameter {min(unknown, default='')!r:.60}")
    places = parameters.keys() & _PLACES
    require(not places, f"it sets {min(places, default='')!r}, a place on your disk")
    made = cls(**parameters)
    try:
        if not isinstance(getattr(made, "kernel", "rbf"), str):
            raise ValueError("kernel must be a name")
        made.check_parameters()
    except (TypeError, ValueError) as error:  # a list where a number belongs, and such
        raise ModelFileError(f"its parameters are not possible: {error}") from error
    return made


VALUES = JsonValues(_describe, _make)
