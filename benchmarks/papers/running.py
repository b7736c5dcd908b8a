"""Carry out the runs of a paper that are not done yet, each in a process of its own.

A process can be ended when its time is over, whatever it is doing; what it had computed
is lost, what others had computed is kept.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.data import MissingData
from benchmarks.papers.cells import HOUR
from benchmarks.papers.store import key_of, plain

QUICK_CAP = 100.0
LAST_DIGITS = 1e-6  # relative: a page shows four digits
KEPT = ("figures", "seconds", "timed", "date")
# "s", "± training s", "s at 1500", "selection CVS"
IS_TIME = re.compile(r"(^| )s( at \d+)?$|^(selection|training) ")


def reproduce(paper, store, folder, *, quick=False, timed=False, cap=None, only=""):
    """Run what is missing, the shortest first; return how many runs failed."""
    cap = cap or (QUICK_CAP if quick else HOUR)
    slot = "quick" if quick else "full"
    wanted = {run.name for run in paper.runs if not run.only_for_times}
    if timed:
        wanted = _timed_runs(paper)
    failures = 0
    for run in sorted(paper.runs, key=lambda run: run.seconds):
        if run.name not in wanted or only not in run.name:
            continue
        try:
            key = key_of(run, folder)
        except MissingData as missing:
            _say(run, f"skipped: {missing}")
            continue
        if run.after and store.shown(run.after)[0] is None:
            _say(run, f"skipped: {run.after} comes first")
            continue
        if store.is_done(run, key, quick=quick, cap=cap, timed=timed):
            continue
        if not quick and run.seconds > cap:
            store.put(run, key, slot, cap=0.0, estimate=run.seconds)
            _say(run, f"not run: it would take about {run.seconds / HOUR:.1f} h")
            continue
        failures += not _carry_out(paper, run, key, store, folder, slot, cap, timed)
    return failures


def rekey(paper, store, folder):
    """Keep figures under the present code's keys where that code gives the same ones.

    Of the runs that do the same work by the same method, the shortest is carried out
    again; if nothing but times and last digits differs, the others keep their figures.
    Data and parameters have to be the same; what changed otherwise is computed again.
    """
    for group in _stale_groups(paper, store, folder).values():
        witness, _ = min(group, key=lambda pair: store.entry(pair[0].name)["seconds"])
        known = store.entry(witness.name)["figures"]
        found = _figures_of_child(paper, witness, folder, "full", HOUR)
        differing = differences(known, found or {})
        if differing:
            _say(witness, f"differs in {', '.join(differing)}: nothing is kept")
            continue
        for run, key in group:
            entry = store.entry(run.name)
            store.put(run, key, "full", **{k: entry[k] for k in KEPT})
        _say(witness, f"the same; {len(group)} runs keep their figures")


def _stale_groups(paper, store, folder):
    """Runs whose code changed since, with their keys, by what they do."""
    groups = {}
    for run in paper.runs:
        entry = store.entry(run.name)
        if "figures" not in entry:
            continue
        key = plain(key_of(run, folder))
        if entry["key"] != key and {**entry["key"], "code": key["code"]} == key:
            kind = run.work.__name__, run.sources, run.parameters.get("method")
            groups.setdefault(kind, []).append((run, key))
    return groups


def differences(known, found):
    """Names of the figures, times apart, that are not the same in both."""
    names = [name for name in {**known, **found} if not IS_TIME.search(name)]
    return [name for name in names if not _same(known.get(name), found.get(name))]


def _same(known, found):
    """A solver that stops within the same tolerance changes a figure's last digits."""
    if isinstance(known, float) and isinstance(found, float):
        return math.isclose(known, found, rel_tol=LAST_DIGITS)
    if isinstance(known, list) and isinstance(found, list):
        return len(known) == len(found) and all(map(_same, known, found))
    return known == found


def _timed_runs(paper):
    return {cell.run for cell in paper.cells() if cell.timed}


def _carry_out(paper, run, key, store, folder, slot, cap, timed):
    """One run in a child process; True unless it failed."""
    start = time.perf_counter()
    try:
        figures = _figures_of_child(paper, run, folder, slot, cap)
    except subprocess.TimeoutExpired:
        store.put(run, key, slot, cap=cap, estimate=max(run.seconds, cap))
        _say(run, f"ended after {cap:.0f} s")
        return True
    if figures is None:
        return False
    seconds = time.perf_counter() - start
    store.put(run, key, slot, figures=figures, seconds=round(seconds, 1), timed=timed)
    _say(run, f"{seconds:.0f} s")
    return True


def _figures_of_child(paper, run, folder, slot, cap):
    """What the child computes, or None if it failed; it ends after `cap` seconds."""
    with tempfile.TemporaryDirectory() as scratch:
        answer = Path(scratch) / "figures.json"
        command = [sys.executable, "-m", "benchmarks.papers", paper.name]
        command += ["--data", str(folder), "--one", run.name, "--answer", str(answer)]
        command += ["--quick"] if slot == "quick" else []
        done = subprocess.run(
            command, timeout=cap, capture_output=True, text=True, env=os.environ
        )
        if done.returncode or not answer.exists():
            _say(run, f"failed:\n{done.stderr[-3000:]}")
            return None
        return json.loads(answer.read_text(encoding="utf8"))


def carry_out_here(paper, name, folder, quick, answer):
    """The child's side: compute the figures of one run and write them down."""
    run = paper.run(name)
    figures = run.work(Path(folder), quick, **run.parameters)
    Path(answer).write_text(json.dumps(figures), encoding="utf8")


def _say(run, text):
    print(f"{run.name}: {text}", flush=True)
