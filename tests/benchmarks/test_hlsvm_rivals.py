"""The budget of AdaBoost beside H-LSVM is the one that the benchmark's page names."""

import numpy as np
from sklearn.datasets import make_moons

from benchmarks.hlsvm_problems import Problem
from benchmarks.papers import hlsvm_methods as methods


def test_adaboost_gets_hyperplanes_times_features_in_tens(rng):
    X, y = make_moons(600, noise=0.3, random_state=0)
    X = np.column_stack([X, rng.normal(size=(600, 5))]).astype(np.float32)
    problem = Problem("moons", X[:400], y[:400], X[400:], y[400:])
    model = methods._machine(problem, "Shuttle", "H-LSVM").fit(X[:400], y[:400])
    cost = model.hyperplanes_met(X[:400]).mean() * 7
    budget = methods.stump_budget(problem, "Shuttle")
    assert budget % 10 == 0
    assert cost <= budget < cost + 10
    committee = methods._machine(problem, "Shuttle", "AdaBoost")
    assert committee.n_stumps == budget


def test_features_have_the_form_of_the_paper_s_source(rng):
    X = rng.uniform(-5.0, 9.0, size=(20, 2)).astype(np.float32)
    forms = {
        name: methods.as_published(Problem(name, X, X[:, 0] > 0, X, X[:, 0] > 0)).X
        for name in ("ijcnn1", "shuttle", "mnist")
    }
    assert np.array_equal(forms["ijcnn1"], X)
    assert np.allclose([forms["shuttle"].min(), forms["shuttle"].max()], [-1.0, 1.0])
    assert np.allclose([forms["mnist"].min(), forms["mnist"].max()], [0.0, 1.0])


def test_many_rows_are_searched_point_by_point(monkeypatch):
    X, y = make_moons(120, noise=0.3, random_state=0)
    rows = X[:80], y[:80], X[80:], y[80:]
    together = methods._grid_scores(*rows)
    monkeypatch.setattr(methods, "PATH_ROWS", 0)
    apart = methods._grid_scores(*rows)
    assert sorted(apart) == sorted(together)
    assert len(apart) == 13 * 7
    # An almost flat dual (C = 10⁶) may be stopped elsewhere, a row of 40 aside.
    assert all(abs(apart[theta] - together[theta]) <= 1 / 40 for theta in apart)
