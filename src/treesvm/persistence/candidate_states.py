"""The fitted state of machines on selected rows, and of online machines."""

import numpy as np

from treesvm.files.failures import require
from treesvm.persistence.json_values import field
from treesvm.persistence.kernel_states import KernelSVCState
from treesvm.persistence.labels import (
    read_classes,
    read_features,
    write_classes,
    write_features,
)

_MAX_ROWS = 2**53


class LASVMState:
    """`LASVMClassifier`: a machine, and the weights of its support vectors.

    The weights are what `partial_fit` needs to go on.
    """

    @staticmethod
    def write(model, arrays):
        arrays["support_weight"] = model.support_weight_
        return KernelSVCState.write(model, arrays)

    @staticmethod
    def read(model, section, arrays):
        KernelSVCState.read(model, section, arrays)
        weight = arrays.take("support_weight", "f8", (len(model.support_),), low=0.0)
        box = model.C * weight * (1.0 + 1e-9)  # sums of steps may be off by rounding
        largest = np.abs(model._machine.coefficients).max(axis=1, initial=0.0)
        require(
            bool((largest <= box).all()), "a coefficient is larger than its box allows"
        )
        model.support_weight_ = weight


class CandidateSVCState:
    """`CandidateSVC`: the machine inside, with a state of its own, and the rows kept.

    The parameter `estimator` is not among the parameters of the file: it is made from
    the class and the parameters of the machine. (The registry names this state, so it
    is imported where it is used.)
    """

    omitted = ("estimator",)

    @staticmethod
    def write(model, arrays):
        from treesvm.persistence.registry import entry_of, write_parameters

        machine = model.estimator_
        if type(machine) is type(model):
            raise ValueError(
                "a CandidateSVC inside a CandidateSVC cannot be kept in a model file; "
                "save the one inside."
            )
        entry = entry_of(machine)
        inner = {
            "class": type(machine).__name__,
            "parameters": write_parameters(machine),
            "given": None
            if model.estimator is None
            else write_parameters(model.estimator),
            "state": entry.state.write(machine, arrays),
        }
        arrays["candidate.rows"] = model.sample_indices_.astype(np.int64)
        own = {}
        section = {
            "features": write_features(model, own),
            "classes": write_classes(model.classes_, own),
            "machine": inner,
        }
        arrays |= {f"candidate.{name}": array for name, array in own.items()}
        return section

    @staticmethod
    def read(model, section, arrays):
        from treesvm.persistence.registry import MODELS, build

        inner = field(section, "machine", dict)
        name = field(inner, "class", str)
        require(name != type(model).__name__, "it holds itself")
        machine = build(name, field(inner, "parameters", dict))
        MODELS[name].state.read(machine, field(inner, "state", dict), arrays)
        given = field(inner, "given", (dict, type(None)))
        model.estimator = None if given is None else build(name, given)
        own = _Renamed(arrays, "candidate.")
        n_features = read_features(field(section, "features", dict), own, model)
        model.classes_ = read_classes(field(section, "classes", dict), own)
        require(
            getattr(machine, "n_features_in_", n_features) == n_features
            and np.array_equal(machine.classes_, model.classes_),
            "the machine inside has other features or classes",
        )
        rows = own.take("rows", "i8", (None,), low=0, high=_MAX_ROWS)
        require(
            len(rows) > 0 and bool((np.diff(rows) > 0).all()),
            "its kept rows are not sorted or occur twice",
        )
        model._publish(model._made_selector(), machine, rows)


class _Renamed:
    """An array reader whose names have a prefix."""

    def __init__(self, arrays, prefix):
        self._arrays, self._prefix = arrays, prefix

    def take(self, name, *args, **kwargs):
        return self._arrays.take(self._prefix + name, *args, **kwargs)

    def take_text(self, name):
        return self._arrays.take_text(self._prefix + name)

    def dtype_of(self, name):
        return self._arrays.dtype_of(self._prefix + name)
