"""Examples of the gallery compile, use names that exist, and the quickest ones run."""

import ast
import importlib
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
QUICK = ("oblique_tree", "jumps_of_regression", "string_kernel")


def imported_names(source):
    """Yield (module, name) of what is imported; the name of a module is None."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)


def missing_names(source):
    """Return the names that modules lack; absent packages are not looked into."""
    found = []
    for module, name in imported_names(source):
        if find_spec(module.split(".")[0]) is None and not module.startswith("treesvm"):
            continue
        loaded = importlib.import_module(module)
        if name is not None and not hasattr(loaded, name):
            found.append(f"{module}.{name}")
    return found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_has_a_title_a_plot_and_names_that_exist(path):
    source = path.read_text("utf8")
    compile(source, path.name, "exec")
    assert re.match(r'"""\n\S.*\n=+\n\n\S', source), "a title, and a paragraph below it"
    assert "plt.show()" in source
    assert missing_names(source) == []


def test_there_are_enough_examples_and_all_belong_to_the_gallery():
    assert len(EXAMPLES) >= 18
    assert all(path.name.startswith("plot_") for path in EXAMPLES)


@pytest.mark.parametrize("name", QUICK)
def test_quick_example_runs(name, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(plt, "show", lambda: None)
    plt.switch_backend("agg")
    path = ROOT / "examples" / f"plot_{name}.py"
    exec(compile(path.read_text("utf8"), path.name, "exec"), {"__name__": "__main__"})
    assert plt.get_fignums()
    plt.close("all")


def test_the_checker_sees_a_name_that_is_gone():
    assert missing_names("from treesvm import KernelSVC, NoSuchSVC") == [
        "treesvm.NoSuchSVC"
    ]
