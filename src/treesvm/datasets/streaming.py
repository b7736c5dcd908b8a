"""Answer the rows of a file of any size, in bounded memory."""

import csv
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from treesvm.files.file_path import FilePath

if TYPE_CHECKING:  # the command reads LAYOUTS before it knows what to load
    from treesvm.datasets.table_model import TableModel


class StreamSummary(NamedTuple):
    """What was answered; rows with labels were compared."""

    n_rows: int
    n_labelled: int
    n_right: int


def predict_file(
    model: "TableModel",
    path: FilePath,
    write: Callable[[str], Any],
    *,
    answer: str = "labels",
    layout: str = "labels",
    chunk_rows: int = 50_000,
) -> StreamSummary:
    """Answer a data file chunk by chunk.

    Parameters
    ----------
    model : TableModel
    path : str or Path
    write : callable
        Takes text.
    answer : {"labels", "proba", "decision"}
        What stands behind each label: nothing, probabilities or decision values.
    layout : {"labels", "csv"}
        Lines as svm-predict writes them, or CSV with a header.
    chunk_rows : int
        Rows in memory at a time.

    Returns
    -------
    StreamSummary
    """
    score = _scorer(model, answer)
    lines = LAYOUTS[layout]
    n_rows = n_labelled = n_right = 0
    head = lines.head(model, answer)
    for table in model.iter_file(path, chunk_rows):
        X = model.encoder_.transform(table)
        labels = model.estimator.predict(X)
        scores = None if score is None else score(X)
        if n_rows == 0 and head:
            write(head)
        write(lines.rows(labels, scores))
        n_rows += len(labels)
        if table.y is not None:
            n_labelled += len(labels)
            n_right += int((labels.astype(str) == table.y.astype(str)).sum())
    return StreamSummary(n_rows, n_labelled, n_right)


def _scorer(model, answer):
    """Return the function for what stands behind the labels, None for nothing."""
    if answer == "labels":
        return None
    name = "predict_proba" if answer == "proba" else "decision_function"
    if not hasattr(model.estimator, name):
        way_out = " (--probability)" if answer == "proba" else ""
        raise ValueError(
            f"this {type(model.estimator).__name__} has no {name}; train one "
            f"that has{way_out}."
        )
    return getattr(model.estimator, name)


class _LabelLines:
    """One line for each row: the label, and its numbers behind it."""

    @staticmethod
    def head(model, answer):
        if answer != "proba":
            return ""
        return "labels " + " ".join(map(str, model.classes_)) + "\n"

    @staticmethod
    def rows(labels, scores):
        texts = labels.astype(str).tolist()
        if scores is not None:
            numbers = scores.reshape(len(labels), -1).tolist()
            pairs = zip(texts, numbers, strict=True)
            texts = [f"{text} " + " ".join(map(repr, row)) for text, row in pairs]
        return "\n".join(texts) + "\n" if texts else ""


class _CsvLines:
    """A header and comma-separated values."""

    @staticmethod
    def head(model, answer):
        names = [str(label) for label in model.classes_]
        if answer == "decision" and len(names) == 2:
            names = ["decision"]
        return _csv_text([["label", *(names if answer != "labels" else [])]])

    @staticmethod
    def rows(labels, scores):
        texts = labels.astype(str).tolist()
        if scores is None:
            return _csv_text([text] for text in texts)
        numbers = scores.reshape(len(labels), -1).tolist()
        return _csv_text([text, *row] for text, row in zip(texts, numbers, strict=True))


def _csv_text(rows):
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


LAYOUTS: dict[str, Any] = {"labels": _LabelLines, "csv": _CsvLines}
