"""Figures of finished runs, kept in a small JSON file for each paper.

A run's key has three parts: the code that defines its method, the data files that it
read, and its parameters. A figure is used again only while all three are the same.
"""

import ast
import functools
import hashlib
import json
from pathlib import Path

from benchmarks import environment
from benchmarks.data import MissingData
from benchmarks.papers.reached_code import ROOT, meaning, reached

RESULTS = ROOT / "docs" / "papers" / "results"
SLOTS = ("full", "quick")


def key_of(run, folder):
    """The three parts of a run's key; raises MissingData without its data."""
    parts = reached(run.work)
    parts += [_file_meaning(ROOT / source) for source in run.sources]
    return {
        "code": _digest("\n".join(parts).encode()),
        "data": _digest("".join(_file_digest(folder, n) for n in run.data).encode()),
        "parameters": dict(run.parameters),
    }


def _digest(content):
    return hashlib.blake2b(content, digest_size=6).hexdigest()


@functools.cache
def _file_digest(folder, name):
    path = Path(folder) / f"{name}.npz"
    if not path.is_file():
        raise MissingData(f"{path} is not there")
    return _digest(path.read_bytes())


@functools.cache
def _file_meaning(path):
    return meaning(ast.parse(path.read_text(encoding="utf8")))


class Store:
    """The results of one paper, read and written whole."""

    def __init__(self, paper_name, folder=RESULTS):
        self.path = Path(folder) / f"{paper_name}.json"
        self._entries = {}
        self._read()

    def _read(self):
        if self.path.exists():
            self._entries = json.loads(self.path.read_text(encoding="utf8"))

    def entry(self, name, slot="full"):
        """What is known of a run: a dictionary, empty if nothing is."""
        return self._entries.get(name, {}).get(slot, {})

    def shown(self, name):
        """(figures, slot) for the page: full figures, else those of a quick run."""
        for slot in SLOTS:
            figures = self.entry(name, slot).get("figures")
            if figures is not None:
                return figures, slot
        return None, None

    def is_done(self, run, key, *, quick, cap, timed=False):
        """Nothing is left to do: same key, and finished or capped at as much."""
        for slot in SLOTS if quick else SLOTS[:1]:
            entry = self.entry(run.name, slot)
            if entry.get("key") != plain(key):
                continue
            if "figures" in entry and (entry["timed"] or not timed):
                return True
            if "figures" not in entry and entry.get("cap", 0) >= cap:
                return True
        return False

    def put(self, run, key, slot, **content):
        """Keep an entry; the file, which others may have written to, is replaced."""
        self._read()
        self._entries.setdefault(run.name, {})[slot] = plain(
            {"key": key, "date": environment.timestamp()[:10], **content}
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self._entries, indent=1, sort_keys=True, ensure_ascii=False)
        partial = self.path.with_suffix(".partial")
        partial.write_text(text + "\n", encoding="utf8")
        partial.replace(self.path)


def plain(value):
    """Through JSON once, so that what is compared is what is read back."""
    return json.loads(json.dumps(value))
