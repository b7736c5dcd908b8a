"""Dask is an extra: nothing but treesvm.distributed needs it."""

import subprocess
import sys

import pytest


def test_the_other_tests_of_this_folder_run():
    pytest.importorskip("distributed", reason="needs the extra: treesvm[dask]")


def test_treesvm_does_not_import_dask():
    program = "import treesvm, sys; sys.exit('dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_missing_dask_is_told():
    program = (
        "import sys; sys.modules['dask'] = sys.modules['distributed'] = None\n"
        "import treesvm.distributed"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "pip install 'treesvm[dask]'" in done.stderr
