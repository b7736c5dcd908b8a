"""Arrow columns as arrays of numbers or of text, with the place of every mistake."""

from dataclasses import dataclass

import numpy as np

from treesvm.datasets.arrow_tables import pyarrow
from treesvm.datasets.data_file import DataFileError

NUMBER, TEXT = "number", "text"
_NUMBER_PATTERN = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
# A column of text in which more than this share are numbers has typing mistakes, or
# marks missing values in a way of its own; guessing "categories" would hide them.
_MOSTLY = 0.5


@dataclass(frozen=True)
class Origin:
    """Where an Arrow table was read, for messages."""

    path: str
    first_row: int
    first_line: int | None  # None in formats without lines
    names: tuple  # all columns of the file, in order

    def error(self, name, row, reason):
        """Return the error about one value."""
        line = None if self.first_line is None else self.first_line + row
        where = "" if line is not None else f" (row {self.first_row + row:,})"
        column = self.names.index(name) + 1
        return DataFileError(
            self.path,
            f"column {name!r}{where}: {reason}",
            line=line,
            column=column if line is not None else None,
        )


def guess_kinds(table, origin, categorical=()):
    """Return {name: NUMBER or TEXT} for the columns of an Arrow table.

    Parameters
    ----------
    table : pyarrow Table
    origin : Origin
    categorical : collection of str
        Columns that are text whatever is in them.
    """
    pa, kinds = pyarrow(), {}
    for name in table.column_names:
        column = table[name]
        if name in categorical or _is_dictionary_of_text(pa, column.type):
            kinds[name] = TEXT
        elif _is_text(pa, column.type):
            kinds[name] = _kind_of_text(pa, column, name, origin)
        else:
            kinds[name] = NUMBER
    return kinds


def _kind_of_text(pa, column, name, origin):
    """Return the kind of a text column; refuse one that is neither."""
    pc = pa.compute
    is_number = _looks_like_number(pa, column)
    n_values = len(column) - column.null_count
    n_numbers = pc.sum(is_number).as_py() or 0
    if n_numbers == n_values:
        return NUMBER
    if n_numbers > _MOSTLY * n_values:
        row = int(np.argmin(pc.fill_null(is_number, True).to_numpy()))
        raise origin.error(
            name,
            row,
            f"{column[row].as_py()!r} is no number, but most values of this column "
            "are; correct it, leave it empty, or declare the column categorical.",
        )
    return TEXT


def as_arrays(table, kinds, origin):
    """Return {name: ndarray}: float64 with NaN, or object arrays of str and None."""
    pa = pyarrow()
    return {
        name: (_numbers if kinds[name] == NUMBER else _texts)(
            pa, table[name], name, origin
        )
        for name in table.column_names
    }


def _numbers(pa, column, name, origin):
    """Return a column as float64, missing values as NaN."""
    pc = pa.compute
    if _is_text(pa, column.type):
        column = pc.utf8_trim_whitespace(column)
        # Arrow does not know a plus sign in front of a number.
        column = pc.replace_substring_regex(column, r"^\+([\d.])", r"\1")
    try:
        if pa.types.is_boolean(column.type):
            column = pc.cast(column, pa.int8())
        values = pc.cast(column, pa.float64(), safe=False)
    except pa.ArrowInvalid as error:
        if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
            raise _unreadable(column, name, origin) from error
        is_number = pc.fill_null(_looks_like_number(pa, column), True).to_numpy()
        row = int(np.argmin(is_number))
        raise origin.error(
            name, row, f"{column[row].as_py()!r} is no number."
        ) from None
    except pa.ArrowNotImplementedError as error:
        raise _unreadable(column, name, origin) from error
    array = values.to_numpy().astype(np.float64)
    bad = ~np.isfinite(array) & column.is_valid().to_numpy() & ~np.isnan(array)
    if bad.any():
        row = int(bad.argmax())
        raise origin.error(name, row, f"{column[row].as_py()!r} is not finite.")
    return array


def _unreadable(column, name, origin):
    if pyarrow().types.is_temporal(column.type):
        return DataFileError(origin.path, date_words(name))
    return DataFileError(
        origin.path,
        f"column {name!r} holds values of type {column.type}, which are neither "
        "numbers nor text; convert it, or leave it out (the command: --drop).",
    )


def date_words(name):
    """Return why a column of dates is refused, and what to do."""
    return (
        f"column {name!r} holds dates or times; replace it by numbers, such as the "
        "days since the first date, the month and the day of the week, or leave it "
        "out (the command: --drop)."
    )


def _texts(pa, column, name, origin):
    """Return a column as an object array; equal values share one string."""
    if not pa.types.is_dictionary(column.type):
        try:
            column = pa.compute.cast(column, pa.string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise DataFileError(
                origin.path,
                f"column {name!r} of type {column.type} cannot be read as text.",
            ) from error
        column = column.dictionary_encode()
    encoded = column.unify_dictionaries().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):  # what a table of no rows gives
        encoded = encoded.chunk(0)
    strings = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)
    codes = encoded.indices.fill_null(len(strings) - 1).to_numpy(zero_copy_only=False)
    return strings[codes.astype(np.int64)]


def _looks_like_number(pa, column):
    pc = pa.compute
    trimmed = pc.utf8_trim_whitespace(column)
    return pc.match_substring_regex(trimmed, _NUMBER_PATTERN)


def _is_text(pa, kind):
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _is_dictionary_of_text(pa, kind):
    return pa.types.is_dictionary(kind) and _is_text(pa, kind.value_type)
