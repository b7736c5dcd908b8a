"""The fitted state of compressed models and of budgeted machines."""

import numpy as np

from treesvm.compression.tree_parts import WholeSpace
from treesvm.files.failures import require
from treesvm.persistence.json_values import field, real_number, whole_number
from treesvm.persistence.labels import (
    read_classes,
    read_features,
    write_classes,
    write_features,
)
from treesvm.persistence.packed_machines import read_kernel
from treesvm.persistence.packed_parts import (
    joined_members,
    read_part_fields,
    write_part_fields,
)
from treesvm.persistence.packed_score_trees import read_compressed, write_compressed
from treesvm.persistence.packed_trees import read_trees, write_trees

_LOSSES = ("model_loss_", "validation_loss_")


class SupportVectorTreeState:
    """`SupportVectorTreeClassifier`: trees over terms, one for each part of the space.

    The estimator that was compressed is not kept.
    """

    omitted = ("estimator",)

    @staticmethod
    def write(model, arrays):
        members = model._members
        is_whole = isinstance(members[0].partition, WholeSpace)
        if not is_whole:
            write_trees([member.partition for member in members], arrays)
        machines = [part.machine for part in write_part_fields(members, arrays)]
        losses = {name: getattr(model, name, None) for name in _LOSSES}
        return {
            "features": write_features(model, arrays),
            "classes": write_classes(model.classes_, arrays),
            "is_whole": is_whole,
            "compressed": write_compressed(machines, arrays),
            "losses": None if None in losses.values() else losses,
        }

    @staticmethod
    def read(model, section, arrays):
        n_features = read_features(field(section, "features", dict), arrays, model)
        model.classes_ = read_classes(field(section, "classes", dict), arrays)
        n_classes = len(model.classes_)
        require(n_classes >= 2, "it has one class only")
        partitions, counts = [WholeSpace()], [1]
        if not field(section, "is_whole", bool):
            partitions = read_trees(
                arrays,
                n_trees=None,
                n_features=n_features,
                n_values=n_classes,
                is_oblique=False,
            )
            counts = [tree.n_leaves for tree in partitions]
        model._publish(
            _read_members(section, arrays, partitions, counts, n_classes, n_features)
        )
        losses = field(section, "losses", (dict, type(None)))
        if losses is not None:
            require(losses.keys() == set(_LOSSES), "its losses are unknown ones")
            for name in _LOSSES:
                setattr(model, name, real_number(losses, name))


def _read_members(section, arrays, partitions, counts, n_classes, n_features):
    """Return a `Decomposition` for each partition."""
    fields = read_part_fields(arrays, sum(counts), n_classes)
    is_whole = isinstance(partitions[0], WholeSpace)
    require(not is_whole or bool(fields.has_machine.all()), "it has no machine")
    machines = read_compressed(
        field(section, "compressed", (dict, type(None))),
        arrays,
        n_machines=fields.n_machines,
        n_classes=n_classes,
        n_features=n_features,
    )
    is_gram = any(machine.terms.kernel.is_precomputed for machine in machines)
    require(is_whole or not is_gram, "a leaf has a precomputed kernel")
    pairs = [(machine, None) for machine in machines]
    return joined_members(fields, pairs, partitions, counts, n_classes)


class CPSPState:
    """`CPSPClassifier`: a basis and its coefficients."""

    @staticmethod
    def write(model, arrays):
        kernel = model._kernel
        if not kernel.is_storable:
            raise ValueError(
                "kernel is a Python function, which a model file cannot hold because "
                "nothing in it is ever executed; use a named kernel."
            )
        arrays["basis.vectors"] = model.basis_vectors_
        arrays["basis.rows"] = model.basis_rows_.astype(np.int64)
        arrays["basis.coef"] = np.ascontiguousarray(model.coef_)
        arrays["basis.intercept"] = model.intercept_
        return {
            "features": write_features(model, arrays),
            "classes": write_classes(model.classes_, arrays),
            "kernel": kernel.as_json(),
            "converged_share": float(model.converged_share_),
            "n_iter": int(model.n_iter_),
        }

    @staticmethod
    def read(model, section, arrays):
        n_features = read_features(field(section, "features", dict), arrays, model)
        model.classes_ = read_classes(field(section, "classes", dict), arrays)
        n_classes = len(model.classes_)
        require(n_classes >= 2, "it has one class only")
        n_machines = 1 if n_classes == 2 else n_classes
        model._kernel = read_kernel(field(section, "kernel", dict))
        require(not model._kernel.is_precomputed, "its kernel knows no vectors")
        vectors = arrays.take("basis.vectors", "f8", (None, n_features))
        model.basis_vectors_ = vectors
        model.basis_rows_ = arrays.take("basis.rows", "i8", (len(vectors),), low=-1)
        model.coef_ = arrays.take("basis.coef", "f8", (len(vectors), n_machines))
        model.intercept_ = arrays.take("basis.intercept", "f8", (n_machines,))
        model.converged_share_ = real_number(section, "converged_share")
        model.n_iter_ = whole_number(section, "n_iter", 0, 2**31 - 1)
