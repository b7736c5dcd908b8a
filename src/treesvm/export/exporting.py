"""A model to a file of another runtime, by the ending of its name."""

from pathlib import Path
from typing import Any, NamedTuple

from treesvm import export
from treesvm.export.c_compiler import object_bytes
from treesvm.export.c_model import to_c
from treesvm.files.atomic_file import replaced_file
from treesvm.files.file_path import FilePath

ENDINGS = (".onnx", ".c")


class Exported(NamedTuple):
    """What was written."""

    path: str
    n_bytes: int
    object_bytes: int | None  # of the compiled C file, where there is a compiler
    opsets: dict[str, int] | None  # of the ONNX file, by domain


def export_model(model: Any, path: FilePath) -> Exported:
    """Write a fitted model as an ONNX model or as a C99 file.

    A file of that name is replaced, as a whole or not at all.

    Parameters
    ----------
    model : classifier, regressor or TableModel
        Fitted. See `to_onnx` and `to_c` for what they take.
    path : str or path-like
        Ends with ``.onnx`` (needs the extra ``treesvm[onnx]``) or ``.c``.

    Returns
    -------
    Exported
        Sizes, and the versions of ONNX's operators.

    Raises
    ------
    ValueError
        For other endings, and models that cannot be exported.

    Notes
    -----
    When not to use it: to keep a model for Python, use `treesvm.save_model`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from treesvm import HLSVMClassifier
    >>> from treesvm.export import export_model
    >>> X, y = load_iris(return_X_y=True)
    >>> model = HLSVMClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = export_model(model, pathlib.Path(folder, "iris.c"))
    >>> made.n_bytes > 1000
    True
    """
    ending = checked_ending(path)
    opsets = None
    if ending == ".c":
        content = to_c(model).encode("ascii")
    else:
        made = export.to_onnx(model)  # loaded by its first use: ONNX is an extra
        opsets = {
            opset.domain or "ai.onnx": opset.version for opset in made.opset_import
        }
        content = made.SerializeToString()
    with replaced_file(path) as file:
        file.write(content)
    compiled = object_bytes(content) if ending == ".c" else None
    return Exported(str(path), len(content), compiled, opsets)


def checked_ending(path: FilePath) -> str:
    """Return the ending of a file's name, or raise a ValueError that lists them."""
    ending = Path(str(path)).suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(f"{path}: unknown ending; use one of {', '.join(ENDINGS)}.")
    return ending
