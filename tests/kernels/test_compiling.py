"""Functions compiled without an entry for Python are called by compiled code only."""

import ast
from pathlib import Path

import pytest

import treesvm

SOURCES = sorted(Path(treesvm.__file__).parent.rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf8")) for path in SOURCES}


def functions_of(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def decorators_of(function):
    """Names of the decorators, called or not."""
    used = [getattr(node, "func", node) for node in function.decorator_list]
    return {node.id for node in used if isinstance(node, ast.Name)}


def inner_names(tree):
    return {f.name for f in functions_of(tree) if "inner" in decorators_of(f)}


def is_compiled(function):
    return bool(decorators_of(function) & {"compiled", "inner", "njit"})


def calls_from_python(tree, names):
    """List the calls of `names` in functions that are not compiled."""
    plain = [f for f in functions_of(tree) if not is_compiled(f)]
    calls = [n.func for f in plain for n in ast.walk(f) if isinstance(n, ast.Call)]
    called = [getattr(node, "attr", getattr(node, "id", None)) for node in calls]
    return [name for name in called if name in names]


SHARED = {n for t in TREES.values() for n in inner_names(t) if not n.startswith("_")}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_python_does_not_call_inner_functions(path):
    names = SHARED | inner_names(TREES[path])
    assert calls_from_python(TREES[path], names) == []


def test_the_check_sees_a_call():
    tree = ast.parse("@inner\ndef f(x):\n    return x\n\n\ndef g():\n    return f(1)\n")
    assert calls_from_python(tree, inner_names(tree)) == ["f"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_only_compiling_names_njit(path):
    """Its `compiled` also works where no compiled code can be kept."""
    if path.stem != "compiling":
        names = [n for n in ast.walk(TREES[path]) if isinstance(n, ast.alias)]
        assert "njit" not in {node.name for node in names}
