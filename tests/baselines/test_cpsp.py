"""CPSP as an estimator."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

from treesvm import KernelSVC
from treesvm.baselines import CPSPClassifier

X, Y = make_moons(200, noise=0.15, random_state=0)


def test_a_full_basis_is_the_machine():
    rows, labels = X[:40], Y[:40]
    full = CPSPClassifier(40, C=1.0, gamma=2.0, tol=1e-9).fit(rows, labels)
    machine = KernelSVC(C=1.0, gamma=2.0, tol=1e-6).fit(rows, labels)
    # The bias is penalised here, so values differ a little.
    assert (
        np.corrcoef(full.decision_function(X), machine.decision_function(X))[0, 1]
        > 0.99
    )


@pytest.mark.parametrize("basis", ["training", "free"])
def test_budget_is_kept_and_machines_converge(basis):
    model = CPSPClassifier(6, basis, C=10.0, gamma=2.0).fit(X, Y)
    assert len(model.basis_vectors_) == model.n_iter_ == 6
    assert model.converged_share_ == 1.0
    assert model.score(X, Y) > 0.93
    assert (model.kernel_evaluations(X) == 6).all()
    if basis == "training":
        np.testing.assert_array_equal(model.basis_vectors_, X[model.basis_rows_])


def test_classes_share_the_basis():
    rows, labels = load_iris(return_X_y=True)
    model = CPSPClassifier(8, gamma=0.5, C=10.0).fit(rows, labels)
    assert model.coef_.shape == (8, 3)
    assert model.score(rows, labels) > 0.94


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": 0}, "budget=0"),
        ({"basis": "any"}, "basis='any'"),
        ({"n_candidates": 0}, "n_candidates=0"),
        ({"max_iter": -1}, "max_iter=-1"),
        ({"kernel": "precomputed"}, "precomputed"),
        ({"kernel": "linear", "basis": "free"}, "pre-images"),
        ({"C": 0.0}, "C=0.0"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        CPSPClassifier(**options).fit(X, Y)
