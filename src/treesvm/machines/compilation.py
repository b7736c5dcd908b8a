"""One line for the first fit after an installation, which compiles the kernels.

Numba keeps compiled functions beside the source, or in the user's cache folder when the
installation is read-only; later runs load them.
"""

import sys
from pathlib import Path

from treesvm.solvers.pair_steps import pair_steps

_announced = False


def announce_compilation():
    """Say once, on standard error, that compilation comes first, if it does."""
    global _announced
    if _announced:
        return
    _announced = True
    if not is_compiled():
        print(
            "treesvm: compiling kernels for this machine, once (a few seconds)",
            file=sys.stderr,
            flush=True,
        )


def is_compiled():
    """Whether the main solver is compiled in this process or in the cache on disk."""
    if pair_steps.signatures:
        return True
    folder = pair_steps.stats.cache_path  # None where nothing is kept on the disk
    return folder is not None and any(Path(folder).glob("pair_steps.pair_steps-*.nbc"))
