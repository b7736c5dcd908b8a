"""What a C file becomes, where the machine has a compiler."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

_SECONDS = 120  # for the tables of a large model


def compiler():
    """Return the C compiler: that of the variable CC, or cc; None without one."""
    return shutil.which(os.environ.get("CC", "cc"))


def object_bytes(source):
    """Return the size of the object that a C file compiles to, None if that fails.

    The size is for the reader's information only, so a compiler that is missing, slow
    or unhappy is no error.
    """
    found = compiler()
    if found is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path, made = Path(folder, "model.c"), Path(folder, "model.o")
        path.write_bytes(source)
        command = [found, "-std=c99", "-O3", "-c", path, "-o", made]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS)
        except (OSError, subprocess.SubprocessError):
            return None
        return made.stat().st_size
