"""How a CSV file is written: delimiter, decimals, header, encoding; found or given."""

import csv
import io
import re
from typing import NamedTuple

from treesvm.datasets.data_file import DataFileError, open_bytes, require_file
from treesvm.datasets.data_source import DataSource

MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?")
MAX_LINE_BYTES = 16 * 2**20
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES, _SAMPLE_CHARACTERS = 50, 2**16
_NUMBERS = {
    mark: re.compile(rf"\s*[+-]?(\d+{sign}?\d*|{sign}\d+)([eE][+-]?\d+)?\s*")
    for mark, sign in ((".", r"\."), (",", ","))
}
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class CsvLayout(NamedTuple):
    """How the rows of a CSV file are written."""

    names: tuple[str, ...]  # of all fields, "" for an index that was written without
    has_header: bool
    delimiter: str
    decimal: str
    encoding: str

    @property
    def has_index(self):
        """Whether the first field is the index of a frame, which is no column."""
        return not self.names[0]

    @property
    def columns(self):
        """The names of the columns."""
        return list(self.names[self.has_index :])


def csv_layout(path):
    """Return the `CsvLayout` of a file: as its `DataSource` says, else by its lines.

    Columns without header are called "column 1", "column 2" and so on.
    """
    source = DataSource.of(path)
    require_file(source)
    encoding = source.encoding or _found_encoding(source)
    lines = _first_lines(source, encoding)
    delimiter = source.delimiter or ("\t" if source.is_tsv else _found_delimiter(lines))
    decimal = source.decimal or _found_decimal(lines, delimiter)
    if decimal == delimiter:
        raise DataFileError(
            source,
            f"decimals and fields are both separated by {decimal!r}; say delimiter=... "
            "(the command: --delimiter).",
        )
    fields = _cut(lines[0], delimiter) if lines[0].strip() else []
    if fields is None:
        raise DataFileError(source, "no header can be read: check its quotes.", line=1)
    names = [field.strip() for field in fields]
    if not any(names):
        reason = "the first line is empty; name the columns."
        raise DataFileError(source, reason if any(lines) else "it is empty.", line=1)
    has_header = source.header
    if has_header is None:
        rows = [_cut(line, delimiter) or () for line in lines[1:]]
        has_header = not _is_row(names, rows, _NUMBERS[decimal])
    if not has_header:
        names = [f"column {place}" for place in range(1, len(names) + 1)]
    elif names[0] == "Unnamed: 0":  # how pandas calls an index that it read as a column
        names[0] = ""
    _check_names(source, names)
    return CsvLayout(tuple(names), has_header, delimiter, decimal, encoding)


def _is_row(fields, rows, number):
    """Whether the first line of a file is a row: numbers stand where others have them.

    Numbers that count on (0, 1, 2 or 2019, 2020) may be names: beside text they are,
    and so are those of a frame that was written with its index.
    """
    numbers = [field for field in fields if number.fullmatch(field)]
    if all(field in numbers or field in MISSING for field in fields):
        return fields != ["", *map(str, range(len(fields) - 1))]
    columns = list(zip(*filter(None, rows), strict=False))
    for field, column in zip(fields, columns, strict=False):
        has_numbers = all(number.fullmatch(c) or c.strip() in MISSING for c in column)
        if has_numbers != (field in numbers) and field not in MISSING:
            return False
    first = int(numbers[0]) if numbers and numbers[0].isdecimal() else 0
    counted = [str(first + place) for place in range(len(numbers))]
    return bool(numbers and columns) and (len(numbers) == 1 or numbers != counted)


def _check_names(source, names):
    """Refuse names that are used twice, and empty ones but for that of an index."""
    known = set() if len(names) > 1 else {""}
    for place, name in enumerate(names, 1):
        if name in known or (not name and place > 1):
            reason = f"the column name {name!r} is empty or used twice; name each once."
            raise DataFileError(source, reason, line=1, column=place)
        known.add(name)


def too_long(n_bytes):
    """Return the reason for refusing a line."""
    return (
        f"the line is longer than {n_bytes / 1e6:.1f} MB; very wide rows belong into "
        "LIBSVM text or .npz files."
    )


def _found_encoding(source):
    with open_bytes(source) as file:
        return "utf-16" if file.read(2) in _UTF_16 else "utf-8-sig"


def _first_lines(source, encoding):
    """Return the first line, whole, and some that follow, as text."""
    with open_bytes(source) as file:
        # A wrong byte further down is told with its place when its row is read.
        text = io.TextIOWrapper(file, encoding, errors="surrogateescape", newline="")
        try:
            first = text.readline(MAX_LINE_BYTES)
            rest = text.read(_SAMPLE_CHARACTERS)
        except UnicodeError as error:
            raise DataFileError(source, _not_in(encoding, error), line=1) from error
    if len(first) == MAX_LINE_BYTES:
        raise DataFileError(source, too_long(MAX_LINE_BYTES), line=1)
    try:
        first.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataFileError(source, _not_in(encoding), line=1) from error
    lines = rest.splitlines()
    if len(rest) == _SAMPLE_CHARACTERS:
        lines = lines[:-1]  # cut off
    return [first.rstrip("\r\n"), *lines[:_SAMPLE_LINES]]


def decoding_words(error):
    """Return why text cannot be decoded; some codecs say it in one string."""
    return getattr(error, "reason", error)


def _not_in(encoding, error=None):
    why = "" if error is None else f" ({decoding_words(error)})"
    return (
        f"this is no text in {encoding.removesuffix('-sig')}{why}; name its encoding "
        "with encoding=... (the command: --encoding latin-1)."
    )


def _cut(line, delimiter):
    """Return the fields of a line, None if its quotes are wrong."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return None


def _found_delimiter(lines):
    """Return what cuts all lines into equally many fields, most of them numbers."""
    scores = {}
    for delimiter in _DELIMITERS:
        rows = [_cut(line, delimiter) for line in lines if line.strip()]
        widths = {len(row or ()) for row in rows}
        if len(widths) == 1 and min(widths) > 1:
            cells = [cell for row in rows for cell in row]
            share = sum(map(_is_number, cells)) / len(cells)
            scores[delimiter] = (share, min(widths))
    if scores:
        return max(scores, key=scores.get)
    # Lines differ, which is a mistake to be told with its place: the header decides.
    return max(_DELIMITERS, key=lambda mark: len(_cut(lines[0], mark) or ()))


def _found_decimal(lines, delimiter):
    """Return a comma if numbers have one and none has a point."""
    if delimiter == ",":
        return "."
    rows = [_cut(line, delimiter) or () for line in lines]
    cells = [cell for row in rows for cell in row]
    marks = {m for m in ".," for c in cells if m in c and _NUMBERS[m].fullmatch(c)}
    return "," if marks == {","} else "."


def _is_number(text):
    return any(number.fullmatch(text) for number in _NUMBERS.values())
