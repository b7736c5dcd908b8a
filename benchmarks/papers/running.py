"""Carry out the runs of a paper that are not done yet, each in a process of its own.

A process can be ended when its time is over, whatever it is doing; what it had computed
is lost, what others had computed is kept.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.data import MissingData
from benchmarks.papers.cells import HOUR
from benchmarks.papers.store import SLOTS, key_of, plain

QUICK_CAP = 100.0
KEPT = ("figures", "seconds", "timed", "date")


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
    """Keep figures under the present code's keys, for code that was only moved.

    Data and parameters have to be the same; what changed otherwise is computed again.
    """
    for run in paper.runs:
        for slot in SLOTS:
            entry = store.entry(run.name, slot)
            if "figures" not in entry:
                continue
            key = plain(key_of(run, folder))
            if {**entry["key"], "code": key["code"]} == key:
                store.put(run, key, slot, **{k: entry[k] for k in KEPT})


def _timed_runs(paper):
    return {cell.run for cell in paper.cells() if cell.timed}


def _carry_out(paper, run, key, store, folder, slot, cap, timed):
    """One run in a child process; True unless it failed."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        answer = Path(scratch) / "figures.json"
        command = [sys.executable, "-m", "benchmarks.papers", paper.name]
        command += ["--data", str(folder), "--one", run.name, "--answer", str(answer)]
        command += ["--quick"] if slot == "quick" else []
        try:
            done = subprocess.run(
                command, timeout=cap, capture_output=True, text=True, env=os.environ
            )
        except subprocess.TimeoutExpired:
            store.put(run, key, slot, cap=cap, estimate=max(run.seconds, cap))
            _say(run, f"ended after {cap:.0f} s")
            return True
        if done.returncode or not answer.exists():
            _say(run, f"failed:\n{done.stderr[-3000:]}")
            return False
        figures = json.loads(answer.read_text(encoding="utf8"))
    seconds = time.perf_counter() - start
    store.put(run, key, slot, figures=figures, seconds=round(seconds, 1), timed=timed)
    _say(run, f"{seconds:.0f} s")
    return True


def carry_out_here(paper, name, folder, quick, answer):
    """The child's side: compute the figures of one run and write them down."""
    run = paper.run(name)
    figures = run.work(Path(folder), quick, **run.parameters)
    Path(answer).write_text(json.dumps(figures), encoding="utf8")


def _say(run, text):
    print(f"{run.name}: {text}", flush=True)
