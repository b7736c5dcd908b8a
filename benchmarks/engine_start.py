"""Cold start: what a user waits for before anything has been compiled."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.records import CaseResult, Claim, Record

IMPORT = """
import time
start = time.perf_counter()
import treesvm
print(min(time.perf_counter() - start, time.process_time()))
"""
# Three classes, and an answer: what a first session would do. Imports count.
FIRST_FIT = """
import time
start = time.perf_counter()
import numpy as np
from treesvm import {model}
rng = np.random.default_rng(0)
X = rng.normal(size=(400, 5))
y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 1)
{model}().fit(X, y).predict(X)
print(min(time.perf_counter() - start, time.process_time()))
"""
MODELS = ("KernelSVC", "DTSVMClassifier", "TreeSVC")


def cold_start_case(context):
    """Import, first fit with an empty cache of compiled functions, and again."""
    context.start_ours()
    waits = {}
    for model in MODELS:
        program = FIRST_FIT.format(model=model)
        with tempfile.TemporaryDirectory() as empty:
            first, n_compiled = _seconds(program, empty), _n_compiled(empty)
            again = min(_seconds(program, empty) for _ in range(context.repeat))
            imported = min(_seconds(IMPORT, empty) for _ in range(context.repeat))
        waits[f"{model}, {n_compiled} functions compiled"] = (first, 6.0, 3.0)
        waits[f"{model}, compiled before"] = (again, None, None)
    waits["import treesvm"] = (imported, 2.5, None)
    result = CaseResult()
    for work, (seconds, must, aim) in waits.items():
        result.records.append(Record("cold_start", "treesvm", work, seconds))
        if must is not None:
            result.claims.append(
                Claim(f"first fit, {work}" if aim else work, seconds, must, aim,
                      unit="s", higher_is_better=False)
            )  # fmt: skip
    result.tables["Cold start"] = [
        {"work": record.data, "seconds": record.seconds} for record in result.records
    ]
    return result


def _n_compiled(cache_folder):
    """Compiled functions that were kept, each for one set of types."""
    return len(list(Path(cache_folder).rglob("*.nbc")))


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
