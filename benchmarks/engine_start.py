"""Cold start: what a user waits for before anything has been compiled."""

import os
import subprocess
import sys
import tempfile

from benchmarks.records import CaseResult, Claim, Record

IMPORT = """
import time
start = time.perf_counter()
import treesvm
print(time.perf_counter() - start)
"""
# Three classes and a second, multi-point call: what a first session would do.
FIRST_FIT = """
import time
import numpy as np
from treesvm import KernelSVC
rng = np.random.default_rng(0)
X = rng.normal(size=(400, 5))
y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 1)
start = time.perf_counter()
KernelSVC().fit(X, y).predict(X)
print(time.perf_counter() - start)
"""


def cold_start_case(context):
    """Import, first fit with an empty cache of compiled functions, and again."""
    context.start_ours()
    with tempfile.TemporaryDirectory() as empty:
        first = _seconds(FIRST_FIT, empty)
        again = min(_seconds(FIRST_FIT, empty) for _ in range(context.repeat))
        imported = min(_seconds(IMPORT, empty) for _ in range(context.repeat))
    waits = {
        "import treesvm": (imported, 2.5),
        "first fit, nothing compiled": (first, 10.0),
        "first fit, compiled before": (again, None),
    }
    result = CaseResult()
    for work, (seconds, must) in waits.items():
        result.records.append(Record("cold_start", "treesvm", work, seconds))
        if must is not None:
            claim = Claim(work, seconds, must, unit="s", higher_is_better=False)
            result.claims.append(claim)
    result.tables["Cold start"] = [
        {"work": record.data, "seconds": record.seconds} for record in result.records
    ]
    return result


def _seconds(program, cache_folder):
    """Run the program in a new process; its last line is a time in seconds."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMBA_CACHE_DIR": cache_folder},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.splitlines()[-1])
