"""How much memory the rows of a file may take before the file is refused.

A small file can describe a large table: packed text, a huge feature number, a million
columns. What it needs is estimated before it is made, and counted while it is read.
"""

import os
from pathlib import Path

from treesvm.datasets.data_file import DataFileError
from treesvm.inputs.parameter_rules import is_number

_SHARE = 0.5  # of the memory: training needs some too
_UNKNOWN = 4 * 2**30  # where the system does not tell how much there is
CHUNK_BYTES = 256 * 2**20  # of the rows that a reader hands out at a time
_CONTAINERS = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


def default_limit():
    """Return half of the memory of this machine, or of its container, in bytes."""
    try:
        known = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    except (AttributeError, ValueError, OSError):
        known = [_UNKNOWN]
    for name in _CONTAINERS:
        try:
            known.append(int(Path(name).read_text()))
        except (OSError, ValueError):  # no container, or the text "max"
            continue
    return int(_SHARE * min(known))


class MemoryAccount:
    """Memory that the rows of one file take, against a limit.

    Parameters
    ----------
    path : str or Path
    max_bytes : int or None
        By default half of the memory.
    """

    def __init__(self, path, max_bytes=None):
        if max_bytes is not None and not is_number(max_bytes, above=0.0):
            raise ValueError(
                f"max_bytes={max_bytes!r}; use a number of bytes, above 0."
            )
        self._path, self._spent = path, 0
        self._limit = default_limit() if max_bytes is None else max_bytes

    def charge(self, n_bytes, what="its rows"):
        """Book memory before it is used; raise a DataFileError beyond the limit."""
        self._spent += n_bytes
        if self._spent > self._limit:
            raise DataFileError(
                self._path,
                f"{what} would take {_words(self._spent)} of memory or more, the limit "
                f"is {_words(self._limit)}; raise max_bytes (the command: "
                "--max-data-mb), or leave rows or columns out.",
            )


def _words(n_bytes):
    return f"{n_bytes / 1e6:,.1f} MB"
