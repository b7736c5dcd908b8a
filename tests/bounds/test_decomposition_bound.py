"""R, T1 and T2 of Theorem 10, against loops over pairs of rows."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.svm import SVC

from tests import naive_decomposition
from treesvm import DTSVMClassifier
from treesvm.bounds import decomposition_bound


def test_one_leaf_is_the_slack_to_margin_ratio_of_svc():
    X, y = make_moons(150, noise=0.3, random_state=0)
    model = DTSVMClassifier(1.0, 2.0, 5000, leaf_scaling=None, tol=1e-6).fit(X, y)
    machine = SVC(C=1.0, gamma=2.0, tol=1e-6).fit(X, y)
    alpha = np.zeros(len(y))
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    norm, slack = naive_decomposition.squared_norm_and_slack(
        X, 2.0 * y - 1.0, alpha, machine.intercept_[0], 2.0
    )
    bound = decomposition_bound(model, X, y)
    assert pytest.approx(norm + slack, rel=1e-3) == bound.R
    assert pytest.approx(bound.R * np.log(150) ** 2) == bound.T1
    assert pytest.approx(naive_decomposition.tree_term(1, 150, 2)) == bound.T2


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_classes_are_binary_problems_over_all_leaves(multi_class):
    X, y = make_blobs(240, centers=3, cluster_std=3.0, random_state=0)
    model = DTSVMClassifier(
        *(1.0, 0.5, 90),
        leaf_scaling=None,
        multi_class=multi_class,
        tol=1e-6,
        random_state=0,
    ).fit(X, y)
    leaves = model.apply(X)
    problems = [(0, 1), (0, 2), (1, 2)]
    if multi_class == "ovr":
        problems = [(0, None), (1, None), (2, None)]
    total = 0.0
    for positive, negative in problems:
        for leaf in np.unique(leaves):
            own = leaves == leaf
            if multi_class == "ovo":
                own &= (y == positive) | (y == negative)
            signs = np.where(y[own] == positive, 1, -1)
            if len(set(signs)) == 2:
                total += _ratio(X[own], signs)
    bound = decomposition_bound(model, X, y)
    assert pytest.approx(total / 3, rel=2e-3) == bound.R
    assert bound.R_per_leaf == pytest.approx(bound.R / model.n_leaves_)
    assert (
        pytest.approx(naive_decomposition.tree_term(model.n_leaves_, 240, 2))
        == bound.T2
    )


def _ratio(X, signs):
    machine = SVC(C=1.0, gamma=0.5, tol=1e-6).fit(X, signs)
    alpha = np.zeros(len(signs))
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    return sum(
        naive_decomposition.squared_norm_and_slack(
            X, signs, alpha, machine.intercept_[0], 0.5
        )
    )


def test_value_grows_with_confidence_and_falls_with_rows():
    X, y = make_moons(200, noise=0.3, random_state=0)
    bound = decomposition_bound(DTSVMClassifier(1.0, 2.0, 60).fit(X, y), X, y)
    assert bound.value(0.01) > bound.value(0.1)
    assert bound.value(c=2.0) == pytest.approx(2.0 * bound.value())


def test_refuses_what_the_theorem_does_not_cover():
    X, y = make_moons(200, noise=0.3, random_state=0)
    linear = DTSVMClassifier(kernel="linear", max_leaf_size=60).fit(X, y)
    with pytest.raises(ValueError, match="kernel='linear'"):
        decomposition_bound(linear, X, y)
    several = DTSVMClassifier(max_leaf_size=60, n_estimators=2, random_state=0)
    with pytest.raises(ValueError, match="2 decompositions"):
        decomposition_bound(several.fit(X, y), X, y)
