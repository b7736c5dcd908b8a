"""Model files made wrong on purpose, as a careless disk or a clever stranger would.

A `Sample` is a good file taken apart. Every kind of damage is a function of a sample
and a random generator that returns the bytes of a bad file. The kinds in `SIGNED`
change contents and then sign them: header, checksums and zip structure of their files
are valid, only the contents are wrong (or, now and then, still possible).
"""

import copy
import io
import json
import zipfile
from typing import NamedTuple

import numpy as np

from treesvm.files.array_files import HEADER, write_archive

_NUMBERS = [0, -1, 1, 2, 3, 7, 2**15, 2**31 - 1, -(2**31), 2**62, -(2**62)]
_FLOATS = [0.0, -1.0, 1e308, -1e308, 1e-320, np.nan, np.inf, -np.inf]
_VALUES = [
    None, True, False, 0, -1, 1, 2, 10**6, 2**40, 2**62, -(2**62), 10**30, 0.5, -0.5,
    1e308, "", "auto", "rbf", "precomputed", "ovr", "ovo", "kernel", "__import__", [],
    [1], [[]], {}, {"tuple": []}, {"dict": [[[], 1]]}, {"float": "nan"},
    {"array": [1, "a"], "dtype": "int64"}, {"array": [], "dtype": "object"},
]  # fmt: skip
_DTYPES = ["f4", "f8", "i4", "i8", "u8", "i1", "?", "c16", "f2", "U3", "M8[s]"]


class Sample(NamedTuple):
    """A good model file: its bytes and its parts."""

    name: str
    data: bytes
    header: dict
    arrays: dict


def take_apart(name, data):
    """Return the `Sample` of a good file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        header = json.loads(archive.read(HEADER))
        arrays = {
            member.removesuffix(".npy"): np.load(io.BytesIO(archive.read(member)))
            for member in archive.namelist()
            if member != HEADER
        }
    del header["arrays"]
    return Sample(name, data, header, arrays)


def signed(header, arrays):
    """Return a file with valid checksums for any header and arrays."""
    file = io.BytesIO()
    write_archive(file, header, arrays)
    return file.getvalue()


def _parts(sample):
    return copy.deepcopy(sample.header), {k: a.copy() for k, a in sample.arrays.items()}


def _pick(items, rng):
    items = list(items)
    return items[rng.integers(len(items))]


def cut(sample, rng):
    return sample.data[: rng.integers(len(sample.data))]


def flipped(sample, rng):
    data = bytearray(sample.data)
    for place in rng.integers(len(data), size=rng.integers(1, 20)):
        data[place] ^= 1 << rng.integers(8)
    return bytes(data)


def overwritten(sample, rng):
    data = bytearray(sample.data)
    start, size = rng.integers(len(data)), rng.integers(1, 400)
    piece = rng.bytes(size) if rng.random() < 0.5 else bytes(size)
    data[start : start + size] = piece
    return bytes(data)


def moved(sample, rng):
    """A piece lost, doubled, or put at the front or the end."""
    start, size = rng.integers(len(sample.data)), rng.integers(1, 400)
    before, piece = sample.data[:start], sample.data[start : start + size]
    after = sample.data[start + size :]
    return _pick(
        [before + after, before + piece * 2 + after, piece + sample.data,
         sample.data + piece],
        rng,
    )  # fmt: skip


def noise(sample, rng):
    return b"PK\x03\x04" + rng.bytes(rng.integers(3000)) + sample.data[-22:]


def directory(sample, rng):
    """Numbers of the zip directory changed: sizes, places, flags, counts."""
    data = bytearray(sample.data)
    start = int.from_bytes(data[-6:-2], "little")
    for place in rng.integers(start, len(data), size=rng.integers(1, 4)):
        data[place] = _pick([0, 1, 255, rng.integers(256)], rng)
    return bytes(data)


def numbers(sample, rng):
    """Some numbers of an array replaced by extreme or neighbouring ones."""
    header, arrays = _parts(sample)
    for _ in range(rng.integers(1, 3)):
        array = arrays[_pick(arrays, rng)]
        if array.size:
            _disturb(array, rng)
    return signed(header, arrays)


def _disturb(array, rng):
    flat = array.reshape(-1)
    places = rng.integers(flat.size, size=rng.integers(1, 1 + min(5, flat.size)))
    with np.errstate(all="ignore"):
        if array.dtype.kind == "f":
            flat[places] = _pick(_FLOATS, rng)
        elif array.dtype.kind in "iu":
            bounds = np.iinfo(array.dtype)
            new = int(flat[places[0]]) + _pick(_NUMBERS, rng)
            flat[places] = min(max(new, bounds.min), bounds.max)
        elif array.dtype.kind == "b":
            flat[places] = ~flat[places]
        else:
            view = flat.view(np.uint32)
            view[rng.integers(view.size)] = _pick([0xD800, 0x110000, 2**32 - 1], rng)


def links(sample, rng):
    """Trees with cycles, lost nodes, exchanged children."""
    header, arrays = _parts(sample)
    names = [name for name in arrays if name in ("trees.left", "trees.right")]
    if not names or arrays[names[0]].size < 2:
        return numbers(sample, rng)
    array = arrays[_pick(names, rng)]
    i, j = rng.integers(array.size, size=2)
    action = rng.integers(3)
    if action == 0:
        array[i], array[j] = array[j], array[i]
    elif action == 1:
        array[i] = j
    else:
        array[i] = -1
    return signed(header, arrays)


def order(sample, rng):
    """Rows of an array in another order."""
    header, arrays = _parts(sample)
    name = _pick(arrays, rng)
    arrays[name] = rng.permutation(arrays[name])
    return signed(header, arrays)


def shape(sample, rng):
    """Rows added or removed, columns exchanged, everything removed."""
    header, arrays = _parts(sample)
    name = _pick(arrays, rng)
    array = arrays[name]
    choices = [
        array[:0],
        array[:-1],
        array[1:],
        np.concatenate([array, array[-1:]]),
        np.concatenate([array, array]),
        array.reshape(-1),
        np.ascontiguousarray(array.T),
        array.reshape(1, -1),
    ]
    arrays[name] = _pick(choices, rng)
    return signed(header, arrays)


def dtype(sample, rng):
    """An array of another type."""
    header, arrays = _parts(sample)
    name = _pick(arrays, rng)
    array = arrays[name]
    with np.errstate(all="ignore"):
        try:
            arrays[name] = array.astype(_pick(_DTYPES, rng))
        except (ValueError, TypeError):
            arrays[name] = np.zeros(array.shape, _pick(_DTYPES, rng))
    return signed(header, arrays)


def exchange(sample, rng):
    """Two arrays exchanged, one lost, one too many."""
    header, arrays = _parts(sample)
    first, second = _pick(arrays, rng), _pick(arrays, rng)
    action = rng.integers(3)
    if action == 0:
        arrays[first], arrays[second] = arrays[second], arrays[first]
    elif action == 1:
        del arrays[first]
    else:
        arrays[_pick(["more", "__reduce__", "trees.weights"], rng)] = arrays[first]
    return signed(header, arrays)


def header_value(sample, rng):
    """A value anywhere in the header replaced, lost or added."""
    header, arrays = _parts(sample)
    node = header
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            break
        key = _pick(keys, rng)
        if isinstance(node[key], (dict, list)) and rng.random() < 0.8:
            node = node[key]
            continue
        action = rng.random()
        if action < 0.75:
            node[key] = _pick(_VALUES, rng)
        elif action < 0.9:
            del node[key]
        elif isinstance(node, dict):
            node[_pick(["extra", "C_", "n_jobs", "wrapper"], rng)] = _pick(_VALUES, rng)
        break
    return signed(header, arrays)


def parameter(sample, rng):
    """A parameter of the estimator replaced."""
    header, arrays = _parts(sample)
    parameters = header["parameters"]
    parameters[_pick(parameters, rng)] = _pick(_VALUES, rng)
    return signed(header, arrays)


def other_class(sample, rng):
    """The name of another class, known or not."""
    header, arrays = _parts(sample)
    header["class"] = _pick(
        ["KernelSVC", "KernelSVR", "DTSVMClassifier", "DTSVRegressor", "BaggedSVC",
         "HLSVMClassifier", "SVMMajClassifier", "RDSVMClassifier", "TableModel",
         "os.system", "builtins.eval", "", "object"],
        rng,
    )  # fmt: skip
    if rng.random() < 0.5:
        header["parameters"] = {}
    return signed(header, arrays)


RAW = {
    "cut": cut,
    "flipped bits": flipped,
    "overwritten": overwritten,
    "moved pieces": moved,
    "noise": noise,
    "zip directory": directory,
}
SIGNED = {
    "numbers": numbers,
    "tree links": links,
    "order of rows": order,
    "shapes": shape,
    "dtypes": dtype,
    "arrays exchanged": exchange,
    "header values": header_value,
    "parameters": parameter,
    "class names": other_class,
}
