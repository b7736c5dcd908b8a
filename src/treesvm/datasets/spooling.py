"""A data file of any size as a folder of encoded blocks, in bounded memory.

Text is parsed twice and never again: the first pass finds the columns, categories and
width, the second one writes blocks of numbers and finds the scale, which is applied
whenever a block is loaded. Blocks can be loaded by any process that sees the folder.
"""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from treesvm.datasets.column_encoder import MAX_CATEGORIES, ColumnEncoder
from treesvm.datasets.data_file import DataFileError, require_file
from treesvm.datasets.feature_scales import factors_of, in_scale
from treesvm.datasets.memory_limit import MemoryAccount
from treesvm.datasets.reading import iter_table
from treesvm.datasets.table import Table

_MAX_DENSE = 1_000  # features of sparse files; wider rows stay sparse


class Spool(NamedTuple):
    """Encoded blocks in a folder."""

    folder: str
    encoder: ColumnEncoder
    lengths: tuple  # rows of each block
    is_sparse: bool
    labels: np.ndarray  # different labels
    zero_based: bool  # how LIBSVM text counts features

    def block(self, number):
        """Return (X, y) of one block, scaled."""
        folder = Path(self.folder)
        y = np.load(folder / f"y-{number}.npy")
        spec = self.encoder.spec
        scale = [np.array(spec[name], dtype=float) for name in ("shift", "factor")]
        if self.is_sparse:
            X = sparse.load_npz(folder / f"X-{number}.npz")
            return sparse.csr_matrix(in_scale(X, *scale)), y
        return in_scale(np.load(folder / f"X-{number}.npy"), *scale), y


def spool_file(
    path,
    folder,
    *,
    chunk_rows=50_000,
    label=-1,
    categorical=(),
    drop=(),
    zero_based="auto",
    scale="minmax",
    missing="error",
    unseen="zeros",
    max_bytes=None,
):
    """Encode a data file into blocks.

    Parameters
    ----------
    path : str or Path
    folder : str or Path
        An empty folder for the blocks.
    chunk_rows : int
        Rows of a block.
    label, categorical, drop, zero_based
        See `treesvm.datasets.reading.read_table`.
    scale, missing, unseen
        See `ColumnEncoder.learn`. What is filled in for missing values is learned from
        the first block, everything else from all rows.
    max_bytes : int, optional
        Refuse files of which one block takes more memory; by default half of what
        there is.

    Returns
    -------
    Spool
    """
    require_file(path)  # it is read twice
    options = {
        "label": label,
        "categorical": categorical,
        "drop": drop,
        "zero_based": zero_based,
    }
    first, seen = _first_pass(path, chunk_rows, options)
    plain = _unscaled(first, seen, missing, unseen, max_bytes)
    is_sparse = plain.spec.get("storage") == "sparse"
    lengths, labels, extent = [], [], _Extent()
    for number, table in enumerate(iter_table(path, chunk_rows, **options)):
        X = plain.transform(table)
        extent.add(X)
        if is_sparse:
            sparse.save_npz(Path(folder, f"X-{number}.npz"), X, compressed=False)
        else:
            np.save(Path(folder, f"X-{number}.npy"), X)
        y = _plain_labels(table.y)
        np.save(Path(folder, f"y-{number}.npy"), y)
        lengths.append(len(y))
        labels.append(np.unique(y))
    shift, factor = extent.scaling(scale)
    spec = plain.spec | {
        "scale": scale,
        "shift": shift.tolist(),
        "factor": factor.tolist(),
    }
    encoder = ColumnEncoder(spec)
    known = np.unique(np.concatenate(labels))
    return Spool(
        str(folder), encoder, tuple(lengths), is_sparse, known, options["zero_based"]
    )


def _first_pass(path, chunk_rows, options):
    """Return the first block and what was seen; settle `options` for the next pass."""
    is_open = options["zero_based"] == "auto"
    options["zero_based"] = is_open or options["zero_based"]
    first, seen = None, _Seen()
    for table in iter_table(path, chunk_rows, **options):
        first = table if first is None else first
        seen.add(table)
        if first is table:
            options["kinds"] = None if table.is_matrix else _kinds(table)
    if first is None:
        raise DataFileError(path, "there is no row in it.")
    if first.y is None:
        raise DataFileError(path, "there are no labels to learn from.")
    if is_open and sparse.issparse(first.X) and not seen.has_feature_0:
        first = replace(first, X=first.X[:, 1:])
        seen.width -= seen.width > 0
    options["zero_based"] &= seen.has_feature_0 or not is_open
    return first, seen


def _plain_labels(y):
    """Labels without Python objects, so that blocks can be loaded safely."""
    return y.astype(str) if y.dtype == object else y


def _kinds(table):
    kinds = {True: "text", False: "number"}
    return {name: kinds[values.dtype == object] for name, values in table.X.items()}


class _Seen:
    """What the first pass finds: categories of text columns, or the width."""

    def __init__(self):
        self.categories, self.width, self._path = {}, 0, None
        self.n_entries = self.n_cells = 0
        self.has_feature_0 = False  # counted from 0, in LIBSVM text

    def add(self, table):
        if table.is_matrix:
            self.width = max(self.width, table.X.shape[1])
            self.n_cells += table.n_rows
            if sparse.issparse(table.X):
                self.n_entries += table.X.nnz
                self.has_feature_0 |= bool((table.X.indices == 0).any())
            return
        for name, values in table.X.items():
            if values.dtype == object:
                known = {value for value in values if value is not None}
                self.categories.setdefault(name, set()).update(known)
                if len(self.categories[name]) > MAX_CATEGORIES:
                    raise DataFileError(
                        table.path,
                        f"column {name!r} has more than {MAX_CATEGORIES:,} different "
                        "texts; drop it if it names the rows.",
                    )


def _unscaled(first, seen, missing, unseen, max_bytes):
    """Return the encoder without scale: fillings of the first block, all categories."""
    rules = {"scale": "none", "missing": missing, "unseen": unseen}
    rules["max_bytes"] = max_bytes
    if first.is_matrix:
        X = first.X
        if sparse.issparse(X):
            X = sparse.csr_matrix(
                (X.data, X.indices, X.indptr), (X.shape[0], seen.width)
            )
        spec = dict(ColumnEncoder.learn(Table(X, path=first.path), **rules).spec)
        if sparse.issparse(X):
            is_full = 3 * seen.n_entries >= seen.n_cells * seen.width
            is_narrow = seen.width <= _MAX_DENSE
            spec["storage"] = "dense" if is_full or is_narrow else "sparse"
        return ColumnEncoder(spec)
    spec = dict(ColumnEncoder.learn(first, **rules).spec)
    columns, width = [], 0
    for column in spec["columns"]:
        if column["kind"] == "text":
            column = {**column, "categories": sorted(seen.categories[column["name"]])}
        width += len(column.get("categories", "1"))
        columns.append(column)
    MemoryAccount(first.path, max_bytes).charge(8 * first.n_rows * width, "a block")
    unscaled = {"shift": [0.0] * width, "factor": [1.0] * width}
    return ColumnEncoder({**spec, "columns": columns, **unscaled})


class _Extent:
    """Ranges, means and deviations of all features, block by block."""

    def __init__(self):
        self.low = self.high = self.total = self.square = 0.0
        self.largest, self.n_rows, self.is_sparse = 0.0, 0, False

    def add(self, X):
        """Take in the rows of one block."""
        self.is_sparse = sparse.issparse(X)
        if self.is_sparse:
            low = X.min(axis=0).toarray().ravel()
            high = X.max(axis=0).toarray().ravel()
            square = np.asarray(X.multiply(X).sum(axis=0)).ravel()
        else:
            low, high, square = X.min(axis=0), X.max(axis=0), (X * X).sum(axis=0)
        if self.n_rows:
            low, high = np.minimum(low, self.low), np.maximum(high, self.high)
        self.low, self.high = low, high
        self.total = self.total + np.asarray(X.sum(axis=0)).ravel()
        self.square = self.square + square
        self.n_rows += X.shape[0]

    def scaling(self, scale):
        """Return (shift, factor) of each feature; constant ones keep their size."""
        width = len(self.low)
        if scale == "none":
            return np.zeros(width), np.ones(width)
        mean = self.total / self.n_rows
        shift, spread = self.low, self.high - self.low
        if scale == "standard":
            variance = np.maximum(self.square / self.n_rows - mean**2, 0.0)
            shift, spread = mean, np.sqrt(variance)
        elif self.is_sparse:
            spread = np.maximum(np.abs(self.low), np.abs(self.high))
        if self.is_sparse:  # a shift would fill the zeros
            shift = np.zeros(width)
        return shift, factors_of(spread)
