"""One way to read all formats: chosen by the file's ending."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from treesvm.datasets import arrow_tables, column_types
from treesvm.datasets.csv_layout import csv_layout
from treesvm.datasets.data_file import DataFileError, file_size
from treesvm.datasets.data_source import DataSource
from treesvm.datasets.libsvm_text import iter_libsvm, load_libsvm, whole_numbers
from treesvm.datasets.memory_limit import MemoryAccount
from treesvm.datasets.npz_arrays import iter_npz, read_npz
from treesvm.datasets.table import Table, as_numbers_if_whole
from treesvm.files.file_path import FilePath

_COLUMN_BYTES = 8_000  # what pyarrow's and our objects for one column take


def column_names(path: FilePath) -> list[str] | None:
    """Return the names of all columns of a CSV or Parquet file, else None.

    Parameters
    ----------
    path : str or Path
        Of the file.

    Returns
    -------
    list of str or None

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from treesvm.datasets import column_names
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "flowers.csv")
    ...     _ = path.write_text("length,colour,kind\\n1.5,red,a\\n2.5,blue,b\\n")
    ...     column_names(path)
    ['length', 'colour', 'kind']
    """
    source = DataSource.of(path)
    if source.kind == "csv":
        return csv_layout(source).columns
    if source.kind == "parquet":
        return arrow_tables.parquet_names(source).columns
    return None


def layout_remarks(path: FilePath) -> list[str]:
    """Return what was found out about how a table file is written, in sentences.

    Nothing is said of CSV with commas, decimal points and UTF-8, and of what the
    `DataSource` says itself.

    Parameters
    ----------
    path : str, Path or DataSource
        Of the file.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from treesvm.datasets import layout_remarks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "flowers.csv")
    ...     _ = path.write_text("length;kind\\n1,5;a\\n2,5;b\\n")
    ...     [remark.partition(".csv: ")[2] for remark in layout_remarks(path)]
    ['fields are separated by semicolons', 'decimals have a comma']
    """
    source, said = DataSource.of(path), []
    index = []
    if source.kind == "parquet":
        index = [
            repr(name) for name in arrow_tables.parquet_names(source).index_columns
        ]
    elif source.kind == "csv":
        layout = csv_layout(source)
        marks = {"\t": "tabs", ";": "semicolons", "|": "bars"}
        is_found = source.delimiter is None and not source.is_tsv
        if is_found and layout.delimiter in marks:
            said.append(f"fields are separated by {marks[layout.delimiter]}")
        if source.decimal is None and layout.decimal == ",":
            said.append("decimals have a comma")
        if source.encoding is None and layout.encoding == "utf-16":
            said.append("the encoding is UTF-16")
        if source.header is None and not layout.has_header:
            said.append("the first line is a row, columns are counted")
        index = ["without a name"] * layout.has_index
    said += [f"the column {name} is an index and left out" for name in index]
    return [f"{source}: {words}" for words in said]


def read_table(
    path: FilePath,
    *,
    label: str | int | None = -1,
    categorical: Collection[str] = (),
    drop: Collection[str] = (),
    zero_based: bool | str = "auto",
    max_bytes: int | None = None,
) -> Table:
    """Read a whole data file; its format is chosen by its ending.

    How CSV is written is found out, see `DataSource`. A first line of numbers only is a
    row, not a header. Missing are empty fields, "NA", "NaN", "null", "None" and "?". A
    column is of numbers if all its values are, and categorical if most of them are not;
    in between, the first text is reported. A first column without a name is the index
    that a frame was written with, and no column; nor is what pandas calls the index of
    a Parquet file.

    Parameters
    ----------
    path : str, Path or DataSource
        LIBSVM text, CSV, TSV (these also .gz and .bz2), Parquet or npz.
    label : str, int or None, default=-1
        Label column of a table by name or by position (0 is the first, -1 the last),
        None if there is none; in npz files the name of the array, "y" by default.
    categorical : collection of str
        Columns that are categories although their values are numbers.
    drop : collection of str
        Columns that are left out.
    zero_based : bool or "auto"
        Of LIBSVM text, see `read_libsvm`.
    max_bytes : int, optional
        Refuse files whose rows take more memory; by default half of what there is.

    Returns
    -------
    Table

    Raises
    ------
    DataFileError
        With file, line and column of a mistake.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from treesvm.datasets import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "flowers.csv")
    ...     _ = path.write_text("length,colour,kind\\n1.5,red,a\\n2.5,blue,b\\n")
    ...     table = read_table(path)
    >>> list(table.X), table.y.tolist()
    (['length', 'colour'], ['a', 'b'])
    """
    path = DataSource.of(path)
    if path.kind == "libsvm":
        X, y, is_zero_based = load_libsvm(
            path, zero_based=zero_based, max_bytes=max_bytes
        )
        return Table(X, y, str(path), zero_based=is_zero_based)
    if path.kind == "npz":
        X, y = read_npz(path, label=_array_name(label), max_bytes=max_bytes)
        return Table(X, y, str(path))
    return _whole_table(path, label, categorical, drop, max_bytes)


def _whole_table(path, label, categorical, drop, max_bytes):
    """Read all rows of a table file."""
    account, parts = MemoryAccount(path, max_bytes), []
    columns = _Columns(path, label, drop, categorical)
    account.charge(_COLUMN_BYTES * columns.n_columns, "its columns")
    # What the rows take at least is known before they are read.
    n_cells = arrow_tables.parquet_cells(path) if path.kind == "parquet" else 0
    MemoryAccount(path, max_bytes).charge(max(file_size(path), 8 * n_cells))
    for part in _arrow_chunks(path, 2**18):
        # As Arrow has them, and as numbers.
        account.charge(part[1].nbytes + 8 * part[1].num_rows * part[1].num_columns)
        parts.append(part)
    if not parts:
        raise DataFileError(path, "there is no row in it.")
    table = arrow_tables.pyarrow().concat_tables([part for _, part in parts])
    return columns.as_table(parts[0][0], table, 1)


def iter_table(
    path: FilePath,
    chunk_rows: int = 50_000,
    *,
    label: str | int | None = -1,
    categorical: Collection[str] = (),
    drop: Collection[str] = (),
    kinds: Mapping[str, str] | None = None,
    names: Sequence[str] | None = None,
    zero_based: bool | str = False,
) -> Iterator[Table]:
    """Yield Tables of at most `chunk_rows` rows, in bounded memory; see `read_table`.

    Parameters
    ----------
    path : str or Path
        Of the file.
    chunk_rows : int, default=50000
        Most rows in a piece.
    label : str, int or None, default=-1
        Label column, see `read_table`.
    categorical : collection of str
        Columns that are categories although their values are numbers.
    drop : collection of str
        Columns that are left out.
    zero_based : bool, default=False
        Of LIBSVM text, see `iter_libsvm`.
    kinds : dict of str to {"number", "text"}, optional
        Types of the columns; by default guessed from the first chunk.
    names : sequence of str, optional
        Names of the columns of a CSV file without header, instead of "column 1" …;
        used if there are as many.

    Yields
    ------
    Table

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from treesvm.datasets import iter_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "flowers.csv")
    ...     _ = path.write_text("length,colour,kind\\n1.5,red,a\\n2.5,blue,b\\n")
    ...     [table.n_rows for table in iter_table(path, 1)]
    [1, 1]
    """
    path = DataSource.of(path)
    if path.kind == "libsvm":
        row = 1
        for X, y in iter_libsvm(path, chunk_rows, zero_based=zero_based):
            numbers = whole_numbers(y)
            yield Table(X, numbers, str(path), row, zero_based=bool(zero_based))
            row += len(y)
    elif path.kind == "npz":
        for row, X, y in iter_npz(path, chunk_rows, label=_array_name(label)):
            yield Table(X, y, str(path), row)
    else:
        columns, row = _Columns(path, label, drop, categorical, kinds, names), 1
        for place, table in _arrow_chunks(path, chunk_rows):
            yield columns.as_table(place, table, row)
            row += table.num_rows


def _arrow_chunks(path, chunk_rows):
    is_csv = path.kind == "csv"
    return (arrow_tables.iter_csv if is_csv else arrow_tables.iter_parquet)(
        path, chunk_rows
    )


def _array_name(label):
    """Return the name of the labels' array in a .npz file."""
    return label if isinstance(label, str) else "y"


class _Columns:
    """Which columns of a table file are features and what they hold."""

    def __init__(self, path, label, drop, categorical, kinds=None, names=None):
        self._path, self._has_lines = str(path), path.kind == "csv"
        self._names = column_names(path)
        # Places in messages count an index too.
        self._n_hidden = int(self._has_lines and csv_layout(path).has_index)
        if names is not None and len(names) == len(self._names):
            is_unnamed = self._names == [
                f"column {place}" for place in range(1, len(names) + 1)
            ]
            self._names = list(names) if is_unnamed else self._names
        self._label = self._find(label)
        for option, given in (("drop", drop), ("categorical", categorical)):
            if isinstance(given, str):  # its letters would be taken for names
                raise TypeError(
                    f"{option}={given!r} is a text; give a list: [{given!r}]."
                )
        self._drop, self._categorical = tuple(drop), tuple(categorical)
        for name in (*self._drop, *self._categorical):
            self._find(name)
        self._kinds = kinds

    @property
    def n_columns(self):
        """Number of columns of the file."""
        return len(self._names)

    def _find(self, column):
        """Return the name of a column given by name or position."""
        if column is None or column in self._names:
            return column
        is_place = isinstance(column, int) and not isinstance(column, bool)
        if is_place and -len(self._names) <= column < len(self._names):
            return self._names[column]
        known = ", ".join(self._names[:12]) + (" …" if len(self._names) > 12 else "")
        reason = f"there is no column {column!r}; there are: {known}."
        raise DataFileError(self._path, reason)

    def as_table(self, place, arrow, row):
        """Return a Table from Arrow columns that begin at a line or row."""
        arrow = arrow.rename_columns(self._names)
        line = place if self._has_lines else None
        names = (*("",) * self._n_hidden, *self._names)
        origin = column_types.Origin(self._path, row, line, names)
        y = None
        if self._label is not None:
            y = self._labels(arrow.select([self._label]), origin)
        hidden = {self._label, *self._drop}
        features = arrow.select([name for name in self._names if name not in hidden])
        if not features.num_columns:
            raise DataFileError(
                self._path,
                f"beside the label column {self._label!r} there is no feature column; "
                "name another label column, or the delimiter if it is another one.",
            )
        if self._kinds is None:
            self._kinds = column_types.guess_kinds(features, origin, self._categorical)
        kinds = dict.fromkeys(features.column_names, column_types.TEXT) | self._kinds
        X = column_types.as_arrays(features, kinds, origin)
        return Table(X, y, self._path, row, line)

    def _labels(self, column, origin):
        """Return the labels; a missing one is a mistake."""
        name = column.column_names[0]
        # Numbers of Parquet keep their type; text of CSV decides by itself.
        kind = column.schema.field(0).type
        if str(kind).startswith(("int", "uint", "float", "double", "bool")):
            missing = column[0].is_null(nan_is_null=True).to_numpy()
            y = None if missing.any() else column[0].to_numpy()
        else:
            texts = column_types.as_arrays(column, {name: "text"}, origin)[name]
            missing = np.array([text is None for text in texts], bool)
            y = None if missing.any() else as_numbers_if_whole(texts)
        if missing.any():
            row = int(missing.argmax())
            words = "the label is missing; remove the row, or name another label."
            raise origin.error(name, row, words)
        return y
