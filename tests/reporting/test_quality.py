"""Facts about answers are scikit-learn's measures."""

import numpy as np
import pytest
from sklearn import metrics

from treesvm import DTSVMClassifier, HLSVMClassifier, KernelSVR
from treesvm.datasets import Table, TableModel, make_waves
from treesvm.reporting import quality_facts


def halves(X, y):
    """A model's training table, and two tables to measure on."""
    tables = [Table(X[a:b], y[a:b]) for a, b in ((0, 300), (300, 400), (400, 600))]
    return tables[0], tables[1:]


@pytest.mark.parametrize("estimator", [HLSVMClassifier(), DTSVMClassifier()])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classifiers(estimator, n_classes):
    X, y = make_waves(600, 3)
    y = np.minimum(y, n_classes - 1)
    training, tables = halves(X, np.array(["x", "y", "z"])[y])
    model = TableModel(estimator.set_params(random_state=0)).fit(training)
    facts = quality_facts(model, iter(tables))
    rows, y = X[300:], np.concatenate([table.y for table in tables])
    said = model.predict(rows)
    assert facts["rows"] == 300
    assert facts["accuracy"] == pytest.approx(np.mean(said == y))
    balanced = metrics.balanced_accuracy_score(y, said)
    assert facts["balanced accuracy"] == pytest.approx(balanced)
    assert facts["base rate"] == np.unique(y, return_counts=True)[1].max() / 300
    has_shares = hasattr(estimator, "predict_proba")
    if n_classes == 2:
        scores = model.decision_function(rows)
        if has_shares:
            scores = model.predict_proba(rows)[:, 1]
        assert facts["AUC"] == pytest.approx(metrics.roc_auc_score(y == "y", scores))
        f1 = metrics.f1_score(y, said, pos_label="y")
        assert facts["F1 of y"] == pytest.approx(f1)
    else:
        f1 = metrics.f1_score(y, said, average="macro")
        assert facts["mean F1"] == pytest.approx(f1)
    if has_shares:
        loss = metrics.log_loss(y, model.predict_proba(rows))
        assert facts["log loss"] == pytest.approx(loss)
    assert ("log loss" in facts) == has_shares


def test_regressors():
    X, _ = make_waves(600, 3)
    y = X[:, 0] + X[:, 1] ** 2
    training, tables = halves(X, y)
    model = TableModel(KernelSVR()).fit(training)
    facts = quality_facts(model, tables)
    said = model.predict(X[300:])
    assert facts["R²"] == pytest.approx(metrics.r2_score(y[300:], said))
    error = metrics.mean_absolute_error(y[300:], said)
    assert facts["mean absolute error"] == pytest.approx(error)
    assert quality_facts(model, []) == {}


def test_a_label_that_training_did_not_know_is_a_wrong_answer():
    X, y = make_waves(600, 3)
    training, tables = halves(X, y)
    model = TableModel(HLSVMClassifier(random_state=0)).fit(training)
    strange = Table(tables[0].X, np.full(100, 9))
    facts = quality_facts(model, [strange])
    assert (facts["accuracy"], facts["balanced accuracy"]) == (0.0, 0.0)
    assert facts["log loss"] == pytest.approx(-np.log(np.finfo(float).eps))
