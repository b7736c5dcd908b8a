"""Items of a checkpoint, joined to a few arrays.

Parts of all items stand one after the other, and so do their trees and their numbers;
the header says for each key how many of them are its own.
"""

from math import prod

import numpy as np
from scipy import sparse

from treesvm.decomposition.checkpointing import Item
from treesvm.files.checked_arrays import ArrayReader
from treesvm.files.failures import require
from treesvm.files.json_values import JsonValues, field, whole_number
from treesvm.persistence.packed_parts import read_parts, write_parts
from treesvm.persistence.packed_trees import read_trees, write_trees

_NO_LIMIT = 2**62
_VALUES = JsonValues()
_KINDS = {"i": "i8", "u": "i8", "b": "i8", "f": "f8"}  # of NumPy -> in the file


def item_bytes(item):
    """About how much memory an item takes."""
    total = sum(array.nbytes for array in (item.arrays or {}).values())
    total += sum(tree.value.nbytes + tree.weights.nbytes for tree in item.trees)
    for part in item.parts:
        if part.machine is not None:
            vectors = part.machine.vectors
            vectors = vectors.data if sparse.issparse(vectors) else vectors
            total += vectors.nbytes + part.machine.coefficients.nbytes
    return total


def write_items(items, arrays):
    """Put a dict of key to `Item` into `arrays`; return the section about them."""
    entries, numbers = [], {"i8": [], "f8": []}
    for key, item in items.items():
        described = []
        for name, array in (item.arrays or {}).items():
            kind = _KINDS[array.dtype.kind]
            numbers[kind].append(array.ravel().astype(kind))
            described.append([name, kind, list(array.shape)])
        entries.append(
            {
                "key": key,
                "n_parts": len(item.parts),
                "n_trees": len(item.trees),
                "arrays": described,
                "note": _VALUES.encode(item.note),
            }
        )
    for kind, held in numbers.items():
        arrays[f"numbers.{kind}"] = np.concatenate([np.empty(0, kind), *held])
    trees = [tree for item in items.values() for tree in item.trees]
    section = {"items": entries, "trees": None, "parts": None}
    if trees:
        write_trees(trees, arrays)
        section["trees"] = {"n_values": trees[0].value.shape[1]}
    parts = [part for item in items.values() for part in item.parts]
    if parts:
        section["parts"] = {"machines": write_parts(parts, arrays)}
    return section


def read_items(section, arrays, *, n_classes, n_features):
    """Return the items by key after checking all numbers in them."""
    entries = field(section, "items", list)
    counts = [
        (whole_number(e, "n_parts", 0, 2**40), whole_number(e, "n_trees", 0, 2**40))
        for e in entries
    ]
    reader = ArrayReader(arrays, _NO_LIMIT)
    numbers = {kind: reader.take(f"numbers.{kind}", kind, (None,)) for kind in
               ("i8", "f8")}  # fmt: skip
    trees = _read_trees(section, reader, sum(t for _, t in counts), n_features)
    parts = _read_parts(
        section, reader, sum(p for p, _ in counts), n_classes, n_features
    )
    reader.finish()
    items, at = {}, {"part": 0, "tree": 0, "i8": 0, "f8": 0}
    for entry, (n_parts, n_trees) in zip(entries, counts, strict=True):
        own = _own_arrays(field(entry, "arrays", list), numbers, at)
        items[field(entry, "key", str)] = Item(
            tuple(parts[at["part"] : at["part"] + n_parts]),
            tuple(trees[at["tree"] : at["tree"] + n_trees]),
            own,
            _VALUES.decode(entry.get("note")),
        )
        at["part"] += n_parts
        at["tree"] += n_trees
    return items


def _own_arrays(described, numbers, at):
    """Cut the arrays of one item out of the joined ones."""
    found = {}
    for entry in described:
        require(
            isinstance(entry, list) and len(entry) == 3,
            "an item of it is described badly",
        )
        name, kind, shape = entry
        require(
            kind in numbers
            and isinstance(shape, list)
            and all(type(n) is int and n >= 0 for n in shape)
            and at[kind] + prod(shape) <= len(numbers[kind]),
            "the numbers of an item are beyond its arrays",
        )
        stop = at[kind] + prod(shape)
        found[name] = numbers[kind][at[kind] : stop].reshape(shape)
        at[kind] = stop
    return found


def _read_trees(section, reader, n_trees, n_features):
    about = field(section, "trees", (dict, type(None)))
    if about is None:
        require(n_trees == 0, "its trees are missing")
        return []
    return read_trees(
        reader,
        n_trees=n_trees,
        n_features=n_features,
        n_values=whole_number(about, "n_values", 1, 2**31),
    )


def _read_parts(section, reader, n_parts, n_classes, n_features):
    about = field(section, "parts", (dict, type(None)))
    if about is None:
        require(n_parts == 0, "its leaves are missing")
        return []
    return read_parts(
        field(about, "machines", (dict, type(None))),
        reader,
        n_parts=n_parts,
        n_classes=n_classes or None,  # no classes: regressors
        n_features=n_features,
    )
