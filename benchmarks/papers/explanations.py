"""Why ours differs: one sentence for each group of cells, from one data file."""

import json
from fnmatch import fnmatchcase
from pathlib import Path

PATH = Path(__file__).with_name("explanations.json")


def load(paper_name, path=PATH):
    """The entries of a paper: dictionaries with table, row, column and text."""
    return json.loads(path.read_text(encoding="utf8")).get(paper_name, [])


def find(entries, table, cell):
    """The first text whose patterns match the cell, or None."""
    for entry in entries:
        if (
            fnmatchcase(table, entry.get("table", "*"))
            and fnmatchcase(cell.row, entry.get("row", "*"))
            and fnmatchcase(cell.column, entry.get("column", "*"))
        ):
            return entry["text"]
    return None
