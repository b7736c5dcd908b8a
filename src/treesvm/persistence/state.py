"""The fitted state of a model: its declared fields, written and read one by one."""

import numpy as np

from treesvm.files.failures import ModelFileError, require
from treesvm.files.json_values import field
from treesvm.persistence.fields import KINDS, Kind
from treesvm.persistence.objects import build, entry_of, write_parameters
from treesvm.persistence.plain_values import ADDED_LATER, RULES, read_plain, write_plain

_MOST = 20  # members of a committee
_INSIDE = "inside."  # before the names of the arrays of an estimator inside another


def write_model(model, arrays):
    """Put the arrays of a fitted model into `arrays`; return its description."""
    fields = entry_of(model).fields
    return {
        "class": type(model).__name__,
        "state": {name: _kind(name).write(model, arrays) for name in fields},
        "parameters": write_parameters(model),
    }


def read_model(description, arrays):
    """Return the fitted model of a description after checking all of it."""
    name = field(description, "class", str)
    model = build(name, field(description, "parameters", dict))
    fields, state = entry_of(model).fields, field(description, "state", dict)
    state = dict.fromkeys(ADDED_LATER.intersection(fields)) | state
    for unknown in state.keys() ^ set(fields):
        raise ModelFileError(f"its header lacks {unknown!r:.50}, or has no use for it")
    handed = {}
    for name in fields:
        for key, value in _kind(name).read(state[name], arrays, model).items():
            if key.endswith("_"):
                setattr(model, key, value)
            else:
                handed[key] = value
    if hasattr(model, "restore_fitted"):
        try:
            model.restore_fitted(**handed)
        except ValueError as error:
            raise ModelFileError(str(error)) from error
    return model


def _kind(name):
    """Return how a field is written and read."""
    if name in RULES:
        return Kind(
            lambda model, arrays: write_plain(name, model),
            lambda section, arrays, model: read_plain(name, section),
        )
    return _NESTED.get(name) or KINDS[name]


def _nested(attribute):
    """A fitted estimator inside another, with fields of its own."""

    def write(model, arrays):
        return _write_inside(model, getattr(model, attribute), _INSIDE, arrays)

    def read(section, arrays, model):
        return {attribute: _read_inside(model, section, arrays.within(_INSIDE))}

    return Kind(write, read)


def _write_members(model, arrays):
    """Fitted estimators that answer together."""
    return {
        str(k): _write_inside(model, member, _member_prefix(k), arrays)
        for k, member in enumerate(model.members_)
    }


def _member_prefix(k):
    return f"member{k}."


def _read_members(section, arrays, model):
    has_members = isinstance(section, dict) and 0 < len(section) <= _MOST
    require(has_members, "it has no members")
    members = []
    for k in range(len(section)):
        own = field(section, str(k), dict)
        members.append(_read_inside(model, own, arrays.within(_member_prefix(k))))
    for member in members:
        is_one = len(getattr(member, "decompositions_", ())) == 1
        require(is_one, "a member is not one decomposition")
    return {"members_": members}


def _write_inside(model, inner, prefix, arrays):
    own, name = {}, type(model).__name__
    if type(inner) is type(model):
        raise ValueError(
            f"a {name} inside a {name} cannot be kept in a model file; save the "
            "one inside."
        )
    section = write_model(inner, own)
    arrays |= {prefix + key: array for key, array in own.items()}
    return section


def _read_inside(model, section, arrays):
    name = field(section, "class", str)
    require(name != type(model).__name__, "it holds itself")
    inner = read_model(section, arrays)
    n_features, classes = _wanted_inside(model)
    require(
        inner.n_features_in_ == n_features
        and np.array_equal(getattr(inner, "classes_", None), classes),
        "the estimator inside has other features or classes",
    )
    return inner


def _wanted_inside(model):
    """Number of features and classes of the estimator inside a model.

    Behind an encoder these are the encoded features, and codes of the classes.
    """
    classes = getattr(model, "classes_", None)
    if not hasattr(model, "encoder_"):
        return model.n_features_in_, classes
    codes = None if classes is None else np.arange(len(classes))
    return model.encoder_.n_features, codes


_NESTED = {
    "members_": Kind(_write_members, _read_members),
    **{name: _nested(name) for name in ("estimator_", "best_estimator_")},
}
