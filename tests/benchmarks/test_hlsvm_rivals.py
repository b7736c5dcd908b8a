"""The budget of AdaBoost beside H-LSVM is the one that the benchmark's page names."""

import numpy as np
from sklearn.datasets import make_moons

from benchmarks.hlsvm_problems import Problem
from benchmarks.papers import hlsvm_methods as methods
from treesvm import HLSVMClassifier


def test_adaboost_gets_hyperplanes_times_features_in_tens(rng):
    X, y = make_moons(600, noise=0.3, random_state=0)
    X = np.column_stack([X, rng.normal(size=(600, 5))]).astype(np.float32)
    problem = Problem("moons", X[:400], y[:400], X[400:], y[400:])
    model = HLSVMClassifier(regularization="mean", random_state=0).fit(X[:400], y[:400])
    cost = model.hyperplanes_met(X[:400]).mean() * 7
    budget = methods.stump_budget(problem)
    assert budget % 10 == 0
    assert cost <= budget < cost + 10
    committee = methods._machine(problem, "Shuttle", "AdaBoost")
    assert committee.n_estimators == budget
