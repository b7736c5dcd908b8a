"""Read CSV and Parquet through pyarrow.

All CSV fields are read as text and made numbers afterwards, so that a mistake is found
together with its line, and a column's type never depends on the first block.  A row is
a line: line breaks inside quotes are refused.

Memory: the text of a chunk and its columns, 8 bytes for each number.  `iter_parquet`
holds one row group and a chunk.
"""

import codecs
import contextlib
import json
import re
from typing import NamedTuple

import numpy as np

from treesvm.datasets.csv_layout import (
    MISSING,
    csv_layout,
    decoding_words,
    too_long,
)
from treesvm.datasets.data_file import (
    DataFileError,
    open_bytes,
    readable,
    require_file,
)
from treesvm.datasets.memory_limit import CHUNK_BYTES

BLOCK_BYTES = 2 * 2**20
_PLACES = re.compile(r"(In CSV column #\d+: |CSV parse error: |Row #\d+: )")
_WIDTHS = re.compile(r"Expected (\d+) columns, got (\d+): ")
_DECIMAL_COMMA = r"^(\s*[+-]?)(\d+),(\d*)((?:[eE][+-]?\d+)?\s*)$"
_BARE_COMMA = r"^(\s*[+-]?),(\d+(?:[eE][+-]?\d+)?\s*)$"
_DECIMAL_POINT = r"^\s*[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?\s*$"
_INDEX_NAME = re.compile(r"__index_level_\d+__")


def pyarrow():
    """Import pyarrow, or say how to install it."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "reading CSV and Parquet needs pyarrow, which comes with treesvm but is "
            "not here; install it with: pip install pyarrow"
        ) from error
    return pyarrow


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
            reason = too_long(self._most_bytes)
            raise DataFileError(self._path, reason, line=self._line)
        self._line += block.count(b"\n")
        self._length = len(block) - 1 - block.rfind(b"\n") + self._length * (first < 0)
        return block


class _Recoded:
    """A file in another encoding, read as UTF-8."""

    closed = False

    def __init__(self, file, path, encoding):
        self._file, self._path, self._encoding = file, path, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()

    def read(self, n_bytes=-1):
        while True:
            block = self._file.read(n_bytes)
            try:
                text = self._decoder.decode(block, final=not block)
            except UnicodeError as error:
                reason = f"it is not in {self._encoding}: {decoding_words(error)}."
                raise DataFileError(self._path, reason) from error
            if text or not block:
                return text.encode("utf-8")


def iter_csv(path, chunk_rows=50_000):
    """Yield (line of the first row, columns of text as a pyarrow Table).

    An index without a name is left out; decimal commas have become points. Rows that
    miss fields or have too many raise a DataFileError with the line.
    """
    pa, layout = pyarrow(), csv_layout(path)
    line, held = 1 + layout.has_header, None
    with open_bytes(path) as file, _arrow_errors(pa, path):
        # A row that is much wider than the header is none; most are narrower.
        n_bytes = max(BLOCK_BYTES, 8 * sum(len(name) + 1 for name in layout.names))
        lines = _CheckedLines(_as_utf_8(file, path, layout.encoding), path, n_bytes)
        for batch in _csv_batches(pa, lines, layout, n_bytes):
            table = pa.Table.from_batches([batch])
            held = table if held is None else pa.concat_tables([held, table])
            while held.num_rows > chunk_rows or held.nbytes > CHUNK_BYTES:
                n_rows = min(chunk_rows, held.num_rows)
                yield line, _columns(path, held.slice(0, n_rows), line, layout)
                line += n_rows
                held = held.slice(n_rows)
    if held is not None:
        held = _without_blank_end(held)
    if held is not None and held.num_rows:
        yield line, _columns(path, held, line, layout)


def _as_utf_8(file, path, encoding):
    """Return a file of UTF-8 without the mark at its beginning."""
    if codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        return _Recoded(file, path, encoding)
    if file.read(3) != b"\xef\xbb\xbf":
        file.seek(0)
    return file


def _columns(path, table, line, layout):
    """Return checked rows without the index and with decimal points."""
    table = _checked_lines(path, table, line).select(layout.columns)
    if layout.decimal == ".":
        return table
    pc = pyarrow().compute
    for place, column in enumerate(table.columns):
        pointed = pc.match_substring_regex(column, _DECIMAL_POINT).fill_null(False)
        if pc.any(pointed).as_py():
            row = pc.index(pointed, True).as_py()
            raise DataFileError(
                path,
                f"{column[row].as_py()!r} has a point where decimals have a comma; "
                "write all the same way, or say decimal='.' (the command: --decimal).",
                line=line + row,
                column=place + 1 + layout.has_index,
            )
        column = pc.replace_substring_regex(column, _DECIMAL_COMMA, r"\1\2.\3\4")
        column = pc.replace_substring_regex(column, _BARE_COMMA, r"\1.\2")
        table = table.set_column(place, table.column_names[place], column)
    return table


def _csv_batches(pa, file, layout, block_bytes):
    """Return pyarrow's stream of batches; no threads, since they lose line numbers."""
    try:
        return pa.csv.open_csv(
            file,
            read_options=pa.csv.ReadOptions(
                use_threads=False,
                column_names=layout.names,
                skip_rows=int(layout.has_header),
                block_size=block_bytes,
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=layout.delimiter, ignore_empty_lines=False
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types={name: pa.string() for name in layout.names},
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
                null_values=list(MISSING),
            ),
        )
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            return iter(())
        raise


@contextlib.contextmanager
def _arrow_errors(pa, path):
    """Turn pyarrow's errors into a DataFileError, with the line where they name it."""
    try:
        yield
    except pa.ArrowException as error:
        text = str(error).splitlines()[0]
        row = re.search(r"Row #(\d+)", text)
        field = re.search(r"CSV column #(\d+)", text)
        reason, line = _PLACES.sub("", text), int(row.group(1)) if row else None
        reason = _WIDTHS.sub(r"fields: \2, in the first line: \1; check ", reason)
        if text.startswith("Could not skip initial"):
            reason, line = "nothing follows the line of column names", 1
        elif "invalid UTF8" in reason:
            reason = "this is not UTF-8; say encoding=... (the command: --encoding)"
        raise DataFileError(
            path,
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
                "a quoted field goes on in the next line, and a row is one line here; "
                "close the quote, or write the field without line breaks (in Parquet "
                "they may stay).",
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
    names = parquet_names(path).columns
    with (
        readable(path),
        _arrow_errors(pa, path),
        pa.parquet.ParquetFile(path) as file,
    ):
        for batch in file.iter_batches(chunk_rows, columns=names, use_threads=False):
            yield row, pa.Table.from_batches([batch]).select(names)
            row += batch.num_rows


def parquet_cells(path):
    """Return how many values the rows of a Parquet file have."""
    pa = pyarrow()
    with readable(path), _arrow_errors(pa, path):
        about = pa.parquet.read_metadata(path)
        return about.num_rows * about.num_columns


class ParquetNames(NamedTuple):
    """The columns of a Parquet file, and those that are the index of a frame."""

    columns: list[str]
    index_columns: list[str]


def parquet_names(path):
    """Return the `ParquetNames`: what pandas wrote as an index is no column."""
    pa = pyarrow()
    require_file(path)
    with readable(path), _arrow_errors(pa, path):
        schema = pa.parquet.read_schema(path)
    if len(set(schema.names)) < len(schema.names):
        raise DataFileError(path, "two columns have the same name.")
    written = _pandas_index(schema.metadata or {})
    index = [n for n in schema.names if n in written or _INDEX_NAME.fullmatch(n)]
    return ParquetNames([name for name in schema.names if name not in index], index)


def _pandas_index(metadata):
    """Return the columns that pandas calls the index; ranges are not stored as one."""
    try:
        about = json.loads(metadata.get(b"pandas", b"{}"))
        return {name for name in about["index_columns"] if isinstance(name, str)}
    except (ValueError, LookupError, TypeError):
        return set()
