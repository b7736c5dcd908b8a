"""Imports point one way; files stay small; the naive twins stay independent.

The rooms, from the ground up. A room may import from its own row and from every row
below it (earlier in the list), never from a row above.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "treesvm"

ROOMS = [
    {"files", "inputs", "kernels", "estimator_table"},
    {"solvers"},
    {"machines"},
    {"trees"},
    {"partitions"},
    {"candidates", "datasets"},
    {"decomposition"},
    {"compression", "metrics", "bounds"},
    {"estimators"},
    {"model_selection"},
    {"baselines"},
    {"persistence", "distributed", "plotting"},
    {"reporting"},
    {"cli", "__main__"},
]
LEVEL = {name: level for level, names in enumerate(ROOMS) for name in names}
TOP = len(ROOMS)  # treesvm/__init__.py re-exports, so it may see everything
MAX_LINES = 400
BANNED_NAMES = {"utils", "core", "helpers", "common", "misc"}

SOURCES = sorted(PACKAGE.rglob("*.py"))
ALL_FILES = sorted(
    path
    for folder in ("src", "tests", "benchmarks", "examples")
    for path in (ROOT / folder).rglob("*.py")
)


def imported_modules(source):
    """Yield the absolute dotted names a source imports, also inside functions.

    ``from treesvm import kernels`` yields ``treesvm.kernels``: it may be a module.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def has_relative_import(source):
    return any(
        isinstance(node, ast.ImportFrom) and node.level > 0
        for node in ast.walk(ast.parse(source))
    )


def forbidden_imports(room, source):
    """List what a file of `room` imports from a higher room or from benchmarks."""
    level = LEVEL.get(room, TOP)
    found = []
    for name in imported_modules(source):
        parts = name.split(".")
        if parts[0] == "benchmarks":
            found.append(name)
        if parts[0] != "treesvm" or len(parts) == 1:
            continue
        # A name that is no room comes from treesvm/__init__.py, the highest place.
        is_version = parts[1] == "__version__"
        if not is_version and LEVEL.get(parts[1], TOP) > level:
            found.append(name)
    return found


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def short_name(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SOURCES, ids=short_name)
def test_imports_point_down(path):
    assert forbidden_imports(room_of(path), path.read_text(encoding="utf8")) == []


@pytest.mark.parametrize("path", SOURCES, ids=short_name)
def test_every_file_is_in_a_known_room(path):
    assert room_of(path) in LEVEL.keys() | {"__init__"}


@pytest.mark.parametrize("path", ALL_FILES, ids=short_name)
def test_file_is_small_named_well_and_imports_absolutely(path):
    source = path.read_text(encoding="utf8")
    assert source.count("\n") <= MAX_LINES
    assert path.stem.strip("_") not in BANNED_NAMES
    assert not has_relative_import(source)


def test_naive_twins_import_nothing_from_treesvm():
    path = ROOT / "tests" / "naive.py"
    if not path.exists():
        pytest.skip("there is no naive twin yet")
    modules = imported_modules(path.read_text(encoding="utf8"))
    assert not [name for name in modules if name.split(".")[0] == "treesvm"]


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("kernels", "from treesvm.solvers.smo import solve_smo"),
        ("solvers", "import treesvm.estimators"),
        ("trees", "from treesvm import estimators"),
        ("estimators", "def f():\n    from treesvm.baselines import BaggedSVC"),
        ("estimators", "from treesvm import KernelSVC"),
        ("candidates", "import treesvm.cli as cli"),
        ("cli", "import benchmarks.runner"),
    ],
)
def test_checker_reports_a_forbidden_import(room, source):
    assert len(forbidden_imports(room, source)) == 1


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("solvers", "from treesvm.kernels.rbf import squared_distances"),
        ("solvers", "from treesvm.solvers import smo"),
        ("candidates", "from treesvm.trees import grow"),
        ("persistence", "from treesvm import __version__"),
        ("__init__", "from treesvm.model_selection import DTSVMClassifierCV"),
        ("kernels", "import numpy as np"),
    ],
)
def test_checker_allows_imports_from_below(room, source):
    assert forbidden_imports(room, source) == []


def test_checker_sees_relative_imports():
    assert has_relative_import("from . import smo")
    assert not has_relative_import("from treesvm.solvers import smo")
