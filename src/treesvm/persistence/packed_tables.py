"""What models hold beside their machines: encoder, chosen theta and calibration.

The encoder's description is JSON, checked by its own room; the numbers of each encoded
feature are arrays, since a text may have a million of them.
"""

import numpy as np

from treesvm.datasets.column_encoder import ColumnEncoder
from treesvm.decomposition.calibration import Calibration
from treesvm.decomposition.theta import OPEN
from treesvm.decomposition.weighted_committee import WeightedCommittee
from treesvm.files.failures import ModelFileError, require
from treesvm.files.json_values import field, real_number
from treesvm.kernels.kernel import KERNELS

_FEATURE_BYTES = 150  # of shift and factor as Python's numbers and as arrays
_NUMBERS = ("shift", "factor")
_ROUNDING = 1e-9  # by which shares may miss a sum of one


def write_encoder(model, arrays):
    """Put the numbers into `arrays`; return the rest of the description."""
    spec = dict(model.encoder_.spec)
    for name in _NUMBERS:
        arrays[f"encoder.{name}"] = np.array(spec.pop(name), dtype=float)
    return spec


def read_encoder(section, arrays, model):
    """Return the encoder, if it takes the columns that the model says it has."""
    require(isinstance(section, dict), "its header lacks the description of columns")
    numbers = {name: arrays.take(f"encoder.{name}", "f8", (None,)) for name in _NUMBERS}
    arrays.charge(_FEATURE_BYTES * len(numbers["shift"]))
    lists = {name: values.tolist() for name, values in numbers.items()}
    try:
        encoder = ColumnEncoder(section | lists)
    except ValueError as error:
        raise ModelFileError(str(error).rstrip(".")) from error
    names, width = encoder.column_names, model.n_features_in_
    known = getattr(model, "feature_names_in_", names)
    fits = known is None if names is None else names == list(known)
    n_columns = encoder.spec["n_features"] if names is None else len(names)
    require(fits and n_columns == width, "its encoder wants other columns")
    return {"encoder_": encoder}


def write_calibration(model, arrays):
    """Put the shares of the classes into `arrays`; return the two numbers."""
    made = model.calibration_
    if made is None:
        return None
    if made.shares is not None:
        arrays["calibration.shares"] = made.shares
    return {
        "slope": float(made.slope),
        "offset": float(made.offset),
        "has_shares": made.shares is not None,
        "of_evidence": bool(made.of_evidence),
    }


def read_calibration(section, arrays, model):
    """Return a calibration that makes probabilities of all scores."""
    if section is None:
        is_needed = getattr(model, "probability", True)
        require(not is_needed, "its header lacks the numbers of its probabilities")
        return {"calibration_": None}
    slope = real_number(section, "slope", above=0.0)
    offset = real_number(section, "offset")
    if not field(section, "has_shares", bool):
        return {"calibration_": Calibration(slope, offset)}
    least = np.finfo(float).tiny  # a class without a share would never be answered
    shape = (len(model.classes_),)
    shares = arrays.take("calibration.shares", "f8", shape, low=least)
    is_whole = abs(float(shares.sum()) - 1.0) <= _ROUNDING
    require(is_whole, "the shares of its classes do not add up to 1")
    # Files of before have calibrations of scores, and do not say so.
    of_evidence = section.get("of_evidence", False)
    require(isinstance(of_evidence, bool), "its calibration is of nothing known")
    return {"calibration_": Calibration(slope, offset, shares, of_evidence)}


def write_theta(model, arrays):
    """Return what was chosen, as JSON."""
    said = {"C": model.C_, "gamma_scale": model.gamma_scale_, "kernel": model.kernel_}
    return said | ({"epsilon": model.epsilon_} if hasattr(model, "epsilon_") else {})


def read_theta(section, arrays, model):
    """Return what was chosen; files of before have it in their parameters alone."""
    if section is None:
        said = (model.C, model.gamma_scale, model.kernel)
        is_open = OPEN in (*said, getattr(model, "epsilon", None))
        require(not is_open, "its header lacks what was chosen")
        return {}
    numbers = {
        f"{name}_": real_number(section, name, above=0.0)
        for name in ("C", "gamma_scale")
    }
    if hasattr(model, "epsilon"):
        numbers["epsilon_"] = real_number(section, "epsilon")
        require(numbers["epsilon_"] >= 0.0, "its epsilon is below 0")
    kernel = field(section, "kernel", str)
    require(kernel in KERNELS, f"its kernel {kernel!r:.50} is unknown")
    return numbers | {"kernel_": kernel}


def write_committee(model, arrays):
    """Put weights, slopes and shares of the classes into `arrays`."""
    made = model.committee_
    for name in ("weights", "slopes", "shares"):
        arrays[f"committee.{name}"] = getattr(made, name)
    return {"offset": float(made.offset)}


def read_committee(section, arrays, model):
    """Return how the members, read before, are joined to probabilities."""
    n_members, least = (len(model.members_),), np.finfo(float).tiny
    weights = arrays.take("committee.weights", "f8", n_members, low=least)
    slopes = arrays.take("committee.slopes", "f8", n_members, low=least)
    shape = (len(model.classes_),)  # a class without a share would never be answered
    shares = arrays.take("committee.shares", "f8", shape, low=least)
    for whole, what in ((shares, "shares of its classes"), (weights, "weights")):
        is_whole = abs(float(whole.sum()) - 1.0) <= _ROUNDING
        require(is_whole, f"the {what} do not add up to 1")
    offset = real_number(section, "offset")
    return {"committee_": WeightedCommittee(weights, slopes, offset, shares)}
