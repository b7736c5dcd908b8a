"""What the league has measured: one record for each table, seed and method.

The file is committed, one record a line, so that a run takes up where the last one
ended and a change shows as changed lines. A record counts as long as the method's
settings and its version (of the package, or of our code) are the same.
"""

import ast
import hashlib
import json
from pathlib import Path

from treesvm.files.atomic_file import replaced_file

# What decides which model is trained; a changed report or command changes no result.
_ROOMS = (
    "inputs",
    "kernels",
    "solvers",
    "machines",
    "trees",
    "partitions",
    "datasets",
    "decomposition",
    "estimators",
    "model_selection",
)


def code_version(root):
    """Return a short text that is the same while the code is, docstrings apart."""
    digest = hashlib.blake2b(digest_size=4)
    for room in _ROOMS:
        for path in sorted(Path(root, room).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                    node.value = ast.Constant(None)
            digest.update(ast.dump(tree).encode())
    return digest.hexdigest()


class LeagueStore:
    """Records by (table, seed, method).

    Parameters
    ----------
    path : Path
    is_kept : bool
        Whether a file is written; without, records live as long as the object.
    """

    def __init__(self, path, is_kept=True):
        self._path, self._is_kept = Path(path), is_kept
        self.records = {}
        if self._path.exists():
            for record in json.loads(self._path.read_text(encoding="utf8")):
                self.records[_key(record)] = record

    def find(self, table, seed, method):
        """Return the record of a cell, or None."""
        return self.records.get((table, seed, method))

    def put(self, record):
        """Keep a record in place of an older one."""
        self.records[_key(record)] = record
        if self._is_kept:
            ordered = [self.records[key] for key in sorted(self.records)]
            lines = ",\n".join(json.dumps(line, sort_keys=True) for line in ordered)
            with replaced_file(self._path) as file:
                file.write(f"[\n{lines}\n]\n".encode())


def _key(record):
    return record["table"], record["seed"], record["method"]
