"""The code that a function depends on: what it names, and what that names in turn.

Followed through the functions, classes and constants of `benchmarks`; imports from
elsewhere end the walk. So a key changes with what a figure is computed by, not with
its neighbours in the same file.
"""

import ast
import functools
import inspect
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def reached(work):
    """The syntax trees that `work` reaches, without docstrings, as sorted texts."""
    start = Path(inspect.getsourcefile(work)), work.__name__
    seen, waiting = {}, [start]
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        node = _definitions(place[0]).get(place[1])
        if node is None:  # a name from elsewhere
            continue
        seen[place] = meaning(node)
        waiting += _named_in(node, place[0])
    return [
        f"{path.stem}.{name}: {text}" for (path, name), text in sorted(seen.items())
    ]


def meaning(tree):
    """The syntax tree without docstrings: comments and line breaks change nothing."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_text(body[0]):
            node.body = body[1:]
    return ast.dump(tree)


def _is_text(node):
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _named_in(node, path):
    """(file, name) of what the node names, in its own file or an imported one."""
    imported = _imports(path)
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield imported.get(part.id, (path, part.id))
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            file, name = imported.get(part.value.id, (path, part.value.id))
            if name is None:  # the name of a whole file
                yield file, part.attr


@functools.cache
def _parsed(path):
    return ast.parse(path.read_text(encoding="utf8"))


@functools.cache
def _definitions(path):
    """Name -> the statement at the top of the file that defines it."""
    found = {}
    for node in _parsed(path).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            names = (n.id for t in node.targets for n in ast.walk(t) if _is_name(n))
            found |= dict.fromkeys(names, node)
    return found


def _is_name(node):
    return isinstance(node, ast.Name)


@functools.cache
def _imports(path):
    """Name -> (file, name there), or (file, None) where it is the file itself."""
    found = {}
    for node in _parsed(path).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "benchmarks"
        ):
            for alias in node.names:
                found[alias.asname or alias.name] = _place(node.module, alias.name)
    return found


def _place(module, name):
    inside = ROOT.joinpath(*module.split("."), f"{name}.py")
    if inside.is_file():
        return inside, None
    return ROOT.joinpath(*module.split(".")).with_suffix(".py"), name
