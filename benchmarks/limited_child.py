"""Open files one after the other in a child process with limits on time and memory.

The child sets its limits itself, prints one JSON line for each file and is killed by
the system when a limit is broken; the parent then knows which file it was and starts a
new child behind it.
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

SECONDS = 2.0  # of processor time, so that other work on the machine does not count
_HANG_SECONDS = 60.0  # of any time: nothing that waits would use the processor
BYTES = 2**30
_ROOT = Path(__file__).resolve().parents[1]
# What happens when code runs, a process starts or a connection is made.
_RUNNING = ("exec", "compile", "os.system", "os.exec", "os.posix_spawn", "os.fork",
            "subprocess.Popen", "pickle.find_class", "ctypes.dlopen", "socket.",
            "import", "marshal.loads", "os.remove", "os.rename", "shutil.")  # fmt: skip


def open_all(target, paths, folder):
    """Open every file by the opener that ``target`` ("module:function") returns.

    Returns
    -------
    list of dict
        One for each path: outcome, seconds, and the peak of the child in megabytes.
    """
    listing, answers = Path(folder, "paths.json"), []
    listing.write_text(json.dumps([str(path) for path in paths]), encoding="utf8")
    while len(answers) < len(paths):
        answers += _run(target, listing, len(answers))
        if len(answers) < len(paths) and answers[-1]["outcome"] == "never started":
            raise RuntimeError(f"the child did not start: {answers[-1]['note']}")
    return answers


def _run(target, listing, first):
    """Start one child at file number `first`; return the answers it lived to give."""
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
                "seconds": SECONDS,
                "peak_mb": 0.0,
                "note": done.stderr[-2000:],
            }
        )
    return answers


def child(target, listing, first):
    """What the child runs: warm up, set the limits, open the rest of the files."""
    module, name = target.split(":")
    opener = getattr(importlib.import_module(module), name)()
    paths = json.loads(Path(listing).read_text("utf8"))[int(first) :]
    seen = []
    watch = {"is_on": False}

    def hook(event, arguments):
        if watch["is_on"] and event.startswith(_RUNNING):
            seen.append(event)

    sys.addaudithook(hook)
    # Addresses that are set aside but never used count as nothing.
    idle = _status_bytes("VmSize") - _status_bytes("VmRSS")
    resource.setrlimit(resource.RLIMIT_AS, (idle + BYTES, idle + BYTES))
    print(json.dumps({"started": True}), flush=True)
    for path in paths:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.setitimer(signal.ITIMER_REAL, _HANG_SECONDS)
        start = time.process_time()
        watch["is_on"] = True
        outcome = opener(path, watch)
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
    """Start the next file with a peak of its own, where the system allows it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="utf8")
