"""Imports point one way; rooms keep their private names; naive twins independent.

The rooms, from the ground up. A room may import from its own row and from every row
below it (earlier in the list), never from a row above. What begins with one underscore
belongs to the room that defines it. Imports stand at the top of a file, where a cycle
shows; only the command imports in functions, to start fast.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "treesvm"

ROOMS = [
    {"files", "inputs", "kernels", "lazy_names", "estimator_table"},
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
    {"persistence", "distributed", "export", "plotting"},
    {"reporting"},
    {"cli", "__main__"},
]
LEVEL = {name: level for level, names in enumerate(ROOMS) for name in names}
TOP = len(ROOMS)  # treesvm/__init__.py re-exports, so it may see everything
SELF = {"self", "cls", "super"}
BANNED_NAMES = {"utils", "core", "helpers", "common", "misc"}

SOURCES = sorted(PACKAGE.rglob("*.py"))
TWINS = sorted((ROOT / "tests").glob("naive*.py"))
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


def is_private(name):
    return name.startswith("_") and not name.endswith("__")


def private_names(tree):
    """Return the private names that a file defines: functions, variables, fields."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return {name for name in found if is_private(name)}


def foreign_privates(room, tree, privates):
    """Return the private names of other rooms that a file imports or asks objects for.

    `privates` are the names that each room defines. What an object calls itself,
    through self, cls or super(), it may have inherited.
    """
    level = LEVEL.get(room, TOP)
    below = [names for name, names in privates.items() if LEVEL.get(name, TOP) <= level]
    foreign = set().union(*below) - privates.get(room, set())
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            parts = (node.module or "").split(".")
            is_foreign = parts[0] == "treesvm" and parts[1:2] != [room]
            names = [alias.name for alias in node.names] + parts
            found += [name for name in names if is_foreign and is_private(name)]
        elif isinstance(node, ast.Attribute) and is_private(node.attr):
            owner = node.value.func if isinstance(node.value, ast.Call) else node.value
            is_itself = isinstance(owner, ast.Name) and owner.id in SELF
            if not is_itself and node.attr in foreign:
                found.append(node.attr)
    return found


def hidden_imports(source):
    """Return the modules of treesvm that are imported inside functions."""
    return [
        name
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
        for name in imported_modules(ast.unparse(function))
        if name.split(".")[0] == "treesvm"
    ]


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def short_name(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SOURCES, ids=short_name)
def test_imports_point_down(path):
    assert forbidden_imports(room_of(path), path.read_text(encoding="utf8")) == []


@pytest.fixture(scope="module")
def room_privates():
    """{room: private names that its files define}."""
    found = {}
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf8"))
        found.setdefault(room_of(path), set()).update(private_names(tree))
    return found


@pytest.mark.parametrize("path", SOURCES, ids=short_name)
def test_private_names_stay_in_their_room(path, room_privates):
    tree, room = ast.parse(path.read_text(encoding="utf8")), room_of(path)
    assert foreign_privates(room, tree, room_privates) == []


@pytest.mark.parametrize("path", SOURCES, ids=short_name)
def test_no_import_hides_in_a_function(path):
    found = hidden_imports(path.read_text(encoding="utf8"))
    assert found == [] or room_of(path) == "cli"


@pytest.mark.parametrize("path", SOURCES, ids=short_name)
def test_every_file_is_in_a_known_room(path):
    assert room_of(path) in LEVEL.keys() | {"__init__"}


@pytest.mark.parametrize("path", ALL_FILES, ids=short_name)
def test_file_is_named_well_and_imports_absolutely(path):
    source = path.read_text(encoding="utf8")
    assert path.stem.strip("_") not in BANNED_NAMES
    assert not has_relative_import(source)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_pages_name_rooms_and_files_that_exist(page):
    text = (ROOT / page).read_text(encoding="utf8")
    named = re.findall(r"`(?:src/treesvm/|treesvm/)?(\w+/[\w.]*)`", text)
    inside = [name for name in named if name.split("/")[0] in LEVEL]
    assert len(inside) >= 3
    assert [name for name in inside if not (PACKAGE / name).exists()] == []


@pytest.mark.parametrize("path", TWINS, ids=short_name)
def test_naive_twins_import_nothing_from_treesvm(path):
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


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from treesvm.trees.tree import _cut", ["_cut"]),
        ("from treesvm.estimators.dtsvm import _cut", []),
        ("from treesvm import _version", ["_version"]),
        ("model._grow(X)", ["_grow"]),
        ("model.tree_._grow", ["_grow"]),
        ("self._grow(super()._grow)", []),
        ("other._rows", []),
        ("report._replace(), report.__class__, report._above", []),
    ],
)
def test_checker_sees_private_names_of_other_rooms(source, found):
    below = private_names(ast.parse("def _grow(): pass\n_rows = 2"))
    own = private_names(ast.parse("class A:\n  def f(self):\n    self._rows = 1"))
    privates = {"trees": below, "estimators": own, "cli": {"_above"}}
    assert foreign_privates("estimators", ast.parse(source), privates) == found


def test_checker_sees_imports_in_functions():
    source = "import treesvm\ndef f():\n    from treesvm.trees import Tree"
    assert hidden_imports(source) == ["treesvm.trees.Tree"]


def test_checker_sees_relative_imports():
    assert has_relative_import("from . import smo")
    assert not has_relative_import("from treesvm.solvers import smo")
