"""Model files that promise, or hide, far more than they hold."""

import io
import json
import zipfile

import numpy as np

from benchmarks.damaged_models import signed
from treesvm.estimator_table import ESTIMATORS
from treesvm.files.array_files import HEADER, npy_prefix

_BLOCK = bytes(2**20)


def zip_of(members, level=9):
    """Return a zip file of ``(name, pieces of data)``."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as made:
        for name, pieces in members:
            with made.open(name, "w", force_zip64=False) as member:
                for piece in pieces:
                    member.write(piece)
    return file.getvalue()


def _header(sample, name, shape):
    """The header of a sample in which one array is declared larger."""
    declared = {
        key: {
            "dtype": array.dtype.str,
            "shape": list(array.shape),
            "order": "C",
            "sha256": "0" * 64,
        }
        for key, array in sample.arrays.items()
    }
    declared[name] |= {"dtype": "<f8", "shape": shape}
    text = json.dumps(sample.header | {"arrays": declared}).encode()
    return text, declared


def _with_blocks(sample, blocks, declared_megabytes, level=9):
    """A file whose first array is the blocks, declared with their size or another."""
    name = next(iter(sample.arrays))
    text, declared = _header(sample, name, [declared_megabytes * 2**17])
    large = [npy_prefix(declared[name]), *blocks]
    rest = [
        (f"{key}.npy", [npy_prefix(declared[key]), array.tobytes()])
        for key, array in sample.arrays.items()
        if key != name
    ]
    return zip_of([(HEADER, [text]), (f"{name}.npy", large), *rest], level)


def honest_bomb(sample):
    """600 MB of zeros, declared as such."""
    return _with_blocks(sample, [_BLOCK] * 600, 600)


def hidden_bomb(sample):
    """600 MB of zeros behind a declaration of one."""
    return _with_blocks(sample, [_BLOCK] * 600, 1)


def plain_bomb(sample):
    """400 MB at a ratio that numbers could have, below the default limit."""
    noise = np.random.default_rng(0).bytes(2**13)
    block = _BLOCK[: -len(noise)] + noise
    return _with_blocks(sample, [block] * 400, 400, level=1)


def promised(sample, shape=(2**40, 2**20)):
    """A declared shape without data behind it."""
    text, declared = _header(sample, next(iter(sample.arrays)), list(shape))
    rest = [
        (f"{key}.npy", [npy_prefix(declared[key]), array.tobytes()])
        for key, array in sample.arrays.items()
    ]
    return zip_of([(HEADER, [text]), *rest])


def lying_directory(sample):
    """A member of 600 MB whose entry in the directory says 100 bytes."""
    data = bytearray(hidden_bomb(sample))
    start = int.from_bytes(data[-6:-2], "little")
    second = data.index(b"PK\x01\x02", start + 4)
    data[second + 24 : second + 28] = (100).to_bytes(4, "little")
    return bytes(data)


def many_members(sample):
    """Sixty thousand members."""
    return zip_of([(f"a{k}.npy", [b""]) for k in range(60_000)], level=1)


def deep_json(sample):
    """A header of half a million brackets."""
    return zip_of([(HEADER, [b"[" * 500_000])])


def wide_json(sample):
    """A header that is a long list of empty objects."""
    return zip_of([(HEADER, [b"[" + b"{}," * 2_500_000 + b"{}]"])])


def long_number(sample):
    """A number of a million digits in the header."""
    return zip_of([(HEADER, [b'{"format": ' + b"9" * 1_000_000 + b"}"])])


def overlapping(sample):
    """Many members that share one piece of deflated data."""
    body = zip_of([("a0.npy", [_BLOCK] * 16)])
    start = int.from_bytes(body[-6:-2], "little")
    entry = body[start:-22]
    entries = b"".join(entry.replace(b"a0.npy", b"a%d.npy" % k) for k in range(9))
    end = bytearray(body[-22:])
    end[8:10] = end[10:12] = (9).to_bytes(2, "little")
    end[12:16] = len(entries).to_bytes(4, "little")
    return body[:start] + entries + bytes(end)


def many_parts(sample, n_parts=400_000):
    """A signed model with almost as many objects as the limit allows."""
    state, arrays = _random_parts(n_parts)
    return signed(_model("DTSVMClassifier", state), arrays)


def too_many_parts(sample):
    """A signed model with more objects than the limit allows."""
    return many_parts(sample, 3_000_000)


def many_machines(sample, n_machines=25_000):
    """A signed model with almost as many machines as the limit allows."""
    state, arrays = _random_parts(n_machines)
    arrays["parts.has_machine"][:] = True
    ones, twos = np.ones(n_machines), np.ones(2 * n_machines)
    arrays |= {
        "machines.sizes": np.tile([2, 1, 2, 2], (n_machines, 1)),
        "machines.present": np.tile(np.arange(2, dtype="i4"), n_machines),
        "machines.class_counts": twos.astype("i8"),
        "machines.support": np.tile(np.arange(2), n_machines),
        "machines.coefficients": twos,
        "machines.biases": ones,
        "machines.n_iter": ones.astype("i8"),
        **{f"machines.{name}": ones for name in ("violation", "gap", "norm")},
        **{f"machines.{name}": ones.astype("?") for name in ("converged", "held")},
        "kernels.gamma": ones,
        "vectors.dense": twos,
        "vectors.is_fortran": np.zeros(n_machines, "?"),
    }
    state["members"]["machines"] = {
        "kernel": "laplacian",
        "layout": "ovo",
        "scaling": None,
        "vectors": "dense",
    }
    return signed(_model("DTSVMClassifier", state), arrays)


def too_many_machines(sample):
    """A signed model with more kernel machines than the limit allows."""
    return many_machines(sample, 200_000)


def _model(name, state):
    return {
        "format": 2, "treesvm": "0", "class": name, "parameters": {}, "state": state,
    }  # fmt: skip


def _random_parts(n_parts):
    """State and arrays of random parts without machines."""
    state = dict.fromkeys(ESTIMATORS["DTSVMClassifier"].fields) | {
        "features": {"n_features": 1, "has_names": False},
        "classes": {"is_object": False},
        "theta": {"C": 1.0, "gamma_scale": 1.0, "kernel": "laplacian"},
        "members": {"partitions": [["random", n_parts, 0]], "machines": None},
    }
    arrays = {
        "classes": np.arange(2),
        "parts.code": np.zeros(n_parts, "i4"),
        "parts.n_rows": np.zeros(n_parts, "i8"),
        "parts.n_classes": np.zeros(n_parts, "i4"),
        "parts.seconds": np.zeros(n_parts),
        "parts.has_machine": np.zeros(n_parts, "?"),
    }
    return state, arrays


BOMBS = {
    "honest bomb": honest_bomb,
    "hidden bomb": hidden_bomb,
    "plain bomb": plain_bomb,
    "promised size": promised,
    "lying directory": lying_directory,
    "many members": many_members,
    "deep JSON": deep_json,
    "wide JSON": wide_json,
    "long number": long_number,
    "overlapping members": overlapping,
    "many parts": many_parts,
    "too many parts": too_many_parts,
    "many machines": many_machines,
    "too many machines": too_many_machines,
}
