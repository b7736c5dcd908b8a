"""Peak memory of a piece of work, measured in a child process of its own.

A process never gives back its peak, so each measurement needs a new one. The target
``"module:function"`` names a function that *prepares*: it loads the data and returns a
callable without arguments, the work. What the process holds in between is the starting
point, so that ``peak_mb - start_mb`` is what the work itself needed above its data.
"""

import importlib
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple


class Peak(NamedTuple):
    start_mb: float  # resident after preparing
    peak_mb: float  # the highest resident size of the whole child
    result: Any  # what the work returned (JSON)


def peak_memory(target, **params):
    """Run ``target(**params)()`` in a child process; `params` and result are JSON."""
    command = "import sys, benchmarks.memory as m; m.child(*sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", command, target, json.dumps(params)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[1],  # where `benchmarks` is importable
    )
    if done.returncode != 0:
        raise RuntimeError(f"the child running {target} failed:\n{done.stderr[-2000:]}")
    return Peak(**json.loads(done.stdout.splitlines()[-1]))


def child(target, params):
    """What the child process runs: prepare, note the size, work, print one line."""
    module, name = target.split(":")
    work = getattr(importlib.import_module(module), name)(**json.loads(params))
    start = status_mb("VmRSS")
    result = work()
    # VmHWM belongs to this program; ru_maxrss also counts the parent that forked it.
    peak = {"start_mb": start, "peak_mb": status_mb("VmHWM"), "result": result}
    print(json.dumps(peak))


def status_mb(field):
    """Return a size of this process, such as "VmRSS" or its peak, "VmHWM"."""
    try:
        with open("/proc/self/status", encoding="utf8") as file:
            for line in file:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024
