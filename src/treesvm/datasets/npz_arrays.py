"""Read arrays X and y from .npz files, without pickle, whole or row by row.

Memory: `iter_npz` reads rows from the file as it goes; it holds a chunk of X, and all
of y.  An X in Fortran's order has no rows to stream and is refused by `iter_npz`.
"""

import contextlib
import math
import zipfile
import zlib

import numpy as np
from numpy.lib import format as npy

from treesvm.datasets.data_file import DataFileError, readable, require_file
from treesvm.datasets.data_source import DataSource
from treesvm.datasets.memory_limit import MemoryAccount

_NUMERIC = "biuf"


def read_npz(path, *, label="y", max_bytes=None):
    """Return (X, y) of a .npz file, y None if there is no array `label`."""
    path = DataSource.of(path)
    with _opened(path) as archive:
        shape, _, dtype = _header(path, archive, "X")
        n_stored = math.prod(shape) * dtype.itemsize
        n_made = 0 if dtype.kind == "f" else math.prod(shape) * 8
        MemoryAccount(path, max_bytes).charge(n_stored + n_made, "X")
        y = _labels(path, archive, label, shape[0])
        X = _as_floats(_array(path, archive, "X"))
    _check_finite(path, X, 1)
    return X, y


def iter_npz(path, chunk_rows=50_000, *, label="y"):
    """Yield (number of the first row, X, y) of at most `chunk_rows` rows."""
    with _opened(path) as archive:
        shape, is_fortran, dtype = _header(path, archive, "X")
        if is_fortran and min(shape) > 1:
            raise DataFileError(
                path,
                "X is stored column by column and cannot be streamed; store "
                "numpy.ascontiguousarray(X).",
            )
        y = _labels(path, archive, label, shape[0])
        with archive.open("X.npy") as file:
            _read_header(path, file)
            for start in range(0, shape[0], chunk_rows):
                n_rows = min(chunk_rows, shape[0] - start)
                wanted = n_rows * shape[1] * dtype.itemsize
                raw = file.read(wanted)
                if len(raw) < wanted:
                    raise DataFileError(path, f"X ends within row {start + 1:,} ff.")
                X = _as_floats(np.frombuffer(raw, dtype).reshape(n_rows, shape[1]))
                _check_finite(path, X, start + 1)
                yield start + 1, X, None if y is None else y[start : start + n_rows]


@contextlib.contextmanager
def _opened(path):
    """Open the archive; every kind of damage is a DataFileError."""
    require_file(path)
    try:
        with readable(path), zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        if isinstance(error, RecursionError):
            raise
        reason = f"this is not a readable .npz file ({error})."
        raise DataFileError(path, reason) from error


def _header(path, archive, name):
    """Return (shape, is_fortran, dtype) of the matrix, checked against the archive."""
    if f"{name}.npy" not in archive.namelist():
        names = ", ".join(n.removesuffix(".npy") for n in archive.namelist()[:8])
        reason = f"there is no array {name}; there are: {names or 'none'}."
        raise DataFileError(path, reason)
    with archive.open(f"{name}.npy") as file:
        shape, is_fortran, dtype = _read_header(path, file)
        start = file.tell()
    if len(shape) != 2 or dtype.kind not in _NUMERIC:
        raise DataFileError(
            path,
            f"{name} has shape {shape} and dtype {dtype}; it must be a "
            "two-dimensional array of numbers.",
        )
    _check_size(path, archive, name, start + math.prod(shape) * dtype.itemsize)
    return shape, is_fortran, dtype


def _check_size(path, archive, name, n_bytes):
    """Refuse a header that promises more than the archive holds."""
    stored = archive.getinfo(f"{name}.npy").file_size
    if stored != n_bytes:
        reason = f"{name} says it has {n_bytes:,} bytes, the file holds {stored:,}."
        raise DataFileError(path, reason)


def _read_header(path, file):
    try:
        version = npy.read_magic(file)
        readers = {1: npy.read_array_header_1_0, 2: npy.read_array_header_2_0}
        return readers[version[0]](file)
    except (ValueError, KeyError, TypeError, EOFError, SyntaxError) as error:
        reason = f"an array's header is damaged ({str(error).splitlines()[0]})."
        raise DataFileError(path, reason) from error


def _array(path, archive, name):
    """Read one array, never a pickled one."""
    try:
        with archive.open(f"{name}.npy") as file:
            return npy.read_array(file, allow_pickle=False)
    except (ValueError, EOFError, SyntaxError, TypeError) as error:
        reason = f"array {name}: {str(error).splitlines()[0]}"
        raise DataFileError(path, reason) from error


def _labels(path, archive, label, n_rows):
    """Return the labels or None."""
    if f"{label}.npy" not in archive.namelist():
        return None
    with archive.open(f"{label}.npy") as file:
        shape, _, dtype = _read_header(path, file)
        start = file.tell()
    if dtype.kind not in _NUMERIC + "US" or shape not in ((n_rows,), (n_rows, 1)):
        raise DataFileError(
            path,
            f"{label} has shape {shape} and dtype {dtype}; it must be one number or "
            f"text for each of the {n_rows:,} rows of X (no Python objects).",
        )
    _check_size(path, archive, label, start + math.prod(shape) * dtype.itemsize)
    y = _array(path, archive, label).reshape(n_rows)
    if dtype.kind == "f" and np.isnan(y).any():
        row = int(np.isnan(y).argmax()) + 1
        raise DataFileError(path, f"{label} (row {row:,}): the label is missing.")
    return y.astype(str) if dtype.kind == "S" else y


def _as_floats(X):
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def _check_finite(path, X, first_row):
    bad = np.isinf(X).any(axis=1)
    if bad.any():
        row = first_row + int(bad.argmax())
        raise DataFileError(path, f"row {row:,} of X is not finite.")
