"""Decompositions: the partitions of a model, and all their parts in a row.

Partitions are a list of ["tree"], ["random", parts, seed] or ["whole"]; the trees of
all of them are in the arrays of `packed_trees`, in the order of the list.
"""

import numpy as np

from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.part import Part
from treesvm.files.checked_arrays import pieces_of
from treesvm.files.failures import require
from treesvm.files.json_values import field
from treesvm.partitions import RandomPartition, TreeParts, WholeSpace
from treesvm.persistence.packed_machines import read_machines, write_machines
from treesvm.persistence.packed_score_trees import read_compressed, write_compressed
from treesvm.persistence.packed_trees import read_trees, write_trees

_PART_BYTES = 1024  # what the objects of one part take, generously
_MEMBER_BYTES = 1024
_MAX_SEED = 2**32 - 1
_COLUMNS = {"code": "i4", "n_rows": "i8", "n_classes": "i4", "seconds": "f8"}
# Form of the machines -> its writer and reader.
_FORMS = {
    "kernel": (write_machines, read_machines),
    "compressed": (write_compressed, read_compressed),
}


def write_members(members, arrays, form="kernel"):
    """Put a list of `Decomposition` into `arrays`; return the section about them."""
    partitions = [member.partition for member in members]
    trees = [p.tree for p in partitions if isinstance(p, TreeParts)]
    if trees:
        write_trees(trees, arrays)
    parts = [part for member in members for part in member.parts]
    return {
        "partitions": [_tagged(partition) for partition in partitions],
        "machines": write_parts(parts, arrays, form),
    }


def _tagged(partition):
    """What the header says of one partition."""
    if isinstance(partition, RandomPartition):
        return ["random", int(partition.n_parts), int(partition.seed)]
    return ["tree"] if isinstance(partition, TreeParts) else ["whole"]


def read_members(section, arrays, *, n_classes, n_features, form="kernel"):
    """Return the members; `n_classes` is None where they are regressors."""
    tags = field(section, "partitions", list)
    require(len(tags) >= 1, "it has no partition")
    arrays.charge(_MEMBER_BYTES * len(tags))
    partitions = _read_partitions(tags, arrays, n_classes, n_features)
    counts = [partition.n_parts for partition in partitions]
    parts = read_parts(
        field(section, "machines", (dict, type(None))),
        arrays,
        n_parts=sum(counts),
        n_classes=n_classes,
        n_features=n_features,
        form=form,
    )
    machines = [part.machine for part in parts if part.machine is not None]
    require(
        tags == [["whole"]] or not any(map(_is_gram, machines)),
        "a part of the space has a precomputed kernel, which knows no space",
    )
    return [
        Decomposition(partition, own, n_classes)
        for partition, own in zip(
            partitions, pieces_of(parts, counts, "its parts"), strict=True
        )
    ]


def _is_gram(machine):
    return getattr(machine, "terms", machine).kernel.is_precomputed


def _read_partitions(tags, arrays, n_classes, n_features):
    trees = iter(())
    n_trees = tags.count(["tree"])
    if n_trees:
        trees = iter(
            read_trees(
                arrays,
                n_trees=n_trees,
                n_features=n_features,
                n_values=n_classes or 1,
                is_count=n_classes is not None,
            )
        )
    partitions = []
    for tag in tags:
        if tag == ["tree"]:
            partitions.append(TreeParts(next(trees)))
        elif tag == ["whole"]:
            partitions.append(WholeSpace())
        else:
            partitions.append(_read_random(tag))
    return partitions


def _read_random(tag):
    """Random partitions are two numbers each."""
    is_known = (
        isinstance(tag, list)
        and len(tag) == 3
        and tag[0] == "random"
        and all(type(number) is int for number in tag[1:])
        and 1 <= tag[1] <= 2**31 - 1
        and 0 <= tag[2] <= _MAX_SEED
    )
    require(is_known, "a partition of it is unknown or damaged")
    return RandomPartition(tag[1], tag[2])


def write_parts(parts, arrays, form="kernel"):
    """Put parts into `arrays`; return the section of their machines, None without."""
    for name, dtype in _COLUMNS.items():
        values = [getattr(part, name) for part in parts]
        arrays[f"parts.{name}"] = np.array(values, dtype)
    has_machine = [part.machine is not None for part in parts]
    arrays["parts.has_machine"] = np.array(has_machine, bool)
    trained = [part for part in parts if part.machine is not None]
    if not trained:
        return None
    machines = [part.machine for part in trained]
    return _FORMS[form][0](machines, [part.scaling for part in trained], arrays)


def read_parts(section, arrays, *, n_parts, n_classes, n_features, form="kernel"):
    """Return so many parts; `n_classes` is None where they are regressors."""
    arrays.charge(_PART_BYTES * n_parts)
    shape, most = (n_parts,), n_classes or 1
    columns = [
        arrays.take("parts.code", "i4", shape, low=0, high=most - 1),
        arrays.take("parts.n_rows", "i8", shape, low=0),
        arrays.take("parts.n_classes", "i4", shape, low=0, high=most),
        arrays.take("parts.seconds", "f8", shape),
        arrays.take("parts.has_machine", "b1", shape),
    ]
    n_machines = int(columns[-1].sum())
    require(n_classes or n_machines == n_parts, "a part of it has no machine")
    require((n_machines > 0) == (section is not None), "machines belong to no leaf")
    trained = iter(())
    if n_machines:
        known = {"n_classes": n_classes, "n_features": n_features}
        read = _FORMS[form][1]
        trained = iter(read(section, arrays, n_machines=n_machines, **known))
    return [
        Part(code, *(next(trained) if has_machine else (None, None)), *rest)
        for code, *rest, has_machine in zip(*(c.tolist() for c in columns), strict=True)
    ]
