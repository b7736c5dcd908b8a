"""One SVM of all rows beside DTSVM: how its θ is chosen, and what is timed."""

import numpy as np
import pytest
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
