"""The kinds of field that a fitted state is made of: one writer and reader for each.

`treesvm.estimator_table` says which fields a model has. A kind is a pair of functions:

    write(model, arrays) -> section            arrays go to a dict by name, JSON back
    read(section, arrays, model) -> values     after checking everything

A reader sees the model with its parameters and the fields before its own. Values whose
names end in "_" become attributes of the model; the others are handed to its method
`restore_fitted`, which makes the attributes that follow from them.
"""

from typing import NamedTuple

import numpy as np

from treesvm.files.failures import require
from treesvm.files.json_values import field
from treesvm.persistence.labels import (
    read_classes,
    read_features,
    write_classes,
    write_features,
)
from treesvm.persistence.packed_kernels import (
    check_kernel,
    read_kernels,
    write_kernels,
)
from treesvm.persistence.packed_machines import read_machines, write_machines
from treesvm.persistence.packed_parts import (
    read_members,
    write_members,
)
from treesvm.persistence.packed_tables import (
    read_calibration,
    read_committee,
    read_encoder,
    read_theta,
    write_calibration,
    write_committee,
    write_encoder,
    write_theta,
)
from treesvm.persistence.packed_trees import read_trees, write_trees

_MAX_ROWS = 2**53


class Kind(NamedTuple):
    """How a field is written and read."""

    write: object
    read: object


def _n_classes(model):
    """How many classes a model knows, None for a regressor."""
    return len(model.classes_) if hasattr(model, "classes_") else None


def _write_machine(model, arrays):
    scaling = getattr(model, "scaling_", None)
    return write_machines([model.machine_], [scaling], arrays)


def _read_machine(section, arrays, model):
    """One machine over the whole space."""
    n_classes, n_features = _n_classes(model), model.n_features_in_
    require(n_classes is None or n_classes >= 2, "it has one class only")
    machine, scaling = read_machines(
        section, arrays, n_machines=1, n_classes=n_classes, n_features=n_features
    )[0]
    has_weights = getattr(model, "feature_weights", None) is not None
    require(
        (scaling is not None) == has_weights,
        "the machine's scaling does not belong to its feature weights",
    )
    check_kernel(machine.kernel, model)
    require(
        len(machine.class_starts) == (n_classes or 1) + 1,
        "its machine does not know all classes",
    )
    is_gram = machine.kernel.is_precomputed
    require(
        not is_gram or machine.support.max(initial=0) < n_features,
        "a support vector is beyond the rows of the Gram matrix",
    )
    return {"machine": machine} | ({"scaling": scaling} if has_weights else {})


def _members(form):
    """Decompositions whose machines have one of the forms of `packed_parts`."""

    def write(model, arrays):
        return write_members(model.decompositions_, arrays, form)

    def read(section, arrays, model):
        is_known = form == "kernel" or _n_classes(model) >= 2
        require(is_known, "it has one class only")
        members = read_members(
            section,
            arrays,
            n_classes=_n_classes(model),
            n_features=model.n_features_in_,
            form=form,
        )
        if form == "kernel":
            for part in (part for member in members for part in member.parts):
                if part.machine is not None:
                    check_kernel(part.machine.kernel, model)
        return {"members": members}

    return Kind(write, read)


def _write_trees(model, arrays):
    write_trees(model.trees_, arrays)


def _read_trees(section, arrays, model):
    """Oblique trees: one, or a committee of binary ones."""
    n_classes = len(model.classes_)
    n_trees = committee_size(n_classes, model.multi_class)
    trees = read_trees(
        arrays,
        n_trees=n_trees,
        n_features=model.n_features_in_,
        n_values=n_classes if n_trees == 1 else 2,
    )
    for tree in trees:
        require(tree.is_oblique or tree.n_nodes == 1, "a tree of it is not oblique")
        answers = bool((tree.value.sum(axis=1) > 0.0).all())
        require(answers, "a node of a tree answers with no class")
    return {"trees": trees}


def committee_size(n_classes, multi_class):
    """Number of trees, see `treesvm.trees.tree_committee.binary_problems`."""
    if multi_class == "tree" or n_classes <= 2:
        return 1
    return n_classes if multi_class == "ovr" else n_classes * (n_classes - 1) // 2


def _write_planes(model, arrays):
    for name in ("coef", "intercept", "gap"):
        arrays[name] = getattr(model, f"{name}_")


def _read_planes(section, arrays, model):
    """A weight vector for each linear machine."""
    n_machines = _n_one_against_rest(model)
    return {
        "coef_": arrays.take("coef", "f8", (n_machines, model.n_features_in_)),
        "intercept_": arrays.take("intercept", "f8", (n_machines,)),
        "gap_": arrays.take("gap", "f8", (n_machines,), is_finite=False),
    }


def _n_one_against_rest(model):
    n_classes = len(model.classes_)
    require(n_classes >= 2, "it has one class only")
    return 1 if n_classes == 2 else n_classes


def _write_basis(model, arrays):
    arrays["basis.vectors"] = model.basis_vectors_
    arrays["basis.rows"] = model.basis_rows_.astype(np.int64)
    arrays["basis.coef"] = np.ascontiguousarray(model.coef_)
    arrays["basis.intercept"] = model.intercept_
    return {"kernel": write_kernels([model.kernel_], arrays)}


def _read_basis(section, arrays, model):
    """A few vectors that all machines share."""
    n_machines = _n_one_against_rest(model)
    kernel = read_kernels(field(section, "kernel", str), arrays, 1)[0]
    require(not kernel.is_precomputed, "its kernel knows no vectors")
    vectors = arrays.take("basis.vectors", "f8", (None, model.n_features_in_))
    return {
        "kernel_": kernel,
        "basis_vectors_": vectors,
        "basis_rows_": arrays.take("basis.rows", "i8", (len(vectors),), low=-1),
        "coef_": arrays.take("basis.coef", "f8", (len(vectors), n_machines)),
        "intercept_": arrays.take("basis.intercept", "f8", (n_machines,)),
    }


def _array(name, dtype, **bounds):
    """A 1-D array that is the attribute of the same name."""

    def write(model, arrays):
        arrays[name] = getattr(model, f"{name}_").astype(dtype)

    def read(section, arrays, model):
        return {name: arrays.take(name, dtype, (None,), **bounds)}

    return Kind(write, read)


def _read_weights(section, arrays, model):
    """A weight for each member."""
    shape = (len(model.members_),)
    return {"member_weights_": arrays.take("member_weights", "f8", shape, low=0.0)}


def _read_rows(section, arrays, model):
    """Numbers of training rows, ascending."""
    rows = arrays.take("sample_indices", "i8", (None,), low=0, high=_MAX_ROWS)
    is_sorted = len(rows) > 0 and bool((np.diff(rows) > 0).all())
    require(is_sorted, "its kept rows are not sorted or occur twice")
    return {"sample_indices_": rows}


KINDS = {
    "features": Kind(write_features, read_features),
    "classes": Kind(write_classes, read_classes),
    "encoder": Kind(write_encoder, read_encoder),
    "theta": Kind(write_theta, read_theta),
    "calibration": Kind(write_calibration, read_calibration),
    "committee": Kind(write_committee, read_committee),
    "member_weights": Kind(_array("member_weights", "f8").write, _read_weights),
    "machine": Kind(_write_machine, _read_machine),
    "members": _members("kernel"),
    "compressed_members": _members("compressed"),
    "trees": Kind(_write_trees, _read_trees),
    "planes": Kind(_write_planes, _read_planes),
    "basis": Kind(_write_basis, _read_basis),
    "support_weight": _array("support_weight", "f8", low=0.0),
    "validation_scores": _array("validation_scores", "f8"),
    "sample_indices": Kind(_array("sample_indices", "i8").write, _read_rows),
}
