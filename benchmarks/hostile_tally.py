"""Hostile cases in batches: counted, kept in small files, gone on with later.

Every batch leaves one file of counts, so that a run may be stopped (Ctrl-C, a kill) and
started again, also beside others: batches that are there are not run again, unless
something did harm in them. What all of them say is in ``docs/benchmarks/hostile.json``.
"""

import json
import os
import random
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks import environment

BATCHES = Path("benchmark-results/hostile/batches")
RECORD = Path("docs/benchmarks/hostile.json")
_KEPT_NOTES = 20


def run_batches(case, n_items, size, work, fine, *, quick=False):
    """Run the batches of a case that are missing; return what all of them say.

    Parameters
    ----------
    case : str
    n_items, size : int
        Items in all, and of one batch.
    work : callable
        ``work(numbers)`` returns for each number a (kind, answer); an answer has an
        outcome, seconds, the peak in megabytes and, if it likes, a note.
    fine : tuple of str
        Outcomes that are no harm.
    quick : bool
        Whether to leave nothing behind.

    Returns
    -------
    dict
        See `merged`.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) if quick else BATCHES / case
        folder.mkdir(parents=True, exist_ok=True)
        firsts = list(range(0, n_items, size))
        random.shuffle(firsts)  # runs beside each other seldom take the same batch
        try:
            for first in firsts:
                if not _is_done(folder / f"{first:06d}.json"):
                    numbers = range(first, min(first + size, n_items))
                    found = counted(numbers, work(numbers), fine)
                    _write(folder / f"{first:06d}.json", found)
                    print(f"{case} {first}: {found['harm'] or 'no harm'}", flush=True)
        except KeyboardInterrupt:
            print(f"{case}: stopped; what is done is counted, the rest goes on later")
        total = merged(_read_all(folder, n_items))
    if not quick:
        _record(case, total)
    return total


def counted(numbers, answers, fine):
    """Return the counts of one batch."""
    kinds = defaultdict(lambda: {"outcomes": Counter(), "slowest": 0.0, "peak_mb": 0.0})
    harm = []
    for number, (kind, answer) in zip(numbers, answers, strict=True):
        own, outcome = kinds[kind], answer["outcome"]
        own["outcomes"][outcome if outcome in fine else "harm"] += 1
        own["slowest"] = max(own["slowest"], answer["seconds"])
        own["peak_mb"] = max(own["peak_mb"], answer["peak_mb"])
        if outcome not in fine:
            note = " ".join(answer.get("note", "").split())
            harm.append([number, kind, f"{outcome} {note[-300:]}".strip()])
    return {"n_items": len(numbers), "kinds": dict(kinds), "harm": harm}


def merged(batches):
    """Return the sums, and the largest figures, of several batches."""
    kinds, harm, n_items = {}, [], 0
    for batch in batches:
        n_items += batch["n_items"]
        harm += batch["harm"]
        for kind, found in batch["kinds"].items():
            empty = {"outcomes": Counter(), "slowest": 0.0, "peak_mb": 0.0}
            own = kinds.setdefault(kind, empty)
            own["outcomes"].update(found["outcomes"])
            for figure in ("slowest", "peak_mb"):
                own[figure] = max(own[figure], found[figure])
    return {"n_items": n_items, "kinds": dict(sorted(kinds.items())), "harm": harm}


def kind_rows(total, fine, title):
    """Return a table of the kinds: how many, what happened, slowest, largest."""
    return [
        {
            title: kind,
            "cases": sum(own["outcomes"].values()),
            **{outcome: own["outcomes"].get(outcome, 0) for outcome in (*fine, "harm")},
            "slowest s": own["slowest"],
            "peak MB": own["peak_mb"],
        }
        for kind, own in total["kinds"].items()
    ]


def _is_done(path):
    return path.exists() and not json.loads(path.read_text("utf8"))["harm"]


def _read_all(folder, n_items):
    paths = [p for p in sorted(folder.glob("*.json")) if int(p.stem) < n_items]
    return [json.loads(path.read_text("utf8")) for path in paths]


def _write(path, found):
    beside = path.with_suffix(f".{os.getpid()}")
    beside.write_text(json.dumps(found), encoding="utf8")
    beside.replace(path)


def _record(case, total):
    """Put the counts of a case into the record that is kept with the pages."""
    record = json.loads(RECORD.read_text("utf8")) if RECORD.exists() else {}
    record[case] = {
        "cases": total["n_items"],
        "harm": total["harm"][:_KEPT_NOTES],
        "kinds": {kind: own["outcomes"] for kind, own in total["kinds"].items()},
        "timestamp": environment.timestamp(),
    }
    text = json.dumps(dict(sorted(record.items())), indent=1)
    RECORD.write_text(text + "\n", encoding="utf8")
