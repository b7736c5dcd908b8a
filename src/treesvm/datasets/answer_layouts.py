"""How answers are written: lines of labels or numbers, or CSV."""

import csv
import io
from typing import Any


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
        if not hasattr(model.estimator, "classes_"):
            return csv_text([["prediction"]])
        names = [str(label) for label in model.classes_]
        if answer == "decision" and len(names) == 2:
            names = ["decision"]
        return csv_text([["label", *(names if answer != "labels" else [])]])

    @staticmethod
    def rows(labels, scores):
        texts = labels.astype(str).tolist()
        if scores is None:
            return csv_text([text] for text in texts)
        numbers = scores.reshape(len(labels), -1).tolist()
        return csv_text([text, *row] for text, row in zip(texts, numbers, strict=True))


def csv_text(rows):
    """Return rows as lines of CSV."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


EXPLANATION_LAYOUTS = ("text", "csv")  # see `explained_rows`
LAYOUTS: dict[str, Any] = {"labels": _LabelLines, "csv": _CsvLines}
