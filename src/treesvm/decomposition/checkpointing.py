"""What a long fit keeps while it runs, so that a killed one can go on.

A fit hands finished pieces of work, as `Item`, to a store and asks it first what is
known already. Where and how items are kept is decided in a higher room, which registers
an opener here: fits know the store's four methods and nothing of files.
"""

import hashlib
from typing import NamedTuple

import numpy as np
from scipy import sparse

# Parameters that change how a fit runs, not what comes out of it.
# A limit decides how much is done, not what.
_WITHOUT_EFFECT = ("checkpoint", "n_jobs", "random_state", "time_limit", "verbose")
_BLOCK = 2**24  # bytes hashed at a time, where an array is not contiguous

_openers: list = []


class Item(NamedTuple):
    """A finished piece of work: any of these may be empty."""

    parts: tuple = ()  # of `treesvm.decomposition.decomposition.Part`
    trees: tuple = ()
    arrays: dict | None = None  # name -> array of whole numbers or floats
    note: object = None  # simple values that JSON can hold


class FitDescription(NamedTuple):
    """What makes two fits the same fit: equal descriptions give equal models."""

    estimator: str
    parameters: dict
    data: dict  # name -> short text, such as a checksum
    n_classes: int
    n_features: int


class NoCheckpoint:
    """The store of a fit that keeps nothing."""

    n_restored = 0  # leaves taken from the store instead of trained

    def scope(self, name):
        """Return the store of a part of the fit; its keys are its own."""
        return self

    def seeds(self, drawn, random_state):
        """Return the seeds of this fit, which a resumed fit takes from its store."""
        return drawn

    def confirm(self, name, text):
        """Refuse to go on if `text`, known only during the fit, has changed."""

    def get(self, key):
        """Return the item of a key, None if it is not known."""
        return None

    def put(self, key, item):
        """Keep an item; it may be written a little later."""

    def count_restored(self, n_leaves):
        """Count leaves that came from the store."""

    def folder_of(self, name):
        """Return the checkpoint of a fit inside this one, None without one."""
        return None

    def close(self):
        """Write what has not been written yet."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


NOTHING_KEPT = NoCheckpoint()


class KeptTrees:
    """Trees in a store, by name: for growth, which knows nothing of items."""

    def __init__(self, store):
        self._store = store

    def get(self, name):
        """Return the tree of a name, None if it is not known."""
        item = self._store.get(f"tree {name}")
        return None if item is None or len(item.trees) != 1 else item.trees[0]

    def put(self, name, tree):
        """Keep a tree."""
        self._store.put(f"tree {name}", Item(trees=(tree,)))


def open_rows_checkpoint(model, rows):
    """Return the store of a fit to `Rows`; without checkpoint it keeps nothing."""
    classes = getattr(model, "classes_", ())
    return open_checkpoint(
        model,
        lambda: rows_identity(rows.X, rows.target, rows.weight, classes),
        n_classes=len(classes),
        n_features=rows.X.shape[1],
    )


def count_restored(model, store):
    """Note how many leaves came from the checkpoint, if there is one."""
    if model.checkpoint is not None:
        model.n_restored_leaves_ = store.n_restored


def register_opener(opener):
    """Name the function ``opener(checkpoint, description) -> store``."""
    _openers[:] = [opener]


def open_checkpoint(model, data, *, n_classes, n_features):
    """Return the store that ``model.checkpoint`` names.

    Parameters
    ----------
    model : estimator
        With a parameter `checkpoint`: None, a folder, or a `Checkpoint`.
    data : callable
        Called without arguments for the texts that identify the training rows, only if
        there is a checkpoint.
    """
    if model.checkpoint is None:
        return NOTHING_KEPT
    if callable(getattr(model, "kernel", None)):
        raise ValueError(
            "checkpoint= cannot keep machines whose kernel is a Python function, "
            "because nothing in a checkpoint is ever executed; use a named kernel."
        )
    parameters = {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name not in _WITHOUT_EFFECT
    }
    description = FitDescription(
        type(model).__name__, parameters, data(), n_classes, n_features
    )
    return _openers[0](model.checkpoint, description)


def rows_identity(X, codes, weight, classes):
    """Texts that tell training rows from others."""
    return {
        "rows": f"{X.shape[0]} × {X.shape[1]}, {X.dtype}",
        "features": checksum(X),
        "labels": checksum(codes) + " of " + checksum(np.asarray(classes).astype(str)),
        "sample_weight": "none" if weight is None else checksum(weight),
    }


def checksum(values):
    """Return a short hash of an array or CSR matrix: type, shape and numbers."""
    digest = hashlib.sha256()
    arrays = [values]
    if sparse.issparse(values):
        arrays = [values.indptr, values.indices, values.data]
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        if array.flags.c_contiguous:
            digest.update(memoryview(array.reshape(-1).view(np.uint8)))
            continue
        step = max(1, _BLOCK // max(1, array[:1].nbytes))
        for start in range(0, len(array), step):
            digest.update(np.ascontiguousarray(array[start : start + step]).tobytes())
    return digest.hexdigest()[:24]
