"""The members of a zip file, looked at before any of them is unpacked.

Model files use the plainest part of the format: one disk, no comment, no encryption, no
64-bit extension, members stored or deflated. Everything else is refused before
`zipfile` sees it, because a directory of a few megabytes could describe millions of
members, and each becomes a Python object.
"""

import contextlib
import struct
import zipfile
import zlib

from treesvm.files.failures import ModelFileError, require

MAX_MEMBERS = 1000
MAX_EXPANSION = 250  # what deflate makes of numbers; a bomb reaches a thousand
_FREE_BYTES = 16 * 2**20  # small members may shrink as far as they like
_MAX_DIRECTORY = MAX_MEMBERS * 256
_END = struct.Struct("<4s4H2LH")  # the end record of a zip file
_LOCATOR_SIZE = 20  # of the 64-bit extension, just before the end record
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    UnicodeError,
    ValueError,
)


@contextlib.contextmanager
def broken_zip_refused():
    """Turn what `zipfile` and zlib raise on bad input into a `ModelFileError`."""
    try:
        yield
    except ModelFileError:
        raise
    except _BROKEN as error:
        raise ModelFileError(f"the zip structure is damaged ({error})") from error


def open_zip(file):
    """Return a `zipfile.ZipFile` after checking the directory's size and place."""
    size = file.seek(0, 2)
    require(size >= _END.size, f"a file of {size} bytes is no model file")
    file.seek(max(0, size - _END.size - _LOCATOR_SIZE))
    tail = file.read()
    mark, *numbers, comment = _END.unpack(tail[-_END.size :])
    disk, first_disk, here, total, directory_size, directory_start = numbers
    require(
        mark == b"PK\x05\x06" and comment == 0,
        "it is not a model file, or its end is missing (was it copied whole?)",
    )
    require(
        disk == first_disk == 0
        and 0 < here == total <= MAX_MEMBERS
        and directory_size <= _MAX_DIRECTORY
        and directory_start + directory_size + _END.size == size
        and not tail.startswith(b"PK\x06\x07"),
        "the zip directory is damaged",
    )
    with broken_zip_refused():
        archive = zipfile.ZipFile(file)
    _check_members(archive)
    return archive


def _check_members(archive):
    """Refuse members that no model file has."""
    names = archive.namelist()
    require(len(set(names)) == len(names), "the zip directory names a member twice")
    for info in archive.infolist():
        require(
            info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
            and info.flag_bits & ~0x800 == 0,  # 0x800: the name is UTF-8
            f"member {info.filename!r} is encrypted or packed in an unknown way",
        )
        require(
            not is_bomb(info),
            f"member {info.filename!r} grows from {info.compress_size} to "
            f"{info.file_size} bytes: a zip bomb",
        )


def is_bomb(info):
    """Whether a member expands further than any array of a model."""
    limit = max(_FREE_BYTES, MAX_EXPANSION * info.compress_size)
    return info.file_size > limit
