"""Read CSV and Parquet through pyarrow, the extra ``treesvm[tables]``.

All CSV fields are read as text and made numbers afterwards, so that a mistake is found
together with its line, and a column's type never depends on the first block.  A row is
a line: line breaks inside quotes are refused.

Memory: the text of a chunk and its columns, 8 bytes for each number.  `iter_parquet`
holds one row group and a chunk.
"""

import csv
import re

import numpy as np

from treesvm.datasets.data_file import (
    DataFileError,
    open_bytes,
    readable,
    require_file,
)
from treesvm.datasets.memory_limit import CHUNK_BYTES

MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?")
BLOCK_BYTES = 2 * 2**20
MAX_LINE_BYTES = 16 * 2**20
_PLACES = re.compile(r"(In CSV column #\d+: |CSV parse error: |Row #\d+: )")
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


def pyarrow():
    """Import pyarrow, or say how to install it."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "reading CSV and Parquet needs pyarrow; install it with: "
            "pip install 'treesvm[tables]'"
        ) from error
    return pyarrow


def csv_header(path, delimiter=","):
    """Return the column names of a CSV file and whether its first line holds them.

    A first line made of numbers only is a row; the columns are then called "column 1",
    "column 2" and so on.
    """
    require_file(path)
    with open_bytes(path) as file:
        first = file.readline(MAX_LINE_BYTES)
    if len(first) == MAX_LINE_BYTES:
        raise DataFileError(path, _too_long(MAX_LINE_BYTES), line=1)
    try:
        text = first.decode("utf-8-sig").rstrip("\r\n")
        fields = next(csv.reader([text], delimiter=delimiter, strict=True), [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataFileError(path, f"no header can be read: {error}.", line=1) from error
    names = [field.strip() for field in fields]
    if not any(names):
        raise DataFileError(path, "the first line is empty; name the columns.", line=1)
    if all(_NUMBER.fullmatch(name) or name in MISSING for name in names):
        return [f"column {place}" for place in range(1, len(names) + 1)], False
    known = {""}
    for place, name in enumerate(names, 1):
        if name in known:
            reason = f"the column name {name!r} is empty or used twice; name each once."
            raise DataFileError(path, reason, line=1, column=place)
        known.add(name)
    return names, True


def _too_long(n_bytes):
    return (
        f"the line is longer than {n_bytes / 1e6:.1f} MB; very wide rows belong into "
        "LIBSVM text or .npz files."
    )


class _CheckedLines:
    """A file whose lines are measured while pyarrow reads it.

    pyarrow finds the end of a row in the block where it begins or in the next one, and
    cannot say where that fails.
    """

    closed = False

    def __init__(self, file, path, most_bytes):
        self._file, self._path, self._most_bytes = file, path, most_bytes
        self._line, self._length = 1, 0  # of the line that is not ended yet

    def read(self, n_bytes=-1):
        block = self._file.read(n_bytes)
        first = block.find(b"\n")
        # Lines that begin and end in one block are no longer than it.
        if self._length + (first if first >= 0 else len(block)) > self._most_bytes:
            reason = _too_long(self._most_bytes)
            raise DataFileError(self._path, reason, line=self._line)
        self._line += block.count(b"\n")
        self._length = len(block) - 1 - block.rfind(b"\n") + self._length * (first < 0)
        return block


def iter_csv(path, chunk_rows=50_000, *, delimiter=","):
    """Yield (line of the first row, columns of text as a pyarrow Table).

    Rows that miss fields or have too many raise a DataFileError with the line.
    """
    pa = pyarrow()
    names, has_header = csv_header(path, delimiter)
    line, held = 1 + has_header, None
    with open_bytes(path) as file, _ArrowErrors(pa, path):
        if file.read(3) != b"\xef\xbb\xbf":
            file.seek(0)
        # A row that is much wider than the header is none; most are narrower.
        n_bytes = max(BLOCK_BYTES, 8 * sum(len(name) + 1 for name in names))
        lines = _CheckedLines(file, path, n_bytes)
        for batch in _csv_batches(pa, lines, names, has_header, delimiter, n_bytes):
            table = pa.Table.from_batches([batch])
            held = table if held is None else pa.concat_tables([held, table])
            while held.num_rows > chunk_rows or held.nbytes > CHUNK_BYTES:
                n_rows = min(chunk_rows, held.num_rows)
                yield line, _checked_lines(path, held.slice(0, n_rows), line)
                line += n_rows
                held = held.slice(n_rows)
    if held is not None:
        held = _without_blank_end(held)
    if held is not None and held.num_rows:
        yield line, _checked_lines(path, held, line)


def _csv_batches(pa, file, names, has_header, delimiter, block_bytes):
    """Return pyarrow's stream of batches; no threads, since they lose line numbers."""
    try:
        return pa.csv.open_csv(
            file,
            read_options=pa.csv.ReadOptions(
                use_threads=False,
                column_names=names,
                skip_rows=int(has_header),
                block_size=block_bytes,
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=delimiter, ignore_empty_lines=False
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types={name: pa.string() for name in names},
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
                null_values=list(MISSING),
            ),
        )
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            return iter(())
        raise


class _ArrowErrors:
    """Turn pyarrow's errors into a DataFileError, with the line where they name it."""

    def __init__(self, pa, path):
        self._kinds, self._path = (pa.ArrowException,), path

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None or not issubclass(kind, self._kinds):
            return False
        text = str(error).splitlines()[0]
        row = re.search(r"Row #(\d+)", text)
        field = re.search(r"CSV column #(\d+)", text)
        reason, line = _PLACES.sub("", text), int(row.group(1)) if row else None
        if text.startswith("Could not skip initial"):
            reason, line = "nothing follows the line of column names", 1
        raise DataFileError(
            self._path,
            reason[:200].rstrip(".") + ".",
            line=line,
            column=int(field.group(1)) + 1 if field else None,
        ) from error


def _without_blank_end(table):
    """Drop blank lines at the end of a file."""
    n_rows = table.num_rows
    while n_rows and all(not c[n_rows - 1].is_valid for c in table.columns):
        n_rows -= 1
    return table.slice(0, n_rows)


def _checked_lines(path, table, line):
    """Refuse blank lines and line breaks inside quotes, with their line."""
    pc = pyarrow().compute
    blank = np.ones(table.num_rows, bool)
    for place, column in enumerate(table.columns, 1):
        blank &= column.is_null().to_numpy()
        broken = pc.fill_null(pc.match_substring(column, "\n"), False).to_numpy()
        if broken.any():
            raise DataFileError(
                path,
                "a quote is not closed on this line.",
                line=line + int(broken.argmax()),
                column=place,
            )
    if table.num_columns > 1 and blank.any():
        row = line + int(blank.argmax())
        raise DataFileError(path, "the line has no values; remove it.", line=row)
    return table


def iter_parquet(path, chunk_rows=50_000):
    """Yield (number of the first row, pyarrow Table) of a Parquet file."""
    pa, row = pyarrow(), 1
    with (
        readable(path),
        _ArrowErrors(pa, path),
        pa.parquet.ParquetFile(path) as file,
    ):
        names = file.schema_arrow.names
        if len(set(names)) < len(names):
            raise DataFileError(path, "two columns have the same name.")
        for batch in file.iter_batches(chunk_rows, use_threads=False):
            yield row, pa.Table.from_batches([batch])
            row += batch.num_rows


def parquet_cells(path):
    """Return how many values the rows of a Parquet file have."""
    pa = pyarrow()
    with readable(path), _ArrowErrors(pa, path):
        about = pa.parquet.read_metadata(path)
        return about.num_rows * about.num_columns


def parquet_names(path):
    """Return the names of the columns of a Parquet file."""
    pa = pyarrow()
    require_file(path)
    with readable(path), _ArrowErrors(pa, path):
        return list(pa.parquet.read_schema(path).names)
