"""How good the answers of a model are, as named facts."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor
from sklearn.metrics import f1_score, mean_absolute_error, r2_score, roc_auc_score

from treesvm.datasets.label_task import REGRESSION, as_target
from treesvm.datasets.table import Table
from treesvm.datasets.table_model import TableModel

_LEAST = np.finfo(float).eps  # one wrong certainty is not infinitely bad


def quality_facts(model: TableModel, tables: Iterable[Table]) -> dict[str, Any]:
    """Return {fact: value} about the answers to the rows of some tables with labels.

    Classifiers: accuracy, balanced accuracy (the mean over classes), F1 (of the second
    of two classes, of more the mean), for two classes the AUC, the log loss if there
    are probabilities, and the base rate, the share of the most frequent label.
    Regressors: R² and the mean absolute error.
    """
    answer = _numbers if is_regressor(model.estimator) else _labels
    seen = [answer(model, table) for table in tables]
    if not seen:
        return {}
    y, said, scores = (np.concatenate(columns) for columns in zip(*seen, strict=True))
    facts: dict[str, Any] = {"rows": len(y)}
    if is_regressor(model.estimator):
        if len(y) > 1:
            facts["R²"] = float(r2_score(y, said))
        return facts | {"mean absolute error": float(mean_absolute_error(y, said))}
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    right = y == said
    recalls = np.bincount(codes, weights=right) / counts
    facts["accuracy"] = float(right.mean())
    facts["balanced accuracy"] = float(recalls.mean())
    classes = [str(label) for label in model.classes_]
    if len(classes) == 2:
        facts[f"F1 of {classes[1]}"] = float(
            f1_score(y == classes[1], said == classes[1])
        )
        if set(labels) == set(classes):
            facts["AUC"] = float(roc_auc_score(y == classes[1], scores))
        if hasattr(model.estimator, "predict_proba"):
            scores = np.where(y == classes[1], scores, 1.0 - scores)
    else:
        facts["mean F1"] = float(f1_score(y, said, average="macro", zero_division=0.0))
    if hasattr(model.estimator, "predict_proba"):
        scores = np.where(np.isin(y, classes), scores, 0.0)
        facts["log loss"] = float(-np.log(np.maximum(scores, _LEAST)).mean())
    return facts | {"base rate": float(counts.max() / len(y))}


class _Answers(NamedTuple):
    """Of some rows; scores are of the second class, or of the right one of many."""

    y: np.ndarray
    said: np.ndarray
    scores: np.ndarray


def _numbers(model, table):
    """Answers of a regressor."""
    said = model.predict(table)
    return _Answers(as_target(table.y, REGRESSION), said, np.zeros(len(said)))


def _labels(model, table):
    """Answers of a classifier; labels are compared as they are written."""
    y, said = table.y.astype(str), model.predict(table).astype(str)
    classes = [str(label) for label in model.classes_]
    has_shares = hasattr(model.estimator, "predict_proba")
    if len(classes) == 2:
        scores = (
            model.predict_proba(table)[:, 1]
            if has_shares
            else model.decision_function(table)
        )
    elif has_shares:
        shares, place = (
            model.predict_proba(table),
            {c: k for k, c in enumerate(classes)},
        )
        pairs = zip(y, shares, strict=True)
        scores = np.array([row[place[c]] if c in place else 0.0 for c, row in pairs])
    else:
        scores = np.full(len(y), np.nan)
    return _Answers(y, said, scores)
