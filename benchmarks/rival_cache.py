"""Results of slow rivals, kept in a file so that nobody waits for them twice.

The file is append-only JSON lines, one ``{"key": ..., "value": ...}`` each. A run that
is interrupted loses at most the line being written: a torn line is ignored when reading
and closed before the next one is appended.

The key names everything the value depends on: method, parameters, a fingerprint of the
data, versions and machine. A new scikit-learn or another processor measures again.
"""

import json
import os
from pathlib import Path


def default_path():
    """The user's cache folder, by the XDG convention."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "treesvm" / "rivals.jsonl"


class RivalCache:
    def __init__(self, path=None):
        self.path = Path(path) if path else default_path()
        self._values = dict(_read(self.path))

    def __len__(self):
        return len(self._values)

    def __contains__(self, key):
        return _canonical(key) in self._values

    def fetch(self, key, compute):
        """The stored value of `key`; if there is none, `compute()` it and store it."""
        text = _canonical(key)
        if text not in self._values:
            # Through JSON once, so that the types are those read back later.
            value = json.loads(json.dumps(compute()))
            self._append(key, value)
            self._values[text] = value
        return self._values[text]

    def _append(self, key, value):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"key": key, "value": value}, sort_keys=True) + "\n"
        if _is_torn(self.path):
            line = "\n" + line
        # One write in append mode: two benchmarks at once do not mix their lines.
        with open(self.path, "a", encoding="utf8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())


def _canonical(key):
    return json.dumps(key, sort_keys=True)


def _read(path):
    """Yield (canonical key, value) of every whole line."""
    if not path.exists():
        return
    with open(path, encoding="utf8", errors="replace") as file:
        for line in file:
            try:
                entry = json.loads(line)
                yield _canonical(entry["key"]), entry["value"]
            except (ValueError, TypeError, KeyError):
                continue  # torn by an interrupted run


def _is_torn(path):
    if not path.exists() or path.stat().st_size == 0:
        return False
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
