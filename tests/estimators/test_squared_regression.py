"""DTSVRegressor with least squares machines, wherever a model goes."""

import naive
import numpy as np
import pytest
from scipy import sparse

from treesvm import DTSVRegressor, DTSVRegressorCV, load_model, save_model
from treesvm.kernels.kernel import Gaussian, Laplacian
from treesvm.machines.regression_machine import train_regressor

QUICK = {"loss": "squared", "C": 3.0, "max_leaf_size": 200, "random_state": 0}


def skewed(n_rows=600, seed=0):
    """Noise whose median is below its mean."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 3))
    return X, np.sin(4 * X[:, 0]) + X[:, 1] + rng.exponential(1.0, n_rows)


@pytest.mark.parametrize("kernel", [Gaussian(2.0), Laplacian(1.0)])
@pytest.mark.parametrize("max_bytes", [2**26, 1000])
def test_values_are_those_of_the_equations(kernel, max_bytes):
    X, y = skewed(80)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 80)
    machine = train_regressor(
        X,
        y,
        weight,
        kernel,
        3.0,
        0.1,
        loss="squared",
        tol=1e-4,
        max_bytes=max_bytes,
    )
    K = kernel.block(X, X, np.float64)
    beta, bias = naive.least_squares(K, y, 1.0 / (3.0 * weight))
    found = machine.decisions(X)[:, 0]
    np.testing.assert_allclose(found, K @ beta + bias, atol=1e-3)
    assert machine.records["converged"].all()


def test_means_are_closer_than_medians_where_noise_is_skewed():
    X, y = skewed(1000)
    mean = np.sin(4 * X[:, 0]) + X[:, 1] + 1.0
    off = {}
    for loss in ("hinge", "squared"):
        model = DTSVRegressor(0.3, loss=loss, partition="whole", kernel="rbf")
        off[loss] = np.mean(model.fit(X, y).predict(X) - mean)
    assert off["hinge"] < -0.1  # the median of the noise is 0.69, its mean 1
    assert abs(off["squared"]) < 0.05


def test_threads_files_and_single_rows_give_the_same_answers(tmp_path):
    X, y = skewed()
    model = DTSVRegressor(**QUICK).fit(X, y)
    assert model.n_leaves_ > 2
    values = model.predict(X)
    threads = DTSVRegressor(**QUICK, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(threads.predict(X), values)
    save_model(model, tmp_path / "model.treesvm")
    again = load_model(tmp_path / "model.treesvm")
    assert again.loss == "squared"
    np.testing.assert_array_equal(again.predict(X), values)
    alone = [model.predict(x[None])[0] for x in X[:20]]
    np.testing.assert_allclose(alone, values[:20], rtol=1e-4)


def test_units_of_the_target_do_not_matter():
    X, y = skewed()
    model = DTSVRegressor(**QUICK)
    plain = model.fit(X, y).predict(X)
    for factor, shift in ((2.0**14, 0.0), (1e4, 500.0)):
        scaled = model.fit(X, y * factor + shift).predict(X)
        np.testing.assert_allclose((scaled - shift) / factor, plain, atol=2e-3)


def test_a_weight_of_two_is_the_row_twice():
    X, y = skewed(150)
    heavy = np.arange(150) % 3 == 0
    options = {"loss": "squared", "gamma": 2.0, "leaf_scaling": None}
    options |= {"scale_target": False, "partition": "whole"}
    weighted = DTSVRegressor(**options).fit(X, y, 1.0 + heavy).predict(X)
    twice = DTSVRegressor(**options).fit(np.r_[X, X[heavy]], np.r_[y, y[heavy]])
    np.testing.assert_allclose(twice.predict(X), weighted, atol=1e-3)


def test_sparse_rows_are_dense_rows():
    X, y = skewed()
    rows = sparse.csr_matrix(X)
    dense = DTSVRegressor(**QUICK).fit(X, y).predict(X)
    found = DTSVRegressor(**QUICK).fit(rows, y).predict(rows)
    np.testing.assert_allclose(found, dense, atol=2e-3)


def test_a_search_tries_both_losses():
    X, y = skewed(300)
    both = [{"loss": "hinge"}, {"loss": "squared", "C": 1.0}]
    model = DTSVRegressorCV(candidates=both, random_state=0).fit(X, y)
    assert model.best_theta_["loss"] == "squared"
    assert model.best_estimator_.loss == "squared"
