"""Tables in memory (pandas, polars, NumPy, SciPy) as a `Table`.

Numbers and booleans become float64 with NaN where a value is missing, categories and
strings become text with None. A whole number in a category becomes "1", whether it is
stored as 1, 1.0 or True: the same column may come back with another type at prediction.
"""

import datetime
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from treesvm.datasets.column_types import date_words
from treesvm.datasets.table import Table, category_text, listed
from treesvm.inputs.named_errors import naming
from treesvm.inputs.row_access import canonical_rows
from treesvm.inputs.training_rows import is_missing

_NUMBERS = (Real, np.bool_, Decimal)
_DATES = (
    datetime.date,
    datetime.time,
    datetime.timedelta,
    np.datetime64,
    np.timedelta64,
)


def as_table(X: Any, names: Sequence[str] | None = None) -> Table:
    """Return rows in memory as a Table.

    Parameters
    ----------
    X : Table, pandas or polars DataFrame, array-like or sparse matrix
        Frames become columns by name. Arrays, and frames of numbers whose columns are
        not named by strings, become a matrix; arrays with text become columns that are
        called x0, x1, ...
    names : sequence of str, optional
        Names for the columns of an array; of a frame, the columns to take.

    Returns
    -------
    Table

    Raises
    ------
    TypeError, ValueError
        For columns that are neither numbers nor text, and for infinite numbers.

    Examples
    --------
    >>> from treesvm.datasets import as_table
    >>> table = as_table([[1.0, "red"], [2.0, "blue"]])
    >>> list(table.X), table.n_rows
    (['x0', 'x1'], 2)
    """
    if isinstance(X, Table):
        return _chosen(X, names)
    package = _package_of_frame(X)
    if package == "pandas":
        columns = [X.iloc[:, place] for place in range(X.shape[1])]
        return _chosen(_frame_table(X, columns, _pandas_column), names)
    if package == "polars":
        return _chosen(_frame_table(X, X.get_columns(), _polars_column), names)
    return _array_table(X, names)


def _package_of_frame(X):
    """Return "pandas" or "polars" for their DataFrames, without importing either."""
    for kind in type(X).__mro__:
        package = kind.__module__.partition(".")[0]
        if kind.__name__ == "DataFrame" and package in ("pandas", "polars"):
            return package
    return None


def _chosen(table, names):
    """Return the named columns only."""
    if names is None or (not table.is_matrix and table.names == tuple(names)):
        return table
    if table.is_matrix:
        width = table.X.shape[1]
        if width != len(names):
            raise ValueError(
                f"{table.path}: the rows have {width} columns without names, the model "
                f"wants {len(names)}: {listed(names)}"
            )
        return Table(_named(table.X, names), table.y, table.path)
    absent = [name for name in names if name not in table.X]
    if absent:
        raise ValueError(f"{table.path}: columns are missing: {listed(absent)}")
    return Table({name: table.X[name] for name in names}, table.y, table.path)


def _frame_table(X, columns, read):
    """Return a frame's columns, read one by one."""
    if 0 in X.shape:
        raise ValueError(
            f"the table has {X.shape[0]} rows and {X.shape[1]} columns; give it at "
            "least one of each."
        )
    kinds = {"str" if isinstance(c, str) else type(c).__name__ for c in X.columns}
    if "str" in kinds and len(kinds) > 1:
        raise TypeError(
            f"the column names are of several types ({', '.join(sorted(kinds))}); make "
            "them strings: X.columns = X.columns.astype(str)."
        )
    labels = [str(label) for label in X.columns]
    twice = [label for label, count in Counter(labels).items() if count > 1]
    if twice:
        raise ValueError(f"column names are not unique: {twice}; rename them.")
    read_columns = [read(c, label) for c, label in zip(columns, labels, strict=True)]
    if kinds != {"str"} and all(values.dtype != object for values in read_columns):
        return Table(np.column_stack(read_columns))
    return Table(dict(zip(labels, read_columns, strict=True)))


def _pandas_column(column, name):
    """Return a pandas Series as numbers or text."""
    from pandas import CategoricalDtype
    from pandas.api.types import is_numeric_dtype

    if isinstance(column.dtype, CategoricalDtype):
        levels = [*map(category_text, column.cat.categories), None]
        return np.array(levels, dtype=object)[column.cat.codes.to_numpy()]
    if column.dtype.kind in "mM":
        raise _date_error(name)
    if is_numeric_dtype(column.dtype) and column.dtype.kind != "c":
        return _finite(column.to_numpy(dtype=float, na_value=np.nan), name)
    values = column.to_numpy(dtype=object)
    return _object_column(values, column.isna().to_numpy(), name)


def _polars_column(column, name):
    """Return a polars Series as numbers or text."""
    import polars as pl

    if column.dtype.is_temporal():
        raise _date_error(name)
    if column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null):
        return _finite(column.cast(pl.Float64).to_numpy(), name)
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        return np.array(column.cast(pl.String).to_list(), dtype=object)
    raise _type_error(name, column.dtype)


def _array_table(X, names):
    """Return a matrix, or columns where there are names or text."""
    if sparse.issparse(X):
        X = canonical_rows(X)
        if names is not None:
            if X.shape[1] != len(names):
                raise ValueError(
                    f"the rows are a sparse matrix of {X.shape[1]} columns where "
                    f"{len(names)} named ones are wanted; give a frame with these."
                )
            return _array_table(X.toarray(), names)
        with np.errstate(over="ignore", invalid="ignore"):  # see below
            return Table(check_array(X, accept_sparse="csr", dtype=np.float64))
    with naming("X"):
        made = np.asarray(X)
        if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
            made = made.astype(object if made.dtype.kind in "OU" else float)
            made[np.ma.getmaskarray(X)] = np.nan
    if made.ndim == 0:
        raise TypeError(
            f"X is a {type(X).__name__}; give a DataFrame, an array or a sparse matrix "
            "(of a dict make a DataFrame, and collect lazy frames)."
        )
    if made.dtype.kind in "mM":
        raise _date_error("x0")
    if made.dtype.kind == "U":  # of lists, numbers are still numbers
        made = np.asarray(X, dtype=object)
    if made.dtype == object and made.ndim == 2 and made.size:
        labels = _labels(made.shape[1], names)
        lacking = np.frompyfunc(is_missing, 1, 1)(made).astype(bool)
        columns = [
            _object_column(made[:, place], lacking[:, place], label)
            for place, label in enumerate(labels)
        ]
        if any(values.dtype == object for values in columns):
            return Table(dict(zip(labels, columns, strict=True)))
        made = np.column_stack(columns)
    # Looking for infinity, scikit-learn sums up; sums of huge numbers are none.
    with naming("X"), np.errstate(over="ignore", invalid="ignore"):
        made = check_array(made, dtype=np.float64, ensure_all_finite="allow-nan")
    return Table(made if names is None else _named(made, names))


def _named(matrix, names):
    return dict(zip(_labels(matrix.shape[1], names), matrix.T, strict=True))


def _labels(width, names):
    """Return the names for the columns of an array."""
    if names is None:
        return [f"x{place}" for place in range(width)]
    if len(names) != width:
        raise ValueError(f"the rows have {width} columns, {len(names)} are wanted.")
    return list(names)


def _object_column(values, lacking, name):
    """Return Python objects as numbers or text: strings make the column text."""
    known = values[~lacking]
    kinds = set(map(type, known))
    if all(issubclass(kind, _NUMBERS) for kind in kinds):
        numbers = np.full(len(values), np.nan)
        try:
            numbers[~lacking] = known.astype(float)
        except OverflowError as error:
            raise ValueError(
                f"column {name!r} holds a whole number beyond 1e308; divide it, or "
                "make the column text."
            ) from error
        return _finite(numbers, name)
    for value in known if not all(map(_is_plain, kinds)) else ():
        if issubclass(type(value), _DATES):
            raise _date_error(name)
        if not _is_plain(type(value)):
            raise _type_error(name, value)
    texts = np.full(len(values), None, dtype=object)
    texts[~lacking] = known if kinds == {str} else [category_text(v) for v in known]
    return texts


def _is_plain(kind):
    return issubclass(kind, (str, *_NUMBERS))


def _finite(numbers, name):
    """Return the numbers; refuse infinite ones."""
    infinite = np.isinf(numbers)
    if infinite.any():
        raise ValueError(
            f"column {name!r} (row {int(infinite.argmax()) + 1:,}): the value is "
            "infinity; replace it by a number, or by NaN if it is unknown."
        )
    return numbers


def _date_error(name):
    return TypeError(date_words(name))


def _type_error(name, value):
    return TypeError(
        f"column {name!r}: an argument must be a string or a number, not {value!r:.80}"
        "; convert the column or drop it."
    )
