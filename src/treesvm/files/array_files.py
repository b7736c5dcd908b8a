"""Arrays and a header in one zip file, checked while they are read.

    header.json     the header; its entry "arrays" declares every array
    NAME.npy        one array, in NumPy's own format, version 1.0

For each array the header declares dtype, shape, order and the SHA-256 of the data. The
bytes before the data are compared with those that belong to the declaration, so nothing
in them is ever parsed, and memory is set aside only after all declarations together
were found to be within the caller's limit.
"""

import hashlib
import json
import math
import re
import zipfile

import numpy as np

from treesvm.files.failures import ModelFileError, require
from treesvm.files.zip_members import (
    MAX_MEMBERS,
    broken_zip_refused,
    is_bomb,
    open_zip,
)

HEADER = "header.json"
_MAX_HEADER = 8 * 2**20  # parsed, JSON can take a hundred times its size
_MAX_DIMENSION = 2**40
_MAX_DATA = 2**31 - 2**24  # beyond it zip files need their 64-bit extension
_CHUNK = 2**20
_LEVEL = 1  # higher levels cost much time and gain little on numbers
_DTYPES = re.compile(r"\|[biu]1|<[iu][248]|<f[248]|<U[1-9][0-9]{0,3}")
_NAMES = re.compile(r"[a-z][a-z0-9_.]{0,60}")
_MAGIC = b"\x93NUMPY\x01\x00"


def write_archive(file, header, arrays, *, is_packed=True):
    """Write the header, completed by the declarations, and the arrays to `file`."""
    total = sum(array.nbytes for array in arrays.values())
    if total > _MAX_DATA:
        raise ValueError(
            f"the arrays of the model take {total} bytes; a model file holds at most "
            f"{_MAX_DATA}. Train with fewer rows per leaf or compress the machine."
        )
    declared = {name: _declaration(array) for name, array in arrays.items()}
    text = json.dumps(header | {"arrays": declared}, allow_nan=False)
    data = text.encode("utf8")
    if len(data) > _MAX_HEADER:
        raise ValueError(
            f"the header of the model file would have {len(data)} bytes, more than "
            f"the {_MAX_HEADER} that can be loaded; remove large tables from the "
            "model's parameters or preprocessing."
        )
    method = zipfile.ZIP_DEFLATED if is_packed else zipfile.ZIP_STORED
    infos = _write_members(file, data, declared, arrays, method)
    if any(is_bomb(info) for info in infos):  # a reader would take it for a zip bomb
        file.seek(0)
        file.truncate()
        _write_members(file, data, declared, arrays, zipfile.ZIP_STORED)


def _write_members(file, header, declared, arrays, method):
    """Write all members by one method of compression; return their entries."""
    # Given by name, members get the same fixed time, so equal models give equal files.
    with zipfile.ZipFile(file, "w", method, False, compresslevel=_LEVEL) as archive:
        with archive.open(HEADER, "w") as member:
            member.write(header)
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                member.write(npy_prefix(declared[name]))
                for chunk in _chunks(_flat_bytes(array)):
                    member.write(chunk)
        return archive.infolist()


def _declaration(array):
    """What the header says about one array."""
    is_fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    data = _flat_bytes(array)
    return {
        "dtype": array.dtype.newbyteorder("<").str,
        "shape": list(array.shape),
        "order": "F" if is_fortran else "C",
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def _flat_bytes(array):
    """The data of an array as bytes, little-endian, in its own order."""
    is_fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    flat = array.ravel("F" if is_fortran else "C")
    flat = flat.astype(flat.dtype.newbyteorder("<"), copy=False)
    return memoryview(flat.view(np.uint8))


def _chunks(data):
    """Pieces of a buffer, so that no second copy of it is made."""
    for start in range(0, len(data), _CHUNK):
        yield data[start : start + _CHUNK]


def npy_prefix(declared):
    """The bytes before the data in a .npy file for the declared array."""
    shape = ", ".join(str(n) for n in declared["shape"])
    shape += "," if len(declared["shape"]) == 1 else ""
    text = (
        f"{{'descr': '{declared['dtype']}', "
        f"'fortran_order': {declared['order'] == 'F'}, 'shape': ({shape}), }}"
    )
    space = -(len(_MAGIC) + 2 + len(text) + 1) % 64
    text += " " * space + "\n"
    return _MAGIC + len(text).to_bytes(2, "little") + text.encode("ascii")


def read_archive(file, max_bytes):
    """Return the header and all arrays of a model file.

    Parameters
    ----------
    file : binary file object
    max_bytes : int
        Most that all arrays together may take.

    Returns
    -------
    header : dict
        As it was written, "arrays" left out.
    arrays : dict of ndarray
    """
    with open_zip(file) as archive:
        header = _read_header(archive)
        declared = header.pop("arrays", None)
        _check_declarations(declared, max_bytes)
        names = {HEADER, *(f"{name}.npy" for name in declared)}
        require(
            set(archive.namelist()) == names,
            "the members of the zip file are not those that its header declares",
        )
        arrays = {
            name: _read_array(archive, name, entry) for name, entry in declared.items()
        }
    return header, arrays


def _read_header(archive):
    """Parse the JSON header."""
    require(HEADER in archive.namelist(), f"it holds no {HEADER}: not a model file")
    size = archive.getinfo(HEADER).file_size
    require(size <= _MAX_HEADER, f"its header claims {size} bytes")
    with broken_zip_refused(), archive.open(HEADER) as member:
        data = member.read(size)
    try:
        header = json.loads(
            data, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys
        )
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"its header is no JSON ({error})") from error
    require(isinstance(header, dict), "its header is no JSON object")
    return header


def _refuse_constant(text):
    raise ValueError(f"{text} is no JSON number")


def _unique_keys(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _check_declarations(declared, max_bytes):
    """Check dtypes, shapes and sizes of all arrays before any of them is read."""
    require(
        isinstance(declared, dict) and len(declared) < MAX_MEMBERS,
        "its header declares no arrays",
    )
    total = 0
    for name, entry in declared.items():
        require(_NAMES.fullmatch(name), f"the array name {name!r} is not allowed")
        require(
            isinstance(entry, dict)
            and entry.keys() == {"dtype", "shape", "order", "sha256"}
            and isinstance(entry["dtype"], str)
            and _DTYPES.fullmatch(entry["dtype"]) is not None
            and entry["order"] in ("C", "F")
            and isinstance(entry["sha256"], str)
            and _is_shape(entry["shape"]),
            f"array {name!r} has a dtype, shape, order or checksum that is not allowed",
        )
        total += _n_bytes(entry)
        require(
            total <= max_bytes,
            f"its arrays take more than max_bytes={max_bytes}; if you trust the file, "
            "load it with a larger max_bytes",
        )


def _is_shape(shape):
    """Whether a JSON value is the shape of a vector or a matrix."""
    return (
        isinstance(shape, list)
        and 1 <= len(shape) <= 2
        and all(type(n) is int and 0 <= n <= _MAX_DIMENSION for n in shape)
    )


def _n_bytes(entry):
    return math.prod(entry["shape"]) * np.dtype(entry["dtype"]).itemsize


def _read_array(archive, name, entry):
    """Read one array in chunks and compare its checksum."""
    prefix, size = npy_prefix(entry), _n_bytes(entry)
    held = archive.getinfo(f"{name}.npy").file_size
    require(
        held == len(prefix) + size,
        f"array {name!r} has {held} bytes where its header declares "
        f"{len(prefix) + size}",
    )
    flat = np.empty(math.prod(entry["shape"]), entry["dtype"])
    target = memoryview(flat.view(np.uint8))
    digest = hashlib.sha256()
    with broken_zip_refused(), archive.open(f"{name}.npy") as member:
        start = member.read(len(prefix))
        require(start == prefix, f"array {name!r} is not the array of the header")
        done = 0
        while done < size:
            chunk = member.read(min(_CHUNK, size - done))
            require(chunk, f"array {name!r} ends early")
            target[done : done + len(chunk)] = chunk
            digest.update(chunk)
            done += len(chunk)
        member.read(1)  # at the end zipfile compares its own checksum
    require(
        digest.hexdigest() == entry["sha256"],
        f"the checksum of array {name!r} is wrong: the file is damaged",
    )
    flat = flat.astype(flat.dtype.newbyteorder("="), copy=False)
    return flat.reshape(entry["shape"], order=entry["order"])
