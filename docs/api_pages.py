"""Write the pages of the API reference from what the packages export.

A name in a package's ``__all__`` (for lazy packages, in the ``__init__.pyi``) gets its
page by itself; there is no list to keep.
"""

import ast
import importlib
import inspect
from pathlib import Path

from sklearn import base

import treesvm

# What a newcomer wants stands first; the other packages follow by the alphabet.
FIRST = ["treesvm", "treesvm.partitions", "treesvm.candidates"]
# Methods by which the library's own rooms speak to an estimator.
INNER = {
    "check_parameters", "restore_fitted", "committee", "recipe", "final_rows", "winner",
    "keeps_parts", "run_search", "start_search", "grow_tree", "plane_options",
    "model_file_parts", "from_model_file",
}  # fmt: skip
KINDS = {
    "Classes": inspect.isclass,
    "Functions": inspect.isroutine,
    "Values": lambda value: not inspect.isclass(value) and not inspect.isroutine(value),
}


def public_packages():
    """Return the packages that export names, `treesvm` first."""
    stub = ast.parse(Path(treesvm.__file__).with_suffix(".pyi").read_text("utf8"))
    names = ["treesvm"] + [
        f"treesvm.{alias.name}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.module == "treesvm"
        for alias in node.names
    ]
    return sorted(names, key=lambda n: (FIRST.index(n) if n in FIRST else 99, n))


def page_of_name():
    """Return {name: page} of what `treesvm` itself exports."""
    names = (name for name in treesvm.__all__ if not name.startswith("_"))
    values = {name: getattr(treesvm, name) for name in names}
    return {
        name: f"/api/generated/treesvm.{name}.rst"
        for name, value in values.items()
        if inspect.isclass(value) or inspect.isroutine(value)
    }


def hidden_methods():
    """Return what pages of classes leave out: what bases bring along, inner methods."""
    bases = (base.BaseEstimator, base.ClassifierMixin, base.RegressorMixin)
    brought = {name for owner in (*bases, tuple, OSError) for name in dir(owner)}
    return sorted(brought | INNER)


def package_page(name, listed):
    """Return the text of a package's page; `listed` has what other pages show."""
    package = importlib.import_module(name)
    lines = [name, "=" * len(name), "", _sentence(package), ""]
    lines += [f".. currentmodule:: {name}", ""]
    values = {n: getattr(package, n) for n in sorted(package.__all__)}
    own = {n: value for n, value in values.items() if id(value) not in listed}
    for title, belongs in KINDS.items():
        found = [n for n, value in own.items() if belongs(value)]
        if found:
            lines += [title, "-" * len(title), "", ".. autosummary::"]
            lines += ["   :toctree: generated/", "   :nosignatures:", ""]
            lines += [f"   {n}" for n in found] + [""]
    again = [listed[id(value)] for n, value in values.items() if n not in own]
    if again:
        roles = ", ".join(f":obj:`{n}`" for n in again)
        lines += [f"The same objects as elsewhere: {roles}.", ""]
    listed.update({id(value): f"{name}.{n}" for n, value in own.items()})
    return "\n".join(lines)


def _sentence(package):
    """Return what a package is, without what only its developers want to know."""
    return (inspect.getdoc(package) or "").split("; ``__init__")[0].removesuffix(
        "; names in ``__init__.pyi``."
    ).rstrip(".") + "."


def write_api_pages(folder):
    """Write one page for each package and an index; leave equal files untouched."""
    folder.mkdir(exist_ok=True)
    names, listed = public_packages(), {}
    pages = {f"{name}.rst": package_page(name, listed) for name in names}
    toc = "\n".join(f"   {name}" for name in names)
    rooms = "\n".join(
        f"   * - :doc:`{name}`\n     - {_sentence(importlib.import_module(name))}"
        for name in names
    )
    pages["index.rst"] = (
        "API reference\n=============\n\n"
        "The estimators are in ``treesvm`` itself: start there. What is not listed "
        "here may change at any time.\n\n"
        f".. list-table::\n   :widths: 30 70\n\n{rooms}\n\n"
        f".. toctree::\n   :hidden:\n\n{toc}\n"
    )
    shown = {f"{name}.rst" for name in listed.values()}
    for old in (folder / "generated").glob("*.rst"):
        if old.name not in shown:  # of a name that is gone
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text("utf8") != text:
            path.write_text(text, "utf8")
