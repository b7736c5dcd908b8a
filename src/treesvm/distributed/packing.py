"""Rows as tables that Dask can shuffle, and back.

The features of a row travel as one piece of bytes: a table of five columns is shuffled
ten times as fast as one of a thousand, and sparse rows need no other way. Numbers come
out of it bit for bit.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import sparse

from treesvm.inputs.rows import Rows

TRAINS, JUDGES = 0, 1  # what a row does in its leaf


class Layout(NamedTuple):
    """What is the same for all rows of a collection."""

    n_features: int
    dtype: str  # of the features
    is_sparse: bool
    has_weight: bool  # whether any row weighs other than one

    @property
    def row_bytes(self):
        """Bytes of a row on its way; of sparse rows a guess."""
        features = 100 if self.is_sparse else self.n_features
        return features * np.dtype(self.dtype).itemsize + 32


class NumberedRows(NamedTuple):
    """Some rows in memory, in any order."""

    X: object  # ndarray or csr_matrix
    codes: np.ndarray  # class codes, int64
    weight: np.ndarray | None  # None if all weigh one
    numbers: np.ndarray  # place of each row among all rows, int64

    @property
    def weights(self):
        """The weight of every row as an array."""
        return np.ones(len(self.codes)) if self.weight is None else self.weight

    def training(self, n_classes):
        """Return the rows as machines learn them."""
        return Rows(self.X, self.codes, self.weights, n_classes)

    def take(self, chosen):
        """Return the chosen rows, by places or a mask."""
        weight = None if self.weight is None else self.weight[chosen]
        return NumberedRows(
            self.X[chosen], self.codes[chosen], weight, self.numbers[chosen]
        )

    def places_among(self, numbers):
        """Return the places of the rows whose number is among `numbers`, ascending."""
        if len(numbers) == 0:
            return np.empty(0, np.int64)
        found = np.searchsorted(numbers, self.numbers)
        found = np.minimum(found, len(numbers) - 1)
        return np.flatnonzero(numbers[found] == self.numbers)

    def in_order(self):
        """Return the rows sorted by their numbers."""
        if np.all(self.numbers[:-1] <= self.numbers[1:]):
            return self
        return self.take(np.argsort(self.numbers, kind="stable"))


def join_rows(pieces):
    """Return all rows of some pieces, at least one, sorted by their numbers."""
    pieces = [piece for piece in pieces if len(piece.codes)] or list(pieces)[:1]
    if len(pieces) == 1:
        return pieces[0].in_order()
    stack = sparse.vstack if sparse.issparse(pieces[0].X) else np.concatenate
    matrices = [piece.X for piece in pieces]
    X = stack(matrices, format="csr") if stack is sparse.vstack else stack(matrices)
    weight = None
    if pieces[0].weight is not None:
        weight = np.concatenate([piece.weight for piece in pieces])
    codes = np.concatenate([piece.codes for piece in pieces])
    numbers = np.concatenate([piece.numbers for piece in pieces])
    return NumberedRows(X, codes, weight, numbers).in_order()


def as_table(rows, part, leaf, role=TRAINS):
    """Return rows as a table with the part that each is to go to.

    Parameters
    ----------
    rows : NumberedRows
    part, leaf : ndarray of int, shape (n_rows,)
    role : int, or ndarray of shape (n_rows,)
        TRAINS or JUDGES.
    """
    columns = {
        "part": part.astype(np.int64),
        "number": rows.numbers,
        "leaf": leaf.astype(np.int32),
        "code": rows.codes.astype(np.int32),
        "role": np.full(len(part), role, np.int8),
    }
    if rows.weight is not None:
        columns["weight"] = rows.weight
    return pd.DataFrame(columns | _matrix_columns(rows.X))


def empty_table(layout):
    """Return the table of no rows: its columns and their types."""
    shape, dtype = (0, layout.n_features), layout.dtype
    X = sparse.csr_matrix(shape, dtype=dtype)
    none = np.empty(0, np.int64)
    weight = np.empty(0) if layout.has_weight else None
    rows = NumberedRows(
        X if layout.is_sparse else np.empty(shape, dtype), none, weight, none
    )
    return as_table(rows, none, none)


def as_rows(table, layout):
    """Return (rows, leaf, role) of a table, sorted by role and then by number."""
    order = np.lexsort((table["number"].to_numpy(), table["role"].to_numpy()))
    if np.array_equal(order, np.arange(len(order))):
        order = slice(None)
    weight = table["weight"].to_numpy()[order] if layout.has_weight else None
    rows = NumberedRows(
        _matrix(table, layout)[order],
        table["code"].to_numpy()[order].astype(np.int64),
        weight,
        table["number"].to_numpy()[order],
    )
    return rows, table["leaf"].to_numpy()[order], table["role"].to_numpy()[order]


def _matrix_columns(X):
    """The features as one column of bytes, for sparse rows two."""
    if not sparse.issparse(X):
        X = np.ascontiguousarray(X)
        edges = np.arange(len(X) + 1, dtype=np.int64) * (X.shape[1] * X.itemsize)
        return {"values": _bytes_column(X, edges)}
    indptr = X.indptr.astype(np.int64)
    return {
        "values": _bytes_column(X.data, indptr * X.data.itemsize),
        "columns": _bytes_column(X.indices.astype(np.int32), indptr * 4),
    }


def _bytes_column(numbers, edges):
    """Return a pandas column over the memory of an array, without a copy."""
    buffers = [None, pa.py_buffer(edges), pa.py_buffer(np.ascontiguousarray(numbers))]
    array = pa.Array.from_buffers(pa.large_binary(), len(edges) - 1, buffers)
    return pd.Series(pd.arrays.ArrowExtensionArray(array))


def _matrix(table, layout):
    """Return the features of a table."""
    values, edges = _joined_bytes(table["values"], layout.dtype)
    if not layout.is_sparse:
        return values.reshape(len(table), layout.n_features)
    columns, _ = _joined_bytes(table["columns"], np.int32)
    indptr = (edges // np.dtype(layout.dtype).itemsize).astype(np.int32)
    shape = (len(table), layout.n_features)
    return sparse.csr_matrix((values, columns, indptr), shape=shape)


def _joined_bytes(column, dtype):
    """Return the numbers of a column of bytes, and where each row begins."""
    arrow = pa.array(column.array)
    if isinstance(arrow, pa.ChunkedArray):
        arrow = (
            pa.concat_arrays(arrow.chunks)
            if arrow.num_chunks
            else pa.array([], pa.large_binary())
        )
    arrow = arrow.cast(pa.large_binary())
    if len(arrow) == 0:
        return np.empty(0, dtype), np.zeros(1, np.int64)
    _, offsets, data = arrow.buffers()
    edges = np.frombuffer(offsets, np.int64)[arrow.offset :][: len(arrow) + 1]
    numbers = np.empty(0, dtype)
    if data is not None:
        numbers = np.frombuffer(data, np.uint8)[edges[0] : edges[-1]].view(dtype)
    return numbers, edges - edges[0]
