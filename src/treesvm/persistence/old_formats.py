"""Files of earlier formats, brought into the present layout before they are read.

What a file says is checked by the readers of the present format; here it is only moved
to its place. A new format adds a step to `STEPS`, and the steps before it stay.

Format 1 had a state class for each estimator: one gamma for all machines, partitions
without tags, reported values in groups, the rows of a Gram matrix by a detour.
"""

import numpy as np

from treesvm.estimator_table import ESTIMATORS
from treesvm.files.failures import require
from treesvm.files.json_values import field, real_number
from treesvm.persistence.plain_values import RULES

_MAX_TREES = 10**6
# Parameters of earlier versions that only training knew.
_RETIRED = {"border_share"}


def upgraded(header, arrays, number):
    """Return header and arrays of a file of format `number` in the present layout."""
    for format_number, step in STEPS.items():
        if format_number >= number:
            header, arrays = step(header, dict(arrays))
    return header, arrays


def _from_1_to_2(header, arrays):
    """One layout of fields for all estimators."""
    model, arrays = _model_of_1(header, arrays)
    return header | model, arrays


def _model_of_1(description, arrays):
    """Return the description of a model and its arrays in the layout of format 2."""
    name, old = field(description, "class", str), field(description, "state", dict)
    require(name in ESTIMATORS, f"it holds the unknown class {name!r:.60}")
    fields = ESTIMATORS[name].fields
    parameters = _parameters_of_1(field(description, "parameters", dict))
    state = dict.fromkeys(fields)
    for key, section in old.items():
        if key in ("features", "classes"):
            state[key] = section
        elif key in ("reports", "losses"):
            state |= {} if section is None else field(old, key, dict)
        elif key == "scale":
            state["probability_scale_"] = section
        elif f"{key}_" in RULES:
            state[f"{key}_"] = section
    if "estimator_" in fields:
        state["estimator_"], parameters["estimator"], arrays = _estimator_of_1(
            field(old, "machine", dict), arrays
        )
    elif "machine" in fields:
        state["machine"] = _machines_of_1(old.get("machine"), arrays)
        if "kept_rows" in arrays:
            _name_rows_of_the_gram_matrix(arrays)
    elif "basis" in fields:
        state["basis"] = _machines_of_1(old, arrays)
    elif "kernel_leaves" in fields:
        state["kernel_leaves"] = _machines_of_1(old.get("parts"), arrays)
    for key in {"members", "compressed_members"} & set(fields):
        state[key] = _members_of_1(old, arrays)
    return {"class": name, "parameters": parameters, "state": state}, arrays


def _parameters_of_1(parameters):
    """Drop retired parameters; selectors were the only objects among them."""
    kept = {k: v for k, v in parameters.items() if k not in _RETIRED}
    for key, value in kept.items():
        if isinstance(value, dict) and value.keys() == {"selector", "parameters"}:
            kept[key] = {
                "object": value["selector"],
                "parameters": value["parameters"],
            }
    return kept


def _machines_of_1(section, arrays):
    """Give each machine the gamma that they shared; name the kind of scaling."""
    if section is None:
        return None
    kernel = dict(field(section, "kernel", dict))
    gamma = real_number(kernel, "gamma", above=0.0)
    del kernel["gamma"]
    counted = [n for n in ("machines.sizes", "compressed.sizes") if n in arrays]
    n_machines = _length(arrays, counted[0]) if counted else 1
    arrays["kernels.gamma"] = np.full(n_machines, gamma)
    kept = {key: section[key] for key in ("layout", "vectors") if key in section}
    is_scaled = section.get("is_scaled") is True
    return kept | {"kernel": kernel, "scaling": "minmax" if is_scaled else None}


def _length(arrays, name):
    require(name in arrays and arrays[name].ndim > 0, f"array {name!r} is missing")
    return len(arrays[name])


def _members_of_1(old, arrays):
    """Tag the partitions; the parts of a regressor were machines only."""
    if "partitions" in old:
        listed = field(old, "partitions", list)
        tags = [["random", *pair] for pair in listed if isinstance(pair, list)]
    elif old.get("is_whole") is True:
        tags = [["whole"]]
    else:
        n_trees = _length(arrays, "trees.sizes")
        require(n_trees <= _MAX_TREES, f"it has {n_trees} trees")
        tags = [["tree"]] * n_trees
    held = [old[key] for key in ("parts", "machines", "compressed") if key in old]
    require(len(held) == 1, "its header lacks its machines")
    if "machines" in old:
        _add_parts_of_regressors(arrays)
    return {"partitions": tags, "machines": _machines_of_1(held[0], arrays)}


def _add_parts_of_regressors(arrays):
    n_parts, sizes = _length(arrays, "machines.sizes"), arrays["machines.sizes"]
    require(sizes.shape == (n_parts, 4), "its machines have no sizes")
    arrays |= {
        "parts.code": np.zeros(n_parts, "i4"),
        "parts.n_rows": sizes[:, 3],
        "parts.n_classes": np.ones(n_parts, "i4"),
        "parts.seconds": np.zeros(n_parts),
        "parts.has_machine": np.ones(n_parts, bool),
    }


def _name_rows_of_the_gram_matrix(arrays):
    """Number support vectors by rows of the matrix, not by those of positive weight."""
    rows = arrays.pop("kept_rows")
    support, sizes = arrays.get("machines.support"), arrays.get("machines.sizes")
    require(
        support is not None
        and sizes is not None
        and rows.ndim == support.ndim == 1
        and rows.dtype == support.dtype == sizes.dtype == np.int64
        and sizes.shape == (1, 4)
        and support.min(initial=0) >= 0
        and support.max(initial=-1) < len(rows),
        "a support vector is beyond the training rows",
    )
    arrays["machines.support"] = rows[support]
    arrays["machines.sizes"] = np.maximum(sizes, [0, 0, 0, rows.max(initial=0) + 1])


def _estimator_of_1(section, arrays):
    """Return the estimator inside, the parameter it was made from, and all arrays."""
    mark = "candidate."
    own = {k.removeprefix(mark): a for k, a in arrays.items() if k.startswith(mark)}
    require("rows" in own, f"array '{mark}rows' is missing")
    own["sample_indices"] = own.pop("rows")
    inside = {k: a for k, a in arrays.items() if not k.startswith(mark)}
    model, inside = _model_of_1(section, inside)
    given = field(section, "given", (dict, type(None)))
    if given is not None:
        given = {"object": model["class"], "parameters": _parameters_of_1(given)}
    return model, given, own | {f"inside.{k}": a for k, a in inside.items()}


STEPS = {1: _from_1_to_2}
