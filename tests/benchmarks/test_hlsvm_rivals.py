"""The budget of AdaBoost beside H-LSVM is the one that the benchmark's page names."""

import numpy as np
from sklearn.datasets import make_moons

from benchmarks import hlsvm_rivals
from benchmarks.hlsvm_problems import Problem
from treesvm import HLSVMClassifier


class NothingKept:
    def fetch(self, key, run):
        return run()


class Context:
    rivals = NothingKept()


def test_adaboost_gets_hyperplanes_times_features_in_tens(rng):
    X, y = make_moons(600, noise=0.3, random_state=0)
    X = np.column_stack([X, rng.normal(size=(600, 5))]).astype(np.float32)
    problem = Problem("moons", X[:400], y[:400], X[400:], y[400:])
    model = HLSVMClassifier(regularization="mean", random_state=0).fit(X[:400], y[:400])
    cost = model.hyperplanes_met(X[:400]).mean() * 7
    budget = hlsvm_rivals.stump_budget(problem)
    assert budget % 10 == 0
    assert cost <= budget < cost + 10
    setting = hlsvm_rivals.SETTINGS["shuttle"]
    rows = hlsvm_rivals._rival_rows(Context(), problem, setting, budget)
    by_method = {row["method"]: row for row in rows}
    assert by_method["AdaBoost, stumps"]["cost"] == budget
