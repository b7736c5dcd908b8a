"""Decompositions: the parts of all partitions of a model, and their machines."""

from typing import NamedTuple

import numpy as np

from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.part import Part
from treesvm.files.failures import require
from treesvm.partitions.random_parts import RandomPartition
from treesvm.persistence.json_values import field
from treesvm.persistence.packed_machines import read_machines, write_machines

_PART_BYTES = 1024  # what the objects of one part take, generously
_MAX_SEED = 2**32 - 1
# Field of a part -> dtypes in the file.
_FIELDS = {"code": "i4", "n_rows": "i8", "n_classes": "i4", "seconds": "f8"}


class PartFields(NamedTuple):
    """What is stored of every part beside its machine, all partitions in a row."""

    code: np.ndarray
    n_rows: np.ndarray
    n_classes: np.ndarray
    seconds: np.ndarray
    has_machine: np.ndarray

    @property
    def n_machines(self):
        return int(self.has_machine.sum())


def write_parts(members, arrays):
    """Put the parts of a list of `Decomposition` into `arrays`, without partitions."""
    return write_machines(write_part_fields(members, arrays), arrays)


def write_part_fields(members, arrays):
    """The same without the machines; return the parts that have one."""
    parts = [part for member in members for part in member.parts]
    for name, dtype in _FIELDS.items():
        values = [getattr(part, name) for part in parts]
        arrays[f"parts.{name}"] = np.array(values, dtype)
    has_machine = [part.machine is not None for part in parts]
    arrays["parts.has_machine"] = np.array(has_machine, bool)
    return [part for part in parts if part.machine is not None]


def read_parts(section, arrays, partitions, counts, *, n_classes, n_features):
    """Return a `Decomposition` for each partition.

    Parameters
    ----------
    section : dict or None
        What `write_parts` returned.
    arrays : ArrayReader
    partitions : list
    counts : list of int
        Parts of each partition.
    """
    fields = read_part_fields(arrays, sum(counts), n_classes)
    machines = read_machines(
        section,
        arrays,
        n_machines=fields.n_machines,
        n_classes=n_classes,
        n_features=n_features,
    )
    for packed in machines:
        _check_machine(packed.machine)
    return joined_members(fields, machines, partitions, counts, n_classes)


def read_part_fields(arrays, total, n_classes):
    """Return the `PartFields` of so many parts."""
    arrays.charge(_PART_BYTES * total)
    return PartFields(
        arrays.take("parts.code", "i4", (total,), low=0, high=n_classes - 1),
        arrays.take("parts.n_rows", "i8", (total,), low=0),
        arrays.take("parts.n_classes", "i4", (total,), low=0, high=n_classes),
        arrays.take("parts.seconds", "f8", (total,)),
        arrays.take("parts.has_machine", "b1", (total,)),
    )


def joined_members(fields, machines, partitions, counts, n_classes):
    """Return a `Decomposition` for each partition of so many parts.

    `machines` holds a machine and its scaling for each part that has them.
    """
    trained, none = iter(machines), (None, None)
    columns = (column.tolist() for column in fields)
    parts = [
        Part(code, *(next(trained) if has else none), rows, present, seconds)
        for code, rows, present, seconds, has in zip(*columns, strict=True)
    ]
    edges = np.concatenate([[0], np.cumsum(counts)]).tolist()
    return [
        Decomposition(partition, parts[edges[k] : edges[k + 1]], n_classes)
        for k, partition in enumerate(partitions)
    ]


def _check_machine(machine):
    """Refuse a machine that a part of the space cannot have."""
    require(len(machine.class_starts) > 2, "a part of a classifier has a regressor")
    require(
        not machine.kernel.is_precomputed,
        "a part of the space has a precomputed kernel, which knows no space",
    )


def write_random_partitions(members):
    """Random partitions are two numbers each."""
    pairs = [(member.partition.n_parts, member.partition.seed) for member in members]
    return [[int(n_parts), int(seed)] for n_parts, seed in pairs]


def read_random_partitions(section, n_most):
    """Return the random partitions of a section, at least one and at most `n_most`."""
    listed = field(section, "partitions", list)
    require(1 <= len(listed) <= n_most, f"it has {len(listed)} random partitions")
    for pair in listed:
        require(
            isinstance(pair, list)
            and len(pair) == 2
            and all(type(number) is int for number in pair)
            and 1 <= pair[0] <= 2**31 - 1
            and 0 <= pair[1] <= _MAX_SEED,
            "a random partition of it is damaged",
        )
    return [RandomPartition(n_parts, seed) for n_parts, seed in listed]
