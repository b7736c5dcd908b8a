"""Files of earlier formats, brought into the present layout before they are read.

What a file says is checked by the readers of the present format; here it is only moved
to its place. A new format adds a step to `STEPS`, and the steps before it stay.

Format 1 had a layout for each estimator: one gamma for all machines, partitions without
tags, values in groups, searches that were estimators themselves, and H-LSVM with kernel
machines in its leaves, which is a DTSVM with an oblique partition now.

Format 2 had members that voted hard, probabilities of a DTSVM by one scale, and
regressors in units of the target.
"""

from dataclasses import fields

import numpy as np

from treesvm.estimator_table import ESTIMATORS
from treesvm.files.failures import require
from treesvm.files.json_values import field, real_number
from treesvm.kernels.kernel import KERNELS
from treesvm.persistence.objects import parameter_names
from treesvm.persistence.plain_values import RULES

_MAX_TREES = 10**6
_NEW_IN_2 = ("TreeSVC", "TreeSVR", "DTSVRegressorCV")
# Parameters of earlier versions that are gone, for all classes that had them.
_RETIRED = {"border_share", "leaf"}
_AXIS = {"criterion": "entropy", "max_tree_rows": 100_000}  # now of `AxisTree`
_GAUSSIAN = {"kernel": "rbf"}  # the only one that searches and H-LSVM had
# Search -> what it finds, and which of its reports are parameters of that.
_SEARCHES = {
    "DTSVMClassifierCV": ("DTSVMClassifier", ("C", "gamma", "max_leaf_size")),
    "RDSVMClassifier": ("DTSVMClassifier", ("C", "gamma", "max_leaf_size")),
    "HLSVMClassifierCV": ("HLSVMClassifier", ("alpha",)),
}


def upgraded(header, arrays, number):
    """Return header and arrays of a file of format `number` in the present layout."""
    for format_number, step in STEPS.items():
        if format_number >= number:
            model, arrays = step(header, dict(arrays))
            header = header | model
    return header, arrays


def _from_1_to_2(description, arrays):
    """Return the description of a model and its arrays in the layout of format 2."""
    name, old = field(description, "class", str), field(description, "state", dict)
    require(name in ESTIMATORS, f"it holds the unknown class {name!r:.60}")
    require(name not in _NEW_IN_2, f"format 1 had no {name}")
    parameters = field(description, "parameters", dict)
    if parameters.get("leaf") == "kernel":
        name, parameters = "DTSVMClassifier", _oblique_partition(parameters)
        old = {key: old.get(key) for key in ("features", "classes", "parts")}
    declared = ESTIMATORS[name].fields
    state = dict.fromkeys(declared) | _plain_values(old)
    made = {"class": name, "parameters": _present_parameters(name, parameters)}
    if "best_estimator_" in declared:
        state.pop("probability_scale_", None)
        inner, arrays = _best_estimator(name, parameters, old, arrays)
        state["best_estimator_"] = inner
    elif "estimator_" in declared:
        state["estimator_"], made["parameters"]["estimator"], arrays = _estimator(
            field(old, "machine", dict), arrays
        )
    elif "machine" in declared:
        state["machine"] = _machines(old.get("machine"), arrays)
        if "kept_rows" in arrays:
            _number_rows_of_the_gram_matrix(arrays)
    elif "basis" in declared:
        state["basis"] = _machines(old, arrays)
    for key in {"members", "compressed_members"} & set(declared):
        state[key] = _members(old, arrays)
    return made | {"state": state}, arrays


def _plain_values(old):
    """Values that were in groups, or had no underscore."""
    found = {}
    for key, section in old.items():
        if key in ("features", "classes"):
            found[key] = section
        elif key in ("reports", "losses"):
            found |= {} if section is None else field(old, key, dict)
        elif key == "scale":
            found["probability_scale_"] = section
        elif f"{key}_" in RULES:
            found[f"{key}_"] = section
    return found


def _present_parameters(name, parameters):
    """Drop what is gone; selectors and partitions are objects."""
    kept = {k: v for k, v in parameters.items() if k not in _RETIRED}
    if name.startswith("HLSVM"):  # of the machines in its leaves
        kept = {k: v for k, v in kept.items() if k not in ("C", "gamma")}
    for key, value in kept.items():
        if isinstance(value, dict) and value.keys() == {"selector", "parameters"}:
            kept[key] = _object(value["selector"], value["parameters"])
    axis = {key: kept.pop(key) for key in _AXIS if key in kept}
    if any(value != _AXIS[key] for key, value in axis.items()):
        kept["partition"] = _object("AxisTree", axis)
    return kept


def _object(name, parameters):
    return {"object": name, "parameters": parameters}


def _oblique_partition(parameters):
    """Parameters of a DTSVM that cuts the space as an H-LSVM did."""
    of_tree = parameter_names("ObliqueTree")
    own = {"C", "gamma", "class_weight", "n_jobs", "random_state"}
    kept = {key: value for key, value in parameters.items() if key in own}
    tree = {key: value for key, value in parameters.items() if key in of_tree}
    return _GAUSSIAN | kept | {"partition": _object("ObliqueTree", tree)}


def _best_estimator(name, parameters, old, arrays):
    """Return what a search found as an estimator of its own, and all arrays."""
    require(name in _SEARCHES, f"format 1 had no {name}")
    inner, chosen = _SEARCHES[name]
    reports, known = field(old, "reports", dict), parameter_names(inner) | _AXIS.keys()
    own = {key: value for key, value in parameters.items() if key in known}
    own |= {key: reports.get(f"{key}_") for key in chosen}
    if inner == "DTSVMClassifier":
        own = _GAUSSIAN | own
    if name == "RDSVMClassifier":
        own["partition"] = "random"
    if reports.get("prune_share_", "cv") != "cv":
        own["prune_share"] = reports["prune_share_"]
    state = {key: section for key, section in old.items() if key != "reports"}
    model, inside = _from_1_to_2(
        {"class": inner, "parameters": own, "state": state}, dict(arrays)
    )
    labels = {k: arrays[k] for k in ("classes", "feature_names") if k in arrays}
    return model, labels | _inside(inside)


def _estimator(section, arrays):
    """Return the estimator inside, the parameter it was made from, and all arrays."""
    mark = "candidate."
    own = {k.removeprefix(mark): a for k, a in arrays.items() if k.startswith(mark)}
    require("rows" in own, f"array '{mark}rows' is missing")
    own["sample_indices"] = own.pop("rows")
    inside = {k: a for k, a in arrays.items() if not k.startswith(mark)}
    model, inside = _from_1_to_2(section, inside)
    given, name = field(section, "given", (dict, type(None))), model["class"]
    if given is not None:
        given = _object(name, _present_parameters(name, given))
    return model, given, own | _inside(inside)


def _inside(arrays):
    return {f"inside.{name}": array for name, array in arrays.items()}


def _members(old, arrays):
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
    return {"partitions": tags, "machines": _machines(held[0], arrays)}


def _machines(section, arrays):
    """Give each machine the numbers that they shared; name the kind of scaling."""
    if section is None:
        return None
    kernel = field(section, "kernel", dict)
    name = field(kernel, "name", str)
    require(name in KERNELS, f"its kernel {name!r:.50} is unknown")
    counted = [n for n in ("machines.sizes", "compressed.sizes") if n in arrays]
    n_machines = _length(arrays, counted[0]) if counted else 1
    for own in fields(KERNELS[name]):
        value = field(kernel, own.name, (own.type, int))
        require(abs(value) < 2**63, f"{own.name} of its kernel is out of range")
        arrays[f"kernels.{own.name}"] = np.full(n_machines, value, own.type)
    kept = {key: section[key] for key in ("layout", "vectors") if key in section}
    is_scaled = section.get("is_scaled") is True
    return kept | {"kernel": name, "scaling": "minmax" if is_scaled else None}


def _length(arrays, name):
    require(name in arrays and arrays[name].ndim > 0, f"array {name!r} is missing")
    return len(arrays[name])


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


def _number_rows_of_the_gram_matrix(arrays):
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


def _from_2_to_3(description, arrays):
    """Return the description in the layout of format 3, and the arrays."""
    name = field(description, "class", str)
    parameters = field(description, "parameters", dict)
    state = dict(field(description, "state", dict))
    if name in ("DTSVMClassifier", "DTSVMClassifierCV"):
        parameters = {"probability": False} | parameters | {"voting": "hard"}
    if name == "DTSVRegressor":
        parameters = {"gamma_scale": 1.0} | parameters | {"scale_target": False}
    if name == "DTSVMClassifier":
        parameters = {"gamma_scale": 1.0} | parameters
        scale = state.pop("probability_scale_", None)
        numbers = {"slope": scale, "offset": 0.0, "has_shares": False}
        state["calibration"] = None if scale is None else numbers
    for key in ("best_estimator_", "estimator_"):
        if isinstance(state.get(key), dict):
            state[key] = _from_2_to_3(state[key], arrays)[0]
    if name in ("TreeSVC", "TreeSVR"):
        arrays = _committee_of_one(name, state, arrays)
    made = {"class": name, "parameters": parameters, "state": state}
    return made, arrays


def _committee_of_one(name, state, arrays):
    """Make the only machine of a front door a member; return the arrays."""
    state["members_"] = {"0": state.pop("best_estimator_", None)}
    arrays = {
        key.replace("inside.", "member0.", 1) if key.startswith("inside.") else key: v
        for key, v in arrays.items()
    }
    if name == "TreeSVR":
        state["member_weights"] = None
        return arrays | {"member_weights": np.ones(1)}
    numbers = field(state, "calibration", dict)
    del state["calibration"]
    state["committee"] = {"offset": numbers.get("offset")}
    arrays["committee.shares"] = arrays.pop("calibration.shares", np.zeros(0))
    slope = real_number(numbers, "slope", above=0.0)
    return arrays | {
        "committee.weights": np.ones(1),
        "committee.slopes": np.array([slope]),
    }


STEPS = {1: _from_1_to_2, 2: _from_2_to_3}
