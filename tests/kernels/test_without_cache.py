"""A user without a home and with a read-only installation can import and fit."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import treesvm

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
SOURCE = """
import warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import numpy as np
    from treesvm import KernelSVC, __file__
print(__file__)
for warning in said:
    print(warning.message)
X = np.arange(20.0).reshape(-1, 1)
print(KernelSVC().fit(X, X[:, 0] > 9).score(X, X[:, 0] > 9))
"""


def respect_modes():
    """Root without this capability is refused what others are refused."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="drops root's right by prctl")
def test_import_and_fit_without_a_place_for_the_cache(tmp_path):
    installed = tmp_path / "installed"
    shutil.copytree(
        Path(treesvm.__file__).parent,
        installed / "treesvm",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    folders = [installed, *(path for path in installed.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG"))}
    done = subprocess.run(
        [sys.executable, "-B", "-c", SOURCE],
        env=kept | {"HOME": str(installed), "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        preexec_fn=respect_modes if os.geteuid() == 0 else None,
    )
    for folder in folders:
        folder.chmod(0o755)
    where, *said, score = done.stdout.splitlines()
    assert Path(where).is_relative_to(installed)
    assert len(said) == 1
    assert "NUMBA_CACHE_DIR" in said[0]
    assert score == "1.0"
    assert not list(installed.rglob("*.nbi"))
