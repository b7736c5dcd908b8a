"""Rows in memory: a matrix, or named columns of numbers and of text."""

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy import sparse

from treesvm.inputs.array_types import Array


@dataclass(frozen=True, eq=False)
class Table:
    """Features and labels of some rows.

    Attributes
    ----------
    X : ndarray, csr_matrix or dict of str to ndarray
        A matrix of float64, or columns by name: float64 with NaN where a value is
        missing, or object arrays of str with None where it is missing.
    y : ndarray of shape (n_rows,) or None
        Labels.
    path : str
        Where the rows come from, for messages.
    first_row : int
        Number of the first row in its file, counted from 1.
    first_line : int or None
        Its line, in formats with lines.
    offsets : ndarray of int or None
        For rows that were taken from a table: their places behind its first row.
    zero_based : bool
        Whether they come from LIBSVM text that counts features from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from treesvm.datasets import Table
    >>> table = Table({"size": np.arange(3.0)}, y=np.array([0, 1, 0]))
    >>> table.n_rows
    3
    """

    X: Any
    y: np.ndarray | None = None
    path: str = "the table"
    first_row: int = 1
    first_line: int | None = None
    offsets: np.ndarray | None = None
    zero_based: bool = False

    def __post_init__(self) -> None:
        if self.is_matrix:
            return
        columns = {name: np.asarray(values) for name, values in self.X.items()}
        object.__setattr__(self, "X", columns)
        shapes = {values.shape for values in columns.values()}
        if len(shapes) > 1 or any(len(shape) != 1 for shape in shapes):
            words = ", ".join(f"{n!r} {v.shape}" for n, v in columns.items())
            raise ValueError(
                f"{self.path}: columns are not one-dimensional and equally long: "
                f"{words:.200}."
            )

    @property
    def is_matrix(self) -> bool:
        """Whether the features have no names."""
        return not isinstance(self.X, dict)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        if self.is_matrix:
            return self.X.shape[0]
        return len(next(iter(self.X.values()))) if self.X else 0

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the feature columns, None for a matrix."""
        return None if self.is_matrix else tuple(self.X)

    def line_of(self, row: int) -> int | None:
        """Return the line of a row of this table, None in formats without lines."""
        return None if self.first_line is None else self.first_line + self._offset(row)

    def place_of(self, row: int) -> str:
        """Return words for the place of a row, such as " (row 12)", or nothing."""
        number = self.first_row + self._offset(row)
        return "" if self.first_line is not None else f" (row {number:,})"

    def _offset(self, row):
        return int(row if self.offsets is None else self.offsets[row])

    def take(self, rows: Array) -> Self:
        """Return some of the rows, by numbers or a mask; they keep their places."""
        if self.is_matrix:
            X = self.X[rows]
        else:
            X = {name: column[rows] for name, column in self.X.items()}
        y = None if self.y is None else self.y[rows]
        before = np.arange(self.n_rows) if self.offsets is None else self.offsets
        return replace(self, X=X, y=y, offsets=before[rows])


def is_sparse(table):
    """Whether the features are a sparse matrix."""
    return table.is_matrix and sparse.issparse(table.X)


def as_numbers_if_whole(labels):
    """Return labels that are text as numbers, if all of them are whole numbers."""
    if labels.dtype != object:
        return labels
    try:
        numbers = labels.astype(np.int64)
    except (TypeError, ValueError, OverflowError):
        return labels.astype(str)
    # "007" must come back as it was written.
    is_same = np.array_equal(numbers.astype(str), labels.astype(str))
    return numbers if is_same else labels.astype(str)


def category_text(value):
    """Return a category as text; whole numbers are written without a point."""
    if isinstance(value, (Integral, np.bool_)):
        return str(int(value))
    if isinstance(value, Real) and float(value).is_integer():
        return str(int(value))
    return str(value)


def as_categories(numbers):
    """Return numbers as text, NaN as None."""
    levels, places = np.unique(numbers, return_inverse=True)
    texts = [None if np.isnan(level) else category_text(level) for level in levels]
    return np.array(texts, dtype=object)[places]


def listed(names):
    """Return the first names of columns, in words for messages."""
    return ", ".join(map(repr, names[:10])) + (" …" if len(names) > 10 else "") + "."
