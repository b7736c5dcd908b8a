"""A folder in which a long fit keeps what it has finished.

    fit.piece           what the fit is: estimator, parameters, checksums of the rows
    NAME-RANDOM.piece   some items: trained leaves, grown trees, results of a search

Every file has the format of model files (arrays and a JSON header, checked while they
are read, never a pickle) and is written beside its place, flushed and renamed. A fit
that was killed, whenever, leaves whole files; what a file does not hold is done again.
"""

import os
import secrets
import time
import warnings
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import RLock
from typing import Any

from sklearn.base import BaseEstimator

from treesvm import __version__
from treesvm.decomposition.checkpointing import Item, NoCheckpoint, register_opener
from treesvm.files.array_files import read_archive, write_archive
from treesvm.files.atomic_file import replaced_file
from treesvm.files.failures import ModelFileError, require
from treesvm.files.file_path import FilePath
from treesvm.files.json_values import JsonValues, field
from treesvm.persistence.checkpoint_items import (
    item_bytes,
    read_items,
    write_items,
)

FORMAT = 2
_VALUES = JsonValues()
_FIT = "fit.piece"
_MAX_BYTES = 2**32  # of one piece; the folder is the user's own, but may be damaged
_PENDING_BYTES = 32 * 2**20  # written at once, whatever the time
_WRITER = ThreadPoolExecutor(1, thread_name_prefix="treesvm-checkpoint")


class CheckpointError(ValueError):
    """A checkpoint belongs to another fit; the message names the difference."""


class Checkpoint:
    """Where a fit keeps its finished pieces, and how often it writes them.

    Estimators take a folder, ``checkpoint="folder"``, or such an object.

    Parameters
    ----------
    folder : str or path-like
        Made if it does not exist. One folder belongs to one fit.
    every : float, default=1.0
        Seconds between writes. A killed fit loses what it finished since the last one.

    Notes
    -----
    When not to use it: a fit of a few seconds is done again sooner than resumed.
    The folder stays after the fit; remove it once the model is saved.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import DTSVMClassifier
    >>> from treesvm.persistence import Checkpoint
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = DTSVMClassifier(max_leaf_size=500, random_state=0)
    ...     model = model.set_params(checkpoint=Checkpoint(folder, every=5.0))
    ...     first = model.fit(X, y).n_restored_leaves_
    ...     again = model.fit(X, y).n_restored_leaves_
    >>> first, again == model.n_leaves_
    (0, True)
    """

    def __init__(self, folder: FilePath, every: float = 1.0) -> None:
        if not isinstance(folder, (str, os.PathLike)) or str(folder) == "":
            raise ValueError(
                f"checkpoint={folder!r} is not possible; give the name of a folder."
            )
        if not isinstance(every, (int, float)) or not every >= 0.0:
            raise ValueError(
                f"every={every!r} is not possible; use seconds, 0 or more."
            )
        self.folder, self.every = Path(folder), float(every)

    def __repr__(self):
        return f"Checkpoint({str(self.folder)!r}, every={self.every:g})"

    def open(self, description: Mapping[str, Any]) -> Any:
        """Return the store of a fit; refuse the checkpoint of another one."""
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(
                f"checkpoint={str(self.folder)!r} is a file; give a folder."
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        return FolderStore(self, description)


def open_store(checkpoint, description):
    """Return the store for a folder or a `Checkpoint`."""
    if not isinstance(checkpoint, Checkpoint):
        checkpoint = Checkpoint(checkpoint)
    return checkpoint.open(description)


register_opener(open_store)


class FolderStore(NoCheckpoint):
    """The items of one fit, in memory and in the pieces of a folder."""

    def __init__(self, checkpoint, description):
        self._folder, self._every = checkpoint.folder, checkpoint.every
        self._about, self._lock = description, RLock()
        self._items, self._pending, self._pending_bytes = {}, {}, 0
        self._writing = None
        self._last_write = time.monotonic()
        self.n_restored = 0
        self._remove_unfinished()
        self._seeds = self._check_identity()
        for path in sorted(self._folder.glob("*.piece")):
            if path.name != _FIT:
                self._load(path)

    def scope(self, name):
        """Return the store of a part of the fit."""
        return _Scope(self, f"{name}/")

    def seeds(self, drawn, random_state):
        """Keep the seeds of a new fit; return those of the fit that goes on.

        With ``random_state=None`` the seeds drawn now do not count.
        """
        drawn = [int(seed) for seed in drawn]
        if self._seeds is None:
            self._seeds = drawn
            self._write_identity()
        elif random_state is not None:
            self._refuse_difference(
                {"the seeds of random_state": self._seeds},
                {"the seeds of random_state": drawn},
            )
        return self._seeds

    def confirm(self, name, text):
        """Keep a text of a new fit; compare it in one that goes on."""
        known = self._items.get(name)
        if known is not None:
            self._refuse_difference({name: known.note}, {name: text})
            return
        self.put(name, Item(note=text))
        self.close()

    def get(self, key):
        """Return the item of a key, None if it is not known."""
        return self._items.get(key)

    def put(self, key, item):
        """Keep an item; write what has gathered if it is time."""
        with self._lock:
            self._pending[key] = item
            self._pending_bytes += item_bytes(item)
            is_late = time.monotonic() - self._last_write >= self._every
            if is_late or self._pending_bytes >= _PENDING_BYTES:
                self._hand_over()

    def count_restored(self, n_leaves):
        """Count leaves that came from the store."""
        with self._lock:
            self.n_restored += n_leaves

    def folder_of(self, name):
        """Return the checkpoint of a fit inside this one."""
        return Checkpoint(self._folder / name, self._every)

    def close(self):
        """Write what has not been written yet, and wait until it is on the disk."""
        with self._lock:
            self._finish_writing()
            self._write_items(self._take_pending())

    def _hand_over(self):
        """Let the writer's thread write what has gathered, if it has nothing to do.

        A flush waits for the disk, and training should not. With ``every=0`` it does:
        then nothing is ever lost but what was being trained.
        """
        if self._every == 0.0:
            self._write_items(self._take_pending())
        elif self._writing is None or self._writing.done():
            self._finish_writing()
            self._writing = _WRITER.submit(self._write_items, self._take_pending())

    def _finish_writing(self):
        """Wait for the writer's thread; an error of it comes up here."""
        if self._writing is not None:
            writing, self._writing = self._writing, None
            writing.result()

    def _take_pending(self):
        taken, self._pending, self._pending_bytes = self._pending, {}, 0
        self._last_write = time.monotonic()
        return taken

    def _write_items(self, items):
        if not items:
            return
        arrays = {}
        section = write_items(items, arrays)
        self._write(f"items-{secrets.token_hex(8)}.piece", {"items": section}, arrays)

    def _write(self, name, header, arrays):
        with replaced_file(self._folder / name) as file:
            # Packing would cost more time than the disk saves.
            write_archive(file, {"format": FORMAT, **header}, arrays, is_packed=False)

    def _load(self, path):
        """Take the items of one piece; a damaged one is removed and done again."""
        try:
            with path.open("rb") as file:
                header, arrays = read_archive(file, _MAX_BYTES)
            _check_format(header)
            items = read_items(
                field(header, "items", dict),
                arrays,
                n_classes=self._about.n_classes,
                n_features=self._about.n_features,
            )
        except (ModelFileError, OSError) as error:
            warnings.warn(
                f"{path} is damaged ({error}); what it held is done again.",
                stacklevel=2,
            )
            path.unlink(missing_ok=True)
            return
        self._items.update(items)

    def _remove_unfinished(self):
        """Remove what a killed fit was just writing."""
        for path in self._folder.glob(".*.piece.*.tmp"):
            path.unlink(missing_ok=True)

    def _check_identity(self):
        """Return the seeds of an earlier run of the same fit, None for a new one."""
        path = self._folder / _FIT
        if not path.exists():
            if any(self._folder.glob("*.piece")):
                raise CheckpointError(
                    f"{self._folder} holds pieces of a fit but not {_FIT}, which says "
                    "of which; remove the folder, or give another one."
                )
            return None
        try:
            with path.open("rb") as file:
                header, _ = read_archive(file, _MAX_BYTES)
            _check_format(header)
            kept = _VALUES.decode(field(header, "fit", dict))
            require(isinstance(kept, dict) and "seeds" in kept, "it names no seeds")
        except ModelFileError as error:
            raise CheckpointError(
                f"{path} is damaged ({error}), so nobody knows which fit it was; "
                "remove the folder, or give another one."
            ) from error
        seeds = kept.pop("seeds")
        self._refuse_difference(kept, self._identity())
        return seeds

    def _identity(self):
        about = self._about
        parameters = {
            f"parameter {name}": _comparable(value)
            for name, value in about.parameters.items()
        }
        return {
            "estimator": about.estimator,
            "treesvm": __version__,
            **parameters,
            **about.data,
        }

    def _write_identity(self):
        fit = _VALUES.encode({**self._identity(), "seeds": self._seeds})
        self._write(_FIT, {"fit": fit}, {})

    def _refuse_difference(self, kept, now):
        for name in [*now, *(kept.keys() - now.keys())]:
            before, after = kept.get(name, "nothing"), now.get(name, "nothing")
            if before != after:
                raise CheckpointError(
                    f"{self._folder} is the checkpoint of another fit: {name} was "
                    f"{before!r:.80}, now it is {after!r:.80}. Give another folder, or "
                    "remove this one to start afresh."
                )


class _Scope:
    """A store whose keys have a prefix; everything else is that of the store."""

    def __init__(self, store, prefix):
        self._store, self._prefix = store, prefix

    def __getattr__(self, name):
        return getattr(self._store, name)

    def scope(self, name):
        return _Scope(self._store, f"{self._prefix}{name}/")

    def get(self, key):
        return self._store.get(self._prefix + key)

    def put(self, key, item):
        self._store.put(self._prefix + key, item)


def _check_format(header):
    number = field(header, "format", int)
    require(number == FORMAT, f"it has format {number}, this version reads {FORMAT}")


def _comparable(value):
    """A parameter as text or number; of other objects only the type."""
    if isinstance(value, BaseEstimator):  # such as a selector: their texts are equal
        return repr(value)
    try:
        return _VALUES.decode(_VALUES.encode(value))
    except (TypeError, ModelFileError):
        return f"{type(value).__module__}.{type(value).__qualname__}"
