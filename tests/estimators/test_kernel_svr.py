"""KernelSVR against its naive twin, scikit-learn, and its limit cases."""

import naive
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVR

from treesvm import KernelSVR

KERNELS = ["rbf", "linear", "poly", "sigmoid"]


def waves(seed=0, n=40):
    """Noisy waves over two features."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, size=(n, 2))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
def test_objective_is_the_twins(seed, epsilon):
    X, y = waves(seed, n=16)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, 16)
    K = naive.kernel_block("rbf", X, X, gamma=0.7)
    theirs = naive.svr_dual(K, y, epsilon, 2.0 * weight)
    model = KernelSVR(2.0, epsilon=epsilon, gamma=0.7, tol=1e-6).fit(X, y, weight)
    ours = np.zeros(16)
    ours[model.support_] = model.dual_coef_[0]
    assert abs(ours.sum()) < 1e-6
    assert (np.abs(ours) <= 2.0 * weight * (1 + 1e-9)).all()
    expected = naive.svr_objective(K, y, epsilon, theirs)
    assert naive.svr_objective(K, y, epsilon, ours) == pytest.approx(expected, rel=1e-4)
    np.testing.assert_allclose(
        model.predict(X), K @ ours + model.intercept_, rtol=1e-5, atol=1e-5
    )
    assert model.converged_


@pytest.mark.parametrize("kernel", KERNELS)
def test_predictions_are_those_of_scikit_learn(kernel):
    X, y = waves()
    options = {"C": 0.5, "kernel": kernel, "gamma": 0.5, "tol": 1e-6, "coef0": 0.1}
    ours = KernelSVR(**options).fit(X, y).predict(X)
    np.testing.assert_allclose(ours, SVR(**options).fit(X, y).predict(X), atol=2e-3)


def test_rows_outside_the_tube_are_the_vectors():
    X, y = waves()
    model = KernelSVR(5.0, epsilon=0.2, gamma=1.0, tol=1e-6).fit(X, y)
    outside = np.flatnonzero(np.abs(y - model.predict(X)) > 0.2 + 1e-4)
    assert set(outside) <= set(model.support_.tolist())
    at_bound = np.abs(np.abs(model.dual_coef_[0]) - 5.0) < 1e-9
    assert set(outside) >= set(model.support_[at_bound].tolist())


def test_weight_two_is_a_row_twice_and_weight_zero_no_row():
    X, y = waves()
    options = {"C": 2.0, "gamma": 1.0, "tol": 1e-7}
    weight = np.ones(40)
    weight[:10], weight[10:15] = 2.0, 0.0
    rows = np.repeat(np.arange(40), weight.astype(int))
    weighted = KernelSVR(**options).fit(X, y, weight)
    repeated = KernelSVR(**options).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-3)
    assert not set(weighted.support_.tolist()) & set(range(10, 15))


@pytest.mark.parametrize("kernel", KERNELS)
def test_sparse_rows_are_dense_rows(kernel):
    X, y = waves()
    X[X < 0] = 0.0
    model = KernelSVR(0.5, kernel=kernel, gamma=0.5, tol=1e-6)
    dense = model.fit(X, y).predict(X)
    rows = sparse.csr_matrix(X)
    np.testing.assert_allclose(model.fit(rows, y).predict(rows), dense, atol=2e-3)


def test_a_precomputed_kernel_is_the_kernel():
    X, y = waves()
    K = naive.kernel_block("rbf", X, X, gamma=1.0)
    weight = np.where(np.arange(40) < 5, 0.0, 1.0)
    given = KernelSVR(kernel="precomputed", tol=1e-6).fit(K, y, weight)
    made = KernelSVR(gamma=1.0, tol=1e-6).fit(X, y, weight)
    np.testing.assert_allclose(given.predict(K), made.predict(X), atol=2e-3)
    with pytest.raises(ValueError, match=r"square.*\(40, 39\)"):
        given.fit(K[:, :-1], y)


def test_a_constant_target_needs_no_vector():
    X, _ = waves()
    model = KernelSVR().fit(X, np.full(40, 7.0))
    assert len(model.support_) == 0
    np.testing.assert_allclose(model.predict(X), 7.0, atol=0.1)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda X, y: (X, np.where(y > 0, np.nan, y)), "NaN"),
        (lambda X, y: (X, np.where(y > 0, "high", "low")), "could not convert|numeric"),
        (lambda X, y: (X, y[:-1]), "inconsistent"),
        (lambda X, y: (X[:0], y[:0]), "0 sample"),
    ],
)
def test_data_that_cannot_be_fitted(change, says):
    with pytest.raises(ValueError, match=says):
        KernelSVR().fit(*change(*waves()))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"C": -1.0}, "C=-1"),
        ({"epsilon": -0.1}, "epsilon=-0.1"),
        ({"gamma": 0.0}, "gamma=0"),
        ({"kernel": "cosine"}, "cosine"),
    ],
)
def test_parameters_that_cannot_be(options, says):
    with pytest.raises(ValueError, match=says):
        KernelSVR(**options).fit(*waves())


def test_a_cap_is_kept_and_admitted():
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = KernelSVR(100.0, max_iter=2).fit(*waves())
    assert (model.n_iter_, model.converged_) == (2, False)
