"""Replace a file as a whole or not at all.

The new content goes to a file beside the old one, is flushed to the disk, and takes the
old one's name in one step. Whatever stops the writing (a full disk, Ctrl-C, a lost
machine), the old file is still there and whole. After an error the unfinished file is
removed.
"""

import contextlib
import os
import secrets
from pathlib import Path


@contextlib.contextmanager
def replaced_file(path):
    """Open a binary file that takes the name `path` when the block ends without error.

    Parameters
    ----------
    path : str or path-like
        A link is followed, so that the file it points to is replaced.

    Yields
    ------
    file object, readable and writable
    """
    target = Path(os.path.realpath(os.fspath(path)))
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file.")
    beside = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(beside, "x+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(beside, target.stat().st_mode & 0o777)
        os.replace(beside, target)
    except BaseException:  # Ctrl-C too
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)


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
