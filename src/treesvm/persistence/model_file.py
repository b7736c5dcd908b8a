"""Save a fitted estimator to one file, load it from a stranger without fear.

The file is a zip of .npy arrays and a JSON header:

    {"format": 3, "treesvm": "0.1.0", "class": "DTSVMClassifier",
     "parameters": {...}, "state": {...}, "arrays": {name: dtype, shape, sha256}}

No part of it is a pickle and no part is executed. `load_model` checks everything that
the estimators rely on before it makes them: sizes, dtypes, finite numbers, indices,
trees, counts. A new format gets a new number and a step from the one before it in
`old_formats`; older files go through all the steps.
"""

import os
import stat
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from treesvm import __version__
from treesvm.files.array_files import read_archive, write_archive
from treesvm.files.atomic_file import replaced_file
from treesvm.files.checked_arrays import ArrayReader
from treesvm.files.failures import ModelFileError, require
from treesvm.files.file_path import FilePath
from treesvm.files.json_values import field
from treesvm.inputs.parameter_rules import is_number
from treesvm.persistence.objects import entry_of, is_wrapper, wrapper_class
from treesvm.persistence.old_formats import STEPS, upgraded
from treesvm.persistence.state import read_model, write_model

FORMAT = 3
FORMATS = {*STEPS, FORMAT}
MAX_BYTES = 512 * 2**20
_NO_LIMIT = 2**62


def save_model(model: Any, path: FilePath) -> None:
    """Write a fitted estimator to a file.

    The file is written beside `path`, flushed to the disk and renamed: whatever
    happens, `path` names the old file or the new one, whole.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this library with named kernels (no Python functions) and
        labels that are integers, floats, booleans or text.
    path : str or path-like
        Of the file.

    Raises
    ------
    ValueError
        If the model cannot be kept in a file; the message says why.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> from treesvm import HLSVMClassifier, load_model, save_model
    >>> X, y = load_iris(return_X_y=True)
    >>> model = HLSVMClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, pathlib.Path(folder, "iris.model"))
    ...     again = load_model(pathlib.Path(folder, "iris.model"))
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    header, arrays = describe(model)
    try:
        _read(header, arrays, _NO_LIMIT)
    except ModelFileError as error:
        raise ValueError(
            f"this {type(model).__name__} cannot be saved: {error}. Were its "
            "parameters or attributes changed after fit? Fit it again."
        ) from error
    with replaced_file(path) as file:
        write_archive(file, header, arrays)


def describe(model):
    """Return the header and the arrays of a model's file."""
    header = {"format": FORMAT, "treesvm": __version__}
    if is_wrapper(model):
        spec, estimator = model.model_file_parts()
        header["wrapper"] = {"class": type(model).__name__, "spec": spec}
        model = estimator
    entry_of(model)  # others may not even be estimators
    check_is_fitted(model)
    arrays = {}
    return header | write_model(model, arrays), arrays


def load_model(path: FilePath, *, max_bytes: int = MAX_BYTES) -> Any:
    """Return the estimator of a file that `save_model` wrote.

    Its answers are those of the saved estimator to the last bit.

    Parameters
    ----------
    path : str or path-like
        Of the file.
    max_bytes : int, default=512 MB
        Most memory that the model may take. The file is refused before anything larger
        is unpacked; raise it for large models that you trust.

    Raises
    ------
    ModelFileError
        A ValueError that names the file and what is wrong with it.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> from treesvm import HLSVMClassifier, load_model, save_model
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "iris.model")
    ...     save_model(HLSVMClassifier(random_state=0).fit(X, y), path)
    ...     model = load_model(path, max_bytes=10**6)
    >>> model.n_features_in_
    4
    """
    name = os.fsdecode(path)
    if not is_number(max_bytes, above=0.0):
        raise ValueError(f"max_bytes={max_bytes!r}; use a number of bytes, above 0.")
    try:
        with _open_regular(name) as file:
            header, arrays = read_archive(file, max_bytes)
        return _read(header, arrays, max_bytes)
    except ModelFileError as error:
        raise ModelFileError(f"{name}: {error}.") from error
    except MemoryError as error:
        raise ModelFileError(
            f"{name}: there is not enough memory for it; lower max_bytes="
            f"{max_bytes} to have files of this size refused beforehand."
        ) from error


def _open_regular(name):
    """Open a file, but no pipe or device, which could go on forever."""
    is_regular = stat.S_ISREG(os.stat(name).st_mode)
    require(is_regular, "it is not a regular file")
    return Path(name).open("rb")


def _read(header, arrays, max_bytes):
    """Make the model that header and arrays describe."""
    number = field(header, "format", int)
    require(
        number <= FORMAT,
        f"it has format {number}, this version reads up to {FORMAT}; install a newer "
        "treesvm",
    )
    require(number in FORMATS, f"its format number {number} never existed")
    known = {"format", "treesvm", "class", "parameters", "state", "wrapper"}
    require(header.keys() <= known, "its header holds an unknown entry")
    field(header, "treesvm", str)
    header, arrays = upgraded(header, arrays, number)
    reader = ArrayReader(arrays, max_bytes)
    model = read_model(header, reader)
    reader.finish()
    if "wrapper" not in header:
        return model
    return _wrap(header["wrapper"], model)


def _wrap(section, model):
    """Put the wrapper around the model, whose class checks its own description."""
    wrapper = wrapper_class(field(section, "class", str))
    require("spec" in section, "its header lacks the description of its wrapper")
    try:
        return wrapper.from_model_file(section["spec"], model)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise ModelFileError(f"its preprocessing is damaged: {error}") from error
