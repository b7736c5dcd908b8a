"""The fitted state of kernel machines, decomposed or not.

A state knows two functions. ``write(model, arrays)`` puts arrays by name into a dict
and returns a section of JSON; ``read(model, section, arrays)`` checks both and sets the
fitted attributes of a model that has its parameters already.
"""

from dataclasses import replace

import numpy as np

from treesvm.decomposition.part import Part
from treesvm.files.failures import require
from treesvm.kernels.kernel import KERNELS
from treesvm.persistence.json_values import field, real_number
from treesvm.persistence.labels import (
    read_classes,
    read_features,
    write_classes,
    write_features,
)
from treesvm.persistence.packed_machines import (
    PackedMachine,
    read_machines,
    write_machines,
)
from treesvm.persistence.packed_parts import (
    read_parts,
    read_random_partitions,
    write_parts,
    write_random_partitions,
)
from treesvm.persistence.packed_trees import read_trees, write_trees
from treesvm.persistence.reports import read_reports, write_reports

_MAX_MEMBERS = 100_000


class KernelSVCState:
    """`KernelSVC`: one machine over the whole space."""

    @staticmethod
    def write(model, arrays):
        machine = PackedMachine(model._machine, None)
        return {
            "features": write_features(model, arrays),
            "classes": write_classes(model.classes_, arrays),
            "machine": write_machines([machine], arrays),
            "scale": _scale_of(model),
        }

    @staticmethod
    def read(model, section, arrays):
        n_features = read_features(field(section, "features", dict), arrays, model)
        model.classes_ = read_classes(field(section, "classes", dict), arrays)
        n_classes = len(model.classes_)
        machine = _read_single(section, arrays, n_classes, n_features)
        _check_kernel(model, [machine])
        require(
            len(machine.class_starts) == n_classes + 1 and n_classes >= 2,
            "its machine does not know all classes",
        )
        model._publish(machine)
        _set_scale(model, section)


class KernelSVRState:
    """`KernelSVR`: one machine, and for a Gram matrix the rows it was trained on."""

    @staticmethod
    def write(model, arrays):
        machine = model._machine
        if machine.kernel.is_precomputed:
            arrays["kept_rows"] = model._kept_rows.astype(np.int64)
        else:  # row numbers only name the vectors, so the kept rows need no place
            n_rows = int(model.support_.max(initial=0)) + 1
            machine = replace(machine, support=model.support_, n_training_rows=n_rows)
        return {
            "features": write_features(model, arrays),
            "machine": write_machines([PackedMachine(machine, None)], arrays),
        }

    @staticmethod
    def read(model, section, arrays):
        n_features = read_features(field(section, "features", dict), arrays, model)
        machine = _read_single(section, arrays, 2, n_features)
        _check_kernel(model, [machine], "regression")
        if machine.kernel.is_precomputed:
            rows = arrays.take("kept_rows", "i8", (None,), low=0, high=n_features - 1)
            require(
                len(machine.support) == 0 or machine.support.max() < len(rows),
                "a support vector is beyond the training rows",
            )
            model._publish(machine, rows)
        else:
            support = machine.support
            places = replace(machine, support=np.arange(len(support)))
            model._publish(places, support)


class DTSVMState:
    """`DTSVMClassifier` and its search: trees with machines in their leaves."""

    @staticmethod
    def write(model, arrays):
        write_trees(model.trees_, arrays)
        return {
            "features": write_features(model, arrays),
            "classes": write_classes(model.classes_, arrays),
            "parts": write_parts(model.decompositions_, arrays),
            "scale": _scale_of(model),
            "reports": write_reports(model),
        }

    @staticmethod
    def read(model, section, arrays):
        n_features = read_features(field(section, "features", dict), arrays, model)
        model.classes_ = read_classes(field(section, "classes", dict), arrays)
        n_classes = len(model.classes_)
        trees = read_trees(
            arrays,
            n_trees=None,
            n_features=n_features,
            n_values=n_classes,
            is_oblique=False,
        )
        members = read_parts(
            field(section, "parts", (dict, type(None))),
            arrays,
            trees,
            [tree.n_leaves for tree in trees],
            n_classes=n_classes,
            n_features=n_features,
        )
        _check_kernel(model, _machines_of(members))
        scale = _read_scale(section)
        model.restore_fitted(members, scale)
        read_reports(section, model)


class RandomPartsState:
    """`RDSVMClassifier` and `BaggedSVC`: random parts instead of trees."""

    @staticmethod
    def write(model, arrays):
        if hasattr(model, "validation_scores_"):
            arrays["validation_scores"] = model.validation_scores_
        return {
            "features": write_features(model, arrays),
            "classes": write_classes(model.classes_, arrays),
            "partitions": write_random_partitions(model.decompositions_),
            "parts": write_parts(model.decompositions_, arrays),
            "reports": write_reports(model),
        }

    @staticmethod
    def read(model, section, arrays):
        n_features = read_features(field(section, "features", dict), arrays, model)
        model.classes_ = read_classes(field(section, "classes", dict), arrays)
        is_bag = hasattr(model, "max_estimators")
        partitions = read_random_partitions(section, _MAX_MEMBERS if is_bag else 1)
        members = read_parts(
            field(section, "parts", (dict, type(None))),
            arrays,
            partitions,
            [partition.n_parts for partition in partitions],
            n_classes=len(model.classes_),
            n_features=n_features,
        )
        if is_bag:
            require(
                all(len(member.parts) == 1 for member in members),
                "a machine of a bag does not answer everywhere",
            )
            scores = arrays.take("validation_scores", "f8", (None,))
            model._publish(members, scores)
        else:
            model._publish(members[0])
        read_reports(section, model)


class DTSVRState:
    """`DTSVRegressor`: a tree with a regressor in every leaf."""

    @staticmethod
    def write(model, arrays):
        write_trees([model.tree_], arrays)
        return {
            "features": write_features(model, arrays),
            "machines": write_machines(model._leaves, arrays),
        }

    @staticmethod
    def read(model, section, arrays):
        n_features = read_features(field(section, "features", dict), arrays, model)
        tree = read_trees(
            arrays,
            n_trees=1,
            n_features=n_features,
            n_values=1,
            is_oblique=False,
            is_count=False,
        )[0]
        leaves = read_machines(
            field(section, "machines", dict),
            arrays,
            n_machines=tree.n_leaves,
            n_classes=2,
            n_features=n_features,
        )
        machines = [leaf.machine for leaf in leaves]
        _check_kernel(model, machines, "regression")
        is_gram = any(machine.kernel.is_precomputed for machine in machines)
        require(not is_gram, "its leaves have a precomputed kernel")
        parts = [
            Part(0, *leaf, leaf.machine.n_training_rows, 1, 0.0) for leaf in leaves
        ]
        model._publish(tree, parts)


def _read_single(section, arrays, n_classes, n_features):
    """Return the only machine of a model."""
    leaf = read_machines(
        field(section, "machine", dict),
        arrays,
        n_machines=1,
        n_classes=n_classes,
        n_features=n_features,
    )[0]
    require(leaf.scaling is None, "a machine of the whole space has a leaf's scaling")
    machine = leaf.machine
    if machine.kernel.is_precomputed:
        require(
            machine.n_vectors == 0 or machine.support.max() < n_features,
            "a support vector is beyond the rows of the Gram matrix",
        )
    return machine


def _check_kernel(model, machines, kind="classification"):
    """Refuse machines that do not fit the parameters of the model."""
    for machine in machines:
        is_regression = len(machine.class_starts) == 2
        require(
            is_regression == (kind == "regression"),
            f"a machine of it is not made for {kind}",
        )
        require(
            KERNELS.get(model.kernel) is type(machine.kernel),
            f"its kernel is {machine.kernel.name!r} where its parameters say "
            f"{model.kernel!r:.50}",
        )


def _machines_of(members):
    parts = [part for member in members for part in member.parts]
    return [part.machine for part in parts if part.machine is not None]


def _scale_of(model):
    """The scale of `predict_proba`, None without it."""
    scale = getattr(model, "probability_scale_", None)
    return None if scale is None else float(scale)


def _read_scale(section):
    if field(section, "scale", (float, int, type(None))) is None:
        return None
    return real_number(section, "scale", above=0.0)


def _set_scale(model, section):
    scale = _read_scale(section)
    if scale is not None:
        model.probability_scale_ = scale
