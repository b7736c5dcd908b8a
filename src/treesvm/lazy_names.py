"""Public names that are loaded when they are first used, so that importing is quick.

A package lists its names as imports in the stub beside its ``__init__.py``, where type
checkers read them too (Scientific Python's SPEC 1 does the same).
"""

import ast
import sys
from importlib import import_module
from pathlib import Path


def lazy_names(package, file):
    """Return `__getattr__`, `__dir__` and `__all__` of a package, from its stub.

    Parameters
    ----------
    package : str
        The package's name.
    file : str
        Its ``__init__.py``.
    """
    stub = Path(file).with_suffix(".pyi").read_text(encoding="utf8")
    home = {
        alias.name: node.module
        for node in ast.parse(stub).body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }

    def load(name):
        """Import the module that a public name lives in."""
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if home[name] == package:  # a room: importing it sets the attribute
            return import_module(f"{package}.{name}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    own = sorted(name for name, module in home.items() if module != package)
    # Rooms are shown once they are imported: some of them need extras.
    return load, lambda: sorted({*own, *vars(sys.modules[package])}), own
