"""DTSVMClassifier with least squares machines, wherever a model goes."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics import log_loss

from treesvm import DTSVMClassifier, load_model, save_model


@pytest.fixture(scope="module")
def noisy():
    return make_moons(600, noise=0.35, random_state=0)


def test_values_away_from_the_border_say_more(noisy):
    X, y = noisy
    told = {}
    for loss in ("hinge", "squared"):
        model = DTSVMClassifier(loss=loss, max_leaf_size=300, random_state=0)
        model.fit(X[:400], y[:400])
        told[loss] = log_loss(y[400:], model.predict_proba(X[400:]))
    assert told["squared"] < told["hinge"]


def test_threads_files_and_single_rows_give_the_same_answers(noisy, tmp_path):
    X, y = noisy
    model = DTSVMClassifier(loss="squared", max_leaf_size=200, random_state=0)
    model.fit(X, y)
    threads = DTSVMClassifier(
        loss="squared", max_leaf_size=200, random_state=0, n_jobs=2
    ).fit(X, y)
    values = model.decision_function(X)
    assert np.array_equal(threads.decision_function(X), values)
    save_model(model, tmp_path / "model.treesvm")
    again = load_model(tmp_path / "model.treesvm")
    assert again.loss == "squared"
    assert np.array_equal(again.decision_function(X), values)
    ask = model.predictor()
    assert [ask(x) for x in X[:50]] == model.predict(X[:50]).tolist()


def test_a_weight_of_two_is_the_row_twice(noisy):
    X, y = noisy[0][:150], noisy[1][:150]
    heavy = np.arange(150) % 3 == 0
    plain = {
        "loss": "squared",
        "partition": "whole",
        "C": 5.0,  # leaving one row out of two equal ones would say something else
        "gamma": 2.0,
        "leaf_scaling": None,
    }
    weighted = DTSVMClassifier(**plain).fit(X, y, 1.0 + heavy)
    twice = DTSVMClassifier(**plain).fit(np.r_[X, X[heavy]], np.r_[y, y[heavy]])
    one, other = (m.decompositions_[0].parts[0] for m in (weighted, twice))
    np.testing.assert_allclose(one.decisions(X), other.decisions(X), atol=1e-3)


def test_an_unknown_loss_is_refused(noisy):
    with pytest.raises(ValueError, match="loss='logistic'"):
        DTSVMClassifier(loss="logistic").fit(*noisy)
