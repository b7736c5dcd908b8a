"""What each column of a row adds to its answer, written row by row."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from treesvm.datasets.answer_layouts import csv_text
from treesvm.datasets.table import Table, category_text
from treesvm.datasets.table_model import TableModel
from treesvm.files.file_path import FilePath

_CHUNK_ROWS = 1_000  # exact values take time, and answers should begin to flow


class ExplainedRow(NamedTuple):
    """One row, its answer, and what the columns add to the value of that answer.

    Attributes
    ----------
    number : int
        Of the row, counted from 1.
    answer : object
        The label or number that the model says.
    names : list of str
        Of the columns.
    cells : list of str
        What stands in them.
    values : ndarray of shape (n_columns,)
        What they add.
    """

    number: int
    answer: Any
    names: list[str]
    cells: list[str]
    values: np.ndarray


def explain_table(model: TableModel, table: Table) -> Iterator[ExplainedRow]:
    """Yield an `ExplainedRow` for each row: Shapley values for its answer.

    What speaks for the answer is positive, also for the first of two classes. Numbers
    are in the units of the decision values, those of regressors in the target's.

    Parameters
    ----------
    model : TableModel
        Of a `TreeSVC`, `TreeSVR` or `DTSVMClassifier`, for instance.
    table : Table
        The rows.

    Yields
    ------
    ExplainedRow

    Raises
    ------
    ValueError
        If the model's estimator has no ``explain``.

    Examples
    --------
    >>> import numpy as np
    >>> from treesvm import DTSVMClassifier
    >>> from treesvm.datasets import Table, TableModel, explain_table
    >>> size = np.arange(40.0)
    >>> columns = {"size": size, "flat": np.ones(40)}
    >>> table = Table(columns, np.where(size < 17, "a", "b"))
    >>> row = next(explain_table(TableModel(DTSVMClassifier()).fit(table), table))
    >>> str(row.answer), row.cells, (row.values > 0).tolist()
    ('a', ['0', '1'], [True, False])
    """
    answers, values = model.predict(table), model.explain(table)
    classes: Any = getattr(model.estimator, "classes_", None)
    if values.ndim == 3:
        codes = np.searchsorted(classes, answers)
        values = values[np.arange(len(codes)), :, codes]
    elif classes is not None:
        values = np.where((answers == classes[1])[:, None], values, -values)
    names = model.encoder_.column_names
    if names is None:
        names = [f"feature {place}" for place in range(1, values.shape[1] + 1)]
    for row, answer in enumerate(answers):
        cells = _cells(table, row, names)
        yield ExplainedRow(table.first_row + row, answer, names, cells, values[row])


def _cells(table, row, names):
    """Return what stands in the columns of a row, as text."""
    if table.is_matrix:
        cells = table.X[row]
        if sparse.issparse(cells):
            cells = np.asarray(cells.todense()).ravel()
        found = [*cells[: len(names)], *[0.0] * (len(names) - len(cells))]
    else:
        found = [table.X[name][row] for name in names]
    return [_cell(value) for value in found]


def _cell(value):
    if value is None or value != value:
        return "missing"
    return value if isinstance(value, str) else f"{value:.6g}"


def explain_file(
    model: TableModel,
    path: FilePath,
    write: Callable[[str], Any],
    *,
    layout: str = "text",
    row: int | None = None,
    n_most: int = 10,
) -> int:
    """Explain the rows of a data file; return how many there were.

    Parameters
    ----------
    model : TableModel
        See `explain_table`.
    path : str, Path or DataSource
        Of the rows.
    write : callable
        Takes text.
    layout : {"text", "csv"}, default="text"
        A paragraph with the columns that matter most, or a line of CSV with all.
    row : int, optional
        Explain only this row, counted from 1.
    n_most : int, default=10
        Columns in a paragraph.

    Returns
    -------
    int

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from treesvm import DTSVMClassifier
    >>> from treesvm.datasets import TableModel, explain_file, read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rows.csv")
    ...     rows = "".join(f"{i},{'ab'[i // 20]}\\n" for i in range(40))
    ...     _ = path.write_text("size,kind\\n" + rows)
    ...     model = TableModel(DTSVMClassifier()).fit(read_table(path), label="kind")
    ...     texts = []
    ...     explain_file(model, path, texts.append, row=3)
    1
    >>> texts[0].splitlines()[0]
    'row 3: a'
    """
    n_rows = n_seen = 0
    for table in model.iter_file(path, _CHUNK_ROWS):
        n_seen += table.n_rows
        if row is not None:
            if row > n_seen:
                continue
            table = table.take(np.array([row - table.first_row]))
        for explained in explain_table(model, table):
            number = explained.number if row is None else row
            explained = explained._replace(number=number)
            if layout == "text":
                write(_paragraph(explained, n_most))
            else:
                if n_rows == 0:
                    write(csv_text([["row", "answer", *explained.names]]))
                shares = (repr(float(value)) for value in explained.values)
                write(csv_text([[number, explained.answer, *shares]]))
            n_rows += 1
        if row is not None:
            break
    if row is not None and n_rows == 0:
        raise ValueError(f"{path}: it has {n_seen:,} rows, and no row {row:,}.")
    return n_rows


def _paragraph(explained, n_most):
    """Return the columns of a row that matter most, as aligned lines."""
    order = np.argsort(-np.abs(explained.values), kind="stable")
    order = [j for j in order if explained.values[j] != 0.0]
    shown = order[:n_most]
    titles = {j: f"{explained.names[j]} = {explained.cells[j]}" for j in shown}
    width = max(map(len, titles.values()), default=0)
    answer = explained.answer
    answer = f"{answer:.6g}" if isinstance(answer, float) else category_text(answer)
    lines = [f"row {explained.number:,}: {answer}"]
    lines += [f"  {titles[j]:{width}}  {explained.values[j]:+.4g}" for j in shown]
    if len(order) > n_most:
        rest = explained.values[order[n_most:]].sum()
        left = len(order) - n_most
        words = "1 other column" if left == 1 else f"{left:,} other columns"
        lines.append(f"  {words:{width}}  {rest:+.4g}")
    if not order:
        lines.append("  no column has a share: its part of the space has one answer")
    return "\n".join(lines) + "\n"
