"""A fit killed by the system at any moment goes on to the same model."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from checkpointed_fits import FITS, assert_same_model, rows
from sklearn.base import clone

ROOT = Path(__file__).resolve().parents[2]
N_ROWS = 12_000


@pytest.fixture(scope="module")
def undisturbed():
    X, y = rows(N_ROWS)
    return clone(FITS["dtsvm"]).fit(X, y)


@pytest.mark.parametrize("moment", [0.15, 0.5, 0.8])
def test_killed_fit_goes_on_to_the_same_model(moment, tmp_path, undisturbed):
    n_leaves = undisturbed.n_leaves_
    start_and_kill(tmp_path, after=int(moment * n_leaves))
    X, y = rows(N_ROWS)
    model = clone(FITS["dtsvm"]).set_params(checkpoint=tmp_path).fit(X, y)
    assert 0 < model.n_restored_leaves_ < n_leaves
    assert_same_model(model, undisturbed)


def start_and_kill(folder, after):
    """Start the fit as a process and kill it once so many pieces are written."""
    script = Path(__file__).resolve().parents[1] / "checkpointed_fits.py"
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    child = subprocess.Popen(
        [sys.executable, str(script), "dtsvm", str(folder), str(N_ROWS)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": path},
    )
    with child:
        deadline = time.monotonic() + 60.0
        # A little randomness, so that the kill also falls into the writing of a file.
        delay = np.random.default_rng().uniform(0.0, 0.01)
        while len(list(folder.glob("*.piece"))) < after:
            assert child.poll() is None, "the fit ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.002)
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert child.returncode == -signal.SIGKILL
