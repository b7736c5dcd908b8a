"""Facts about models: what is inside, what answers cost, trees in words."""

import numpy as np
import pytest

from treesvm import DTSVMClassifier, HLSVMClassifier, KernelSVC
from treesvm.datasets import Table, TableModel, make_spirals
from treesvm.datasets.streaming import predict_file
from treesvm.reporting.summary import (
    fact_lines,
    model_facts,
    prediction_facts,
    tree_text,
)


@pytest.fixture(scope="module")
def table():
    X, y = make_spirals(800)
    return Table({"east": X[:, 0], "north": X[:, 1]}, np.array(["in", "out"])[y])


@pytest.mark.parametrize(
    ("estimator", "fact"),
    [
        (DTSVMClassifier(max_leaf_size=200), "support vectors met by a row"),
        (HLSVMClassifier(max_depth=4), "hyperplanes met by a row"),
        (KernelSVC(gamma=10.0), "support vectors met by a row"),
    ],
)
def test_facts_of_models(table, estimator, fact):
    model = TableModel(estimator).fit(table)
    facts = model_facts(model)
    assert facts["model"] == type(estimator).__name__
    assert facts["classes"] == ["in", "out"]
    assert facts["columns"] == ["east", "north"]
    assert prediction_facts(model, table)[fact] > 0
    assert "classes" in fact_lines(facts)
    assert "parameters" in fact_lines(model_facts(estimator))


def test_tree_in_words(table):
    model = TableModel(DTSVMClassifier(max_leaf_size=100)).fit(table)
    text = tree_text(model, max_depth=2)
    assert "the first 2 levels" in text
    assert "east <=" in text or "north <=" in text
    assert text.count("class:") <= 4
    with pytest.raises(ValueError, match="KernelSVC has no tree"):
        tree_text(KernelSVC().fit([[0.0], [1.0]], [0, 1]))


def test_answers_of_a_bare_estimator(tmp_path, table):
    X = np.stack(list(table.X.values()), axis=1)
    np.savez(tmp_path / "rows.npz", X=X, y=table.y)
    estimator = HLSVMClassifier(random_state=0).fit(X, table.y)
    texts = []
    model = TableModel.of(estimator)
    assert TableModel.of(model) is model
    summary = predict_file(model, tmp_path / "rows.npz", texts.append, chunk_rows=300)
    assert "".join(texts).split() == estimator.predict(X).tolist()
    assert summary.n_rows == summary.n_labelled == 800
    assert summary.n_right / 800 == estimator.score(X, table.y)
