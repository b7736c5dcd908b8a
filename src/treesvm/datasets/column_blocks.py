"""Columns of a table as blocks of numbers, as a `ColumnEncoder` learned them."""

import numpy as np

from treesvm.datasets.category_codings import MISSING, UNSEEN, level_codes
from treesvm.datasets.data_file import DataFileError
from treesvm.datasets.table import as_categories


def filled_numbers(table, column):
    """Return a column of numbers without missing ones, as a matrix."""
    values = table.X[column["name"]]
    if values.dtype == object:
        values = _as_numbers(table, column["name"], values)
    lacking = np.isnan(values)
    if lacking.any():
        if column["fill"] is None:
            row = int(lacking.argmax())
            raise missing_error(table, row, f"column {column['name']!r}")
        values = np.where(lacking, column["fill"], values)
    if column.get("indicator"):
        return np.column_stack([values, lacking])
    return values[:, None]


def _as_numbers(table, name, values):
    """Return text as numbers: a column may come back as categories."""
    numbers = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        try:
            numbers[row] = np.nan if value is None else float(value)
        except ValueError:
            numbers[row] = np.inf
        if np.isinf(numbers[row]):
            raise DataFileError(
                table.path,
                f"column {name!r}{table.place_of(row)}: {value!r} is no number, and in "
                "training this column held numbers.",
                line=table.line_of(row),
            )
    return numbers


def coded_categories(table, column, unseen):
    """Return the numbers for a column of categories."""
    values, categories = table.X[column["name"]], column["categories"]
    if values.dtype != object:
        values = as_categories(values)
    codes = level_codes(values, categories, column["fill"])
    coding = column.get("coding", {"missing": None})
    if coding["missing"] is None and (codes == MISSING).any():
        row = int((codes == MISSING).argmax())
        raise missing_error(table, row, f"column {column['name']!r}")
    if unseen == "error" and (codes == UNSEEN).any():
        row = int((codes == UNSEEN).argmax())
        raise DataFileError(
            table.path,
            f"column {column['name']!r}{table.place_of(row)}: the category "
            f"{values[row]!r} was not seen in training; train with unseen='zeros' to "
            "allow it.",
            line=table.line_of(row),
        )
    if "coding" not in column:
        return (codes[:, None] == np.arange(len(categories))).astype(float)
    # Behind the categories, so that MISSING and UNSEEN count from the end.
    last = [coding["missing"] or coding["unseen"], coding["unseen"]]
    return np.array(coding["rows"] + last)[codes]


def missing_error(table, row, what):
    """Return the error about a value that may not be missing."""
    return DataFileError(
        table.path,
        f"{what}{table.place_of(row)}: the value is missing; train with "
        "missing='median' or 'most_frequent' (the command: --missing) to fill it in.",
        line=table.line_of(row),
    )
