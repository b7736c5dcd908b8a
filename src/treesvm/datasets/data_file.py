"""Data files as streams of bytes, and errors that say where a file is wrong."""

import bz2
import contextlib
import gzip
import os
import stat
import zlib
from pathlib import Path

from treesvm.files.file_path import FilePath

_COMPRESSED = {".gz": gzip.open, ".bz2": bz2.open}


class DataFileError(ValueError):
    """A data file cannot be read; the message names file, line and column.

    Attributes
    ----------
    line : int or None
        Counted from 1.
    column : int or None
        Counted from 1: a place in the line for text in LIBSVM's format, the number of
        the field for tables.
    path : str
        Of the file.
    """

    def __init__(
        self,
        path: FilePath,
        reason: str,
        *,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.path, self.line, self.column = str(path), line, column
        place = "" if line is None else f", line {line}"
        place += "" if column is None else f", column {column}"
        super().__init__(f"{path}{place}: {reason}")


def endings(path):
    """Return the endings of format and compression, such as (".csv", ".gz")."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    packed = suffixes.pop() if suffixes and suffixes[-1] in _COMPRESSED else ""
    return (suffixes[-1] if suffixes else ""), packed


@contextlib.contextmanager
def open_bytes(path):
    """Open a file for reading, unpacking .gz and .bz2; damage is a DataFileError."""
    opener = _COMPRESSED.get(endings(path)[1], open)
    with readable(path), opener(path, "rb") as file:
        yield file


@contextlib.contextmanager
def readable(path):
    """Turn what the operating system and the unpackers raise into a DataFileError."""
    try:
        if Path(path).is_dir():
            raise IsADirectoryError
        yield
    except DataFileError:
        raise
    except FileNotFoundError as error:
        raise DataFileError(path, "there is no such file.") from error
    except IsADirectoryError as error:
        raise DataFileError(path, "this is a folder; name a file in it.") from error
    except PermissionError as error:
        raise DataFileError(path, "no permission to read it.") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        reason = f"the compressed file is damaged ({error}); fetch it again."
        raise DataFileError(path, reason) from error
    except OSError as error:
        words = " ".join(str(error.strerror or error).split())
        reason = f"cannot be read: {words}."
        raise DataFileError(path, reason) from error


def require_file(path):
    """Refuse a pipe or a device where a file is read more than once."""
    with readable(path):
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise DataFileError(
                path,
                "this is a pipe or a device, which cannot be read twice; store the "
                "rows in a file (LIBSVM text can be read once, from a pipe too).",
            )


def file_size(path):
    """Return the size of a file on disk, 0 for a pipe or a device."""
    with readable(path):
        return os.stat(path).st_size
