"""Answer the rows of a file of any size, in bounded memory."""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor

from treesvm.datasets.answer_layouts import LAYOUTS
from treesvm.datasets.label_task import REGRESSION, as_target
from treesvm.datasets.table_model import TableModel
from treesvm.files.file_path import FilePath


class StreamSummary(NamedTuple):
    """What was answered; rows with labels were compared.

    `n_right`, `balanced_accuracy` and `base_rate` are None for regressors, the errors
    are None for classifiers.
    """

    n_rows: int
    n_labelled: int
    n_right: int | None
    r2: float | None = None
    mean_absolute_error: float | None = None
    balanced_accuracy: float | None = None
    base_rate: float | None = None  # the share of the most frequent label


def predict_file(
    model: TableModel,
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
    tally = _Numbers() if is_regressor(model.estimator) else _Labels()
    n_rows = 0
    head = lines.head(model, answer)
    for table in model.iter_file(path, chunk_rows):
        X = model.estimator_rows(table)
        labels = model.estimator.predict(X)
        scores = None if score is None else score(X)
        if n_rows == 0 and head:
            write(head)
        write(lines.rows(labels, scores))
        n_rows += len(labels)
        if table.y is not None:
            tally.add(table.y, labels)
    return tally.summary(n_rows)


class _Labels:
    """Counts right answers of a classifier for each label, as they are written."""

    def __init__(self):
        self.n_labelled, self.n_right = Counter(), Counter()

    def add(self, y, said):
        y, said = y.astype(str), said.astype(str)
        self.n_labelled.update(y.tolist())
        self.n_right.update(y[said == y].tolist())

    def summary(self, n_rows):
        n = self.n_labelled.total()
        if n == 0:
            return StreamSummary(n_rows, 0, 0)
        recalls = [self.n_right[c] / count for c, count in self.n_labelled.items()]
        return StreamSummary(
            n_rows,
            n,
            self.n_right.total(),
            balanced_accuracy=sum(recalls) / len(recalls),
            base_rate=max(self.n_labelled.values()) / n,
        )


class _Numbers:
    """Sums the errors of a regressor; targets are taken from the first one on."""

    n_labelled, first = 0, None
    total = square = squared_error = absolute_error = 0.0

    def add(self, y, said):
        y = as_target(y, REGRESSION)
        self.first = y[0] if self.first is None else self.first
        self.n_labelled += len(y)
        self.total += float((y - self.first).sum())
        self.square += float(((y - self.first) ** 2).sum())
        self.squared_error += float(((y - said) ** 2).sum())
        self.absolute_error += float(np.abs(y - said).sum())

    def summary(self, n_rows):
        n = self.n_labelled
        if n == 0:
            return StreamSummary(n_rows, 0, None)
        spread = self.square - self.total**2 / n
        r2 = 1.0 - self.squared_error / spread if spread > 0 else None
        return StreamSummary(n_rows, n, None, r2, self.absolute_error / n)


def _scorer(model, answer):
    """Return the function for what stands behind the labels, None for nothing."""
    if answer == "labels":
        return None
    name = "predict_proba" if answer == "proba" else "decision_function"
    if is_regressor(model.estimator):
        raise ValueError(
            f"a {type(model.estimator).__name__} answers with numbers, which have no "
            f"classes behind them; leave out --{answer}."
        )
    if not hasattr(model.estimator, name):
        way_out = " (--probability)" if answer == "proba" else ""
        raise ValueError(
            f"this {type(model.estimator).__name__} has no {name}; train one "
            f"that has{way_out}."
        )
    return getattr(model.estimator, name)
