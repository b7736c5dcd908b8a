"""Decompositions: the parts of all partitions of a model, and their machines."""

import numpy as np

from treesvm.estimators.decomposition import Decomposition, Part
from treesvm.persistence.failures import require
from treesvm.persistence.json_values import field
from treesvm.persistence.packed_machines import read_machines, write_machines
from treesvm.trees.random_partition import RandomPartition

_PART_BYTES = 1024  # what the objects of one part take, generously
_MAX_SEED = 2**32 - 1
# Field of a part -> dtypes in the file.
_FIELDS = {"code": "i4", "n_rows": "i8", "n_classes": "i4", "seconds": "f8"}


def write_parts(members, arrays):
    """Put the parts of a list of `Decomposition` into `arrays`, without partitions."""
    parts = [part for member in members for part in member.parts]
    for name, dtype in _FIELDS.items():
        values = [getattr(part, name) for part in parts]
        arrays[f"parts.{name}"] = np.array(values, dtype)
    has_machine = [part.machine is not None for part in parts]
    arrays["parts.has_machine"] = np.array(has_machine, bool)
    machines = [part.machine for part in parts if part.machine is not None]
    return write_machines(machines, arrays)


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
    total = sum(counts)
    arrays.charge(_PART_BYTES * total)
    code = arrays.take("parts.code", "i4", (total,), low=0, high=n_classes - 1)
    n_rows = arrays.take("parts.n_rows", "i8", (total,), low=0)
    present = arrays.take("parts.n_classes", "i4", (total,), low=0, high=n_classes)
    seconds = arrays.take("parts.seconds", "f8", (total,))
    has_machine = arrays.take("parts.has_machine", "b1", (total,))
    machines = read_machines(
        section,
        arrays,
        n_machines=int(has_machine.sum()),
        n_classes=n_classes,
        n_features=n_features,
    )
    _check_machines(section)
    trained = iter(machines)
    parts = [
        Part(k, next(trained) if has else None, rows, classes, time)
        for k, has, rows, classes, time in zip(
            code.tolist(),
            has_machine.tolist(),
            n_rows.tolist(),
            present.tolist(),
            seconds.tolist(),
            strict=True,
        )
    ]
    edges = np.concatenate([[0], np.cumsum(counts)]).tolist()
    return [
        Decomposition(partition, parts[edges[k] : edges[k + 1]], n_classes)
        for k, partition in enumerate(partitions)
    ]


def _check_machines(section):
    """Refuse machines that a part of the space cannot have."""
    if section is None:
        return
    require(section["layout"] != "regression", "a part of a classifier has a regressor")
    require(
        section["kernel"]["name"] != "precomputed",
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
