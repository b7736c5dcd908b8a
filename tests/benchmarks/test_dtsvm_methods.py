"""One SVM of all rows beside DTSVM: how its θ is chosen, and what is timed."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from benchmarks.dtsvm_problems import CS, GAMMAS, Problem
from benchmarks.dtsvm_svc import points_of
from benchmarks.papers import dtsvm_methods as methods


@pytest.fixture
def problem():
    X, y = make_moons(400, noise=0.3, random_state=0)
    X = X.astype(np.float32)
    return Problem("moons", X[:300], y[:300], 200, X[300:], y[300:])


def validation_accuracy(problem, C, gamma):
    X_val, y_val = problem.validation
    return SVC(C=C, gamma=gamma).fit(*problem.train).score(X_val, y_val)


@pytest.mark.parametrize("grid", ["nine", "all"])
def test_theta_is_libsvms_best(problem, grid):
    points = points_of("")
    if grid == "all":
        points = [(C, gamma) for C in CS[:5] for gamma in GAMMAS]
    assert len(points) >= 9
    chosen = methods._best_point(problem, points, "ovo")
    assert chosen in points
    best = max(validation_accuracy(problem, *theta) for theta in points)
    # A row of 100 may lie between two solvers' answers.
    assert validation_accuracy(problem, *chosen) >= best - 0.01


@pytest.mark.parametrize(
    ("mode", "method"), [("ovo", "DTSVM"), ("ovo", "LIBSVM"), ("ovr", "LIBSVM")]
)
def test_times_are_taken_at_the_theta_that_is_kept(
    problem, mode, method, monkeypatch, tmp_path
):
    asked = []

    class Kept:
        def __init__(self, paper):
            assert paper == "dtsvm"

        def shown(self, name):
            asked.append(name)
            return {"C": 10.0, "γ": 1.0, "σ_opt": 150}, "full"

    monkeypatch.setattr(methods, "Store", Kept)
    monkeypatch.setattr(methods, "load_as_published", lambda *a: problem)
    figures = methods.times(tmp_path, False, "moons", mode, method, "the search")
    assert asked == ["the search"]
    assert figures["testing s"] > 0
    assert ("tree's testing s" in figures) == (method == "DTSVM")


@pytest.mark.parametrize("k", [1, 3, 5])
def test_one_search_holds_those_that_take_fewer_thetas_further(problem, k):
    """Figure 2 has one search for all its k."""
    changed = {"max_leaf_size": 40, "growth": 2, **methods.QUICK_GRID}
    all_of_them = methods._search(problem, True, top_k=9, **changed).model
    end = methods.end_of_search(all_of_them.search_results_, k, 2)
    found = methods._search(problem, True, top_k=k, **changed).model
    assert end == (found.C_, found.gamma_, found.max_leaf_size_)


def test_ceilings_of_sparse_rows(problem, monkeypatch):
    sparse_rows = problem._replace(
        X=csr_matrix(problem.X), X_test=csr_matrix(problem.X_test)
    )
    monkeypatch.setattr(methods, "prepared", lambda context, name: sparse_rows)
    figures = methods.words(None, True, "words", "ovo")
    model = methods._search(sparse_rows, True).model
    assert figures["σ_opt"] == model.max_leaf_size_
    assert figures["accuracy at 1500"] == sparse_rows.score(model)


def test_figures_2_and_3_are_those_of_searches_of_their_own(problem, monkeypatch):
    monkeypatch.setattr(methods, "load_as_published", lambda *a: problem)
    figures = methods.settings(None, True, "moons")
    own = [methods._search(problem, True, top_k=k).accuracy for k in figures["k"]]
    assert figures["accuracy by k"] == own
    own = [
        methods._search(problem, True, max_leaf_size=first).accuracy
        for first in figures["σ₀"]
    ]
    assert figures["accuracy by σ₀"] == own
