"""Which classes a model file may hold, and how their parameters are checked.

A file names its class, and the name is looked up here and nowhere else: nothing outside
these tables is ever imported or made because of what a file says.
"""

import importlib
from typing import NamedTuple

from treesvm.files.failures import ModelFileError, require
from treesvm.persistence.candidate_states import CandidateSVCState, LASVMState
from treesvm.persistence.compressed_states import CPSPState, SupportVectorTreeState
from treesvm.persistence.json_values import decode, encode
from treesvm.persistence.kernel_states import (
    DTSVMState,
    DTSVRState,
    KernelSVCState,
    KernelSVRState,
    RandomPartsState,
)
from treesvm.persistence.tree_states import ObliqueTreesState, SVMMajState

MAX_JOBS = 4096
# Parameters that name places on a disk. They belong to the machine that trained, and a
# stranger's file would choose where the fit of a clone writes and deletes.
_PLACES = {"checkpoint"}


class Entry(NamedTuple):
    """Where a class lives and how its fitted state is kept."""

    module: str
    state: object
    rules: object  # function of a model that raises a ValueError, or None


MODELS = {
    "KernelSVC": Entry("treesvm.estimators.kernel_svc", KernelSVCState, None),
    "KernelSVR": Entry("treesvm.estimators.kernel_svr", KernelSVRState, None),
    "DTSVMClassifier": Entry("treesvm.estimators.dtsvm", DTSVMState, None),
    "DTSVMClassifierCV": Entry("treesvm.model_selection.dtsvm_cv", DTSVMState, None),
    "DTSVRegressor": Entry("treesvm.estimators.dtsvr", DTSVRState, None),
    "HLSVMClassifier": Entry("treesvm.estimators.hlsvm", ObliqueTreesState, None),
    "HLSVMClassifierCV": Entry(
        "treesvm.model_selection.hlsvm_cv", ObliqueTreesState, None
    ),
    "SVMMajClassifier": Entry("treesvm.estimators.svm_maj", SVMMajState, None),
    "SVMPartitionTreeClassifier": Entry(
        "treesvm.estimators.svm_partition_tree", ObliqueTreesState, None
    ),
    "SVMTreesClassifier": Entry("treesvm.baselines.svm_trees", ObliqueTreesState, None),
    "RDSVMClassifier": Entry("treesvm.baselines.rdsvm", RandomPartsState, None),
    "BaggedSVC": Entry("treesvm.baselines.bagged_svc", RandomPartsState, None),
    "SupportVectorTreeClassifier": Entry(
        "treesvm.estimators.support_vector_tree", SupportVectorTreeState, None
    ),
    "CPSPClassifier": Entry("treesvm.baselines.cpsp", CPSPState, None),
    "LASVMClassifier": Entry("treesvm.baselines.lasvm", LASVMState, None),
    "CandidateSVC": Entry("treesvm.estimators.candidate_svc", CandidateSVCState, None),
}

# Parameters of earlier versions that only training knew: files may name them still.
RETIRED = {"border_share", "criterion", "max_tree_rows"}

# Classes that wrap an estimator of the table above, name -> (module, class). They have
# ``model_file_parts() -> (json_spec, estimator)`` and a class method
# ``from_model_file(spec, estimator)`` that checks the spec and raises ValueErrors.
WRAPPERS = {"TableModel": ("treesvm.datasets.table_model", "TableModel")}


def entry_of(model):
    """Return the table's entry for exactly the class of `model`."""
    cls = type(model)
    entry = MODELS.get(cls.__name__)
    if entry is None or entry.module != cls.__module__:
        raise ValueError(
            f"{cls.__name__} cannot be kept in a model file; save one of "
            f"{', '.join(sorted(MODELS | WRAPPERS))} (of a pipeline or search, the "
            "fitted estimator inside)."
        )
    return entry


def is_wrapper(model):
    """Whether the class of `model` is a registered wrapper."""
    cls = type(model)
    return WRAPPERS.get(cls.__name__) == (cls.__module__, cls.__name__)


def wrapper_class(name):
    """Return a registered wrapper class by its name."""
    module, class_name = WRAPPERS[name]
    return getattr(importlib.import_module(module), class_name)


def write_parameters(model):
    """Return the constructor's parameters as JSON, but those that its state keeps."""
    encoded = {}
    omitted = getattr(MODELS[type(model).__name__].state, "omitted", ())
    for name, value in model.get_params(deep=False).items():
        if name in omitted or name in _PLACES:
            continue
        try:
            encoded[name] = encode(value)
        except TypeError as error:
            raise ValueError(
                f"{name} is {error}, which a model file cannot hold because nothing in "
                f"it is ever executed; use set_params({name}=...) with a number, a "
                "text, a list or None. (What only training uses may be changed "
                "without harm once the model is fitted.)"
            ) from error
    return encoded


def build(name, parameters):
    """Return an unfitted estimator of a registered class with checked parameters."""
    require(name in MODELS, f"it holds the unknown class {name!r:.60}")
    entry = MODELS[name]
    cls = getattr(importlib.import_module(entry.module), name)
    require(isinstance(parameters, dict), "its header lacks parameters")
    parameters = {k: v for k, v in parameters.items() if k not in RETIRED}
    unknown = parameters.keys() - cls().get_params(deep=False).keys()
    require(not unknown, f"{name} has no parameter {min(unknown, default='')!r:.60}")
    places = parameters.keys() & _PLACES
    require(not places, f"it sets {min(places, default='')!r}, a place on your disk")
    model = cls(**{key: decode(node) for key, node in parameters.items()})
    try:
        check_shared(model)
        if entry.rules is not None:
            entry.rules(model)
        if hasattr(model, "check_parameters"):
            model.check_parameters()
    except (TypeError, ValueError) as error:  # a list where a number belongs, and such
        raise ModelFileError(f"its parameters are not possible: {error}") from error
    return model


def check_shared(model):
    """Check what the estimators leave to the libraries that they hand it to."""
    for name in ("probability", "break_ties"):
        if hasattr(model, name) and type(getattr(model, name)) is not bool:
            raise ValueError(f"{name} must be True or False")
    n_jobs = getattr(model, "n_jobs", None)
    if n_jobs is not None and (type(n_jobs) is not int or n_jobs == 0):
        raise ValueError("n_jobs must be None or a whole number other than 0")
    if n_jobs is not None and abs(n_jobs) > MAX_JOBS:
        raise ValueError(f"n_jobs={n_jobs} is beyond {MAX_JOBS}")
    kernel = getattr(model, "kernel", "rbf")
    if not isinstance(kernel, str):
        raise ValueError("kernel must be a name")
