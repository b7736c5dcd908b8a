"""Replace a file as a whole or not at all.

The new content goes to a file beside the old one, is flushed to the disk, and takes the
old one's name in one step. Whatever stops the writing (a full disk, Ctrl-C, a lost
machine), the old file is still there and whole. After an error the unfinished file is
removed; that of a killed process is removed by the next one that writes there, which
knows it by its lock: the system lets go of the locks of the dead.

A pipe or a device is no file that could be replaced. It gets the whole content at the
end, or nothing.
"""

import contextlib
import errno
import glob
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from pathlib import Path

try:
    import fcntl
except ImportError:  # no such locks on Windows, so nothing unfinished is removed there
    fcntl = None  # type: ignore[assignment]

# What writing ends with on a full or broken disk; the system does not say which file.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

_LONG_NAME = 200  # bytes; most systems take 255, and an unfinished file has more


@contextlib.contextmanager
def replaced_file(path):
    """Open a binary file that takes the name `path` when the block ends without error.

    Parameters
    ----------
    path : str, bytes or path-like
        A link is followed, so that the file it points to is replaced.

    Yields
    ------
    file object, readable and writable
    """
    path = os.fsdecode(path)
    if "\0" in path:
        raise ValueError(f"{path!r} holds a null character, which no file name may.")
    if not path or os.path.isdir(path) or path.endswith(os.sep):
        words = f"{path} is a folder" if path else "the name is empty"
        raise IsADirectoryError(f"{words}; give the name of a file.")
    way = _gathered if _is_stream(path) else _replaced
    with way(path) as file:
        yield file


def _is_stream(path):
    """Whether a name is taken by something other than a file: a pipe, a device."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def _gathered(path):
    """Open a file without a name; copy it to a pipe or a device when all is there."""
    with tempfile.TemporaryFile() as file:
        yield file
        file.seek(0)
        with open(path, "wb", buffering=0) as stream, _naming_full(path):
            shutil.copyfileobj(file, _Whole(stream))


class _Whole:
    """A stream whose `write` takes all bytes, also where the system takes some."""

    def __init__(self, stream):
        self._stream = stream

    def write(self, data):
        left = memoryview(data)
        while left:
            left = left[self._stream.write(left) :]


@contextlib.contextmanager
def _replaced(path):
    """Open a file beside `path` and rename it when all is on the disk."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        words = "there is no such folder; make it first"
        raise FileNotFoundError(errno.ENOENT, words, str(target.parent))
    _remove_unfinished(target)
    beside = target.with_name(f".{_stem(target)}.{secrets.token_hex(8)}.tmp")
    try:
        with _naming_full(path), _opened(beside) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if target.exists():
                os.chmod(beside, target.stat().st_mode & 0o777)
            if fcntl is not None:  # under its lock until it has its name
                os.replace(beside, target)
        if fcntl is None:
            os.replace(beside, target)
    except BaseException as error:  # Ctrl-C too
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(beside):
            error.filename = path  # a name that the user knows
        raise
    _flush_folder(target.parent)


@contextlib.contextmanager
def _naming_full(path):
    """Give the name of the file to errors of a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL and error.filename is None:
            error.filename = path
        raise


def _stem(target):
    """Return what the names of unfinished files of `target` begin with."""
    name = os.fsencode(target.name)
    if len(name) <= _LONG_NAME:
        return target.name
    return hashlib.sha256(name).hexdigest()


def _opened(beside):
    """Make a file and lock it, where the system has locks."""
    while True:
        file = open(beside, "x+b")  # noqa: SIM115 - the caller closes it
        if fcntl is not None:
            with contextlib.suppress(OSError):  # some network file systems refuse this
                fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # somebody took it for an unfinished one before it was locked


def _remove_unfinished(target):
    """Remove what killed processes left beside `target`."""
    if fcntl is None:
        return
    pattern = f".{glob.escape(_stem(target))}.{'[0-9a-f]' * 16}.tmp"
    for path in target.parent.glob(pattern):
        # A refused lock says that somebody is writing, or that nobody can know.
        with contextlib.suppress(OSError), path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def _flush_folder(folder):
    """Make the new name last, where the system lets folders be flushed."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):  # some network file systems refuse this
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
