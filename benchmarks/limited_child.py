"""Do one thing after the other in a child process with limits on time and memory.

The child sets its limits itself, prints one JSON line for each item (a file to open, a
case to run) and is killed by the system when a limit is broken; the parent then knows
which item it was and starts a new child behind it.
"""

import contextlib
import importlib
import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

_ROOT = Path(__file__).resolve().parents[1]
# What happens when code runs, a process starts or a connection is made.
_RUNNING = ("exec", "compile", "os.system", "os.exec", "os.posix_spawn", "os.fork",
            "subprocess.Popen", "pickle.find_class", "ctypes.dlopen", "socket.",
            "import", "marshal.loads", "os.remove", "os.rename", "shutil.")  # fmt: skip


class Limits(NamedTuple):
    """What one item may take."""

    seconds: float = 2.0  # of processor time: other work on the machine does not count
    hang_seconds: float = 60.0  # of any time: what waits does not use the processor
    n_bytes: int = 2**30  # of the child, all of Python and its libraries included


LIMITS = Limits()


def open_all(target, items, folder, limits=LIMITS):
    """Do every item by what ``target`` ("module:function") returns for the folder.

    Returns
    -------
    list of dict
        One for each item: outcome, seconds, and the peak of the child in megabytes.
    """
    listing, answers = Path(folder, "items.json"), []
    work = {"items": [str(item) for item in items], "limits": limits._asdict()}
    listing.write_text(json.dumps(work), encoding="utf8")
    while len(answers) < len(items):
        answers += _run(target, listing, len(answers), limits)
        if len(answers) < len(items) and answers[-1]["outcome"] == "never started":
            raise RuntimeError(f"the child did not start: {answers[-1]['note']}")
    return answers


def _run(target, listing, first, limits):
    """Start one child at item number `first`; return the answers it lived to give."""
    command = "import sys, benchmarks.limited_child as c; c.child(*sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", command, target, str(listing), str(first)],
        capture_output=True,
        text=True,
        cwd=_ROOT,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    is_started, answers = bool(lines), lines[1:]
    if done.returncode != 0:
        is_late = done.returncode in (-signal.SIGPROF, -signal.SIGALRM)
        outcome = "too slow" if is_late else f"crash ({done.returncode})"
        answers.append(
            {
                "outcome": outcome if is_started else "never started",
                "seconds": limits.seconds,
                "peak_mb": 0.0,
                "note": done.stderr[-2000:],
            }
        )
    return answers


def child(target, listing, first):
    """What the child runs: warm up, set the limits, do the rest of the items."""
    module, name = target.split(":")
    opener = getattr(importlib.import_module(module), name)(Path(listing).parent)
    work = json.loads(Path(listing).read_text("utf8"))
    items, limits = work["items"][int(first) :], Limits(**work["limits"])
    seen = []
    watch = {"is_on": False}

    def hook(event, arguments):
        if watch["is_on"] and event.startswith(_RUNNING):
            seen.append(event)

    sys.addaudithook(hook)
    # Addresses that are set aside but never used count as nothing.
    idle = _status_bytes("VmSize") - _status_bytes("VmRSS")
    most = idle + limits.n_bytes
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    print(json.dumps({"started": True}), flush=True)
    for item in items:
        signal.setitimer(signal.ITIMER_PROF, limits.seconds)
        signal.setitimer(signal.ITIMER_REAL, limits.hang_seconds)
        start = time.process_time()
        watch["is_on"] = True
        outcome = opener(item, watch)
        watch["is_on"] = False
        seconds = time.process_time() - start
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if seen:
            outcome = f"code ran: {seen[0]}"
            seen.clear()
        peak = _status_bytes("VmHWM") / 2**20
        line = {"outcome": outcome, "seconds": seconds, "peak_mb": peak}
        print(json.dumps(line), flush=True)
        _forget_peak()


def _status_bytes(field):
    for line in Path("/proc/self/status").read_text("utf8").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}; run this on Linux.")


def _forget_peak():
    """Start the next item with a peak of its own, where the system allows it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="utf8")
