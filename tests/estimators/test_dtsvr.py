"""DTSVRegressor: one part is KernelSVR, every part its own, and the limit cases."""

import numpy as np
import pytest
from scipy import sparse

from treesvm import DTSVRegressor, KernelSVR

GIVEN = {"C": 10.0, "gamma_scale": 1.0, "kernel": "laplacian", "epsilon": 0.02}
QUICK = {"max_leaf_size": 60, "random_state": 0, **GIVEN}


def hills(n=400, seed=0):
    """A curved target over two features; the third is zero in most rows."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    X[:, 2] *= X[:, 2] > 0.8
    return X, np.sin(6 * X[:, 0]) * X[:, 1] + X[:, 2]


def test_one_part_is_kernel_svr():
    X, y = hills()
    options = {"C": 3.0, "gamma": 2.0, "epsilon": 0.05, "tol": 1e-5}
    options["kernel"] = "laplacian"
    whole = {"max_leaf_size": 1000, "leaf_scaling": None, "scale_target": False}
    model = DTSVRegressor(**whole, **options).fit(X, y)
    assert model.n_leaves_ == 1
    plain = KernelSVR(**options).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.n_support_vectors_ == len(plain.support_)


def test_every_part_is_kernel_svr_on_its_scaled_rows():
    X, y = hills()
    model = DTSVRegressor(gamma=1.0, scale_target=False, **QUICK).fit(X, y)
    nodes = model.apply(X)
    assert model.n_leaves_ == len(np.unique(nodes)) > 3
    for node in np.unique(nodes):
        rows = nodes == node
        low, high = X[rows].min(axis=0), X[rows].max(axis=0)
        seen = (X[rows] - low) / np.where(high > low, high - low, 1.0)
        alone = KernelSVR(10.0, gamma=1.0, epsilon=0.02, kernel="laplacian").fit(
            seen, y[rows]
        )
        expected = alone.predict(seen)
        np.testing.assert_allclose(model.predict(X[rows]), expected, atol=0.01)


@pytest.mark.parametrize("feature_weights", [None, "learned"])
def test_units_of_the_target_do_not_matter(feature_weights):
    X, y = hills()
    model = DTSVRegressor(feature_weights=feature_weights, **QUICK)
    plain = model.fit(X, y).predict(X)
    for factor, shift in ((2.0**14, 0.0), (2.0**-20, 0.0), (1e30, 0.0), (1e4, 500.0)):
        scaled = model.fit(X, y * factor + shift).predict(X)
        np.testing.assert_allclose((scaled - shift) / factor, plain, atol=2e-3)
        root = model.trees_[0].value[0, 0]
        np.testing.assert_allclose(root, y.mean() * factor + shift, rtol=1e-6)
    spread = y.std()
    given = DTSVRegressor(
        scale_target=False,
        feature_weights=feature_weights,
        tol=1e-3 * spread,
        **QUICK | {"C": 10.0 * spread, "epsilon": 0.02 * spread},
    )
    np.testing.assert_allclose(given.fit(X, y).predict(X), plain, atol=2e-3)


def test_it_learns():
    X, y = hills(1200)
    model = DTSVRegressor(max_leaf_size=60, random_state=0).fit(X[:800], y[:800])
    assert model.score(X[800:], y[800:]) > 0.95


def test_threads_change_nothing():
    X, y = hills()
    one, two = (DTSVRegressor(n_jobs=n, **QUICK).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_weight_two_is_a_row_twice_and_weight_zero_no_row():
    X, y = hills()
    weight = np.ones(400)
    weight[:80], weight[80:120] = 2.0, 0.0
    rows = np.repeat(np.arange(400), weight.astype(int))
    # One part: where a tree cuts depends on how often a row is there.
    model = DTSVRegressor(max_leaf_size=1000, tol=1e-6, **GIVEN)
    weighted = model.fit(X, y, weight).predict(X)
    np.testing.assert_allclose(
        model.fit(X[rows], y[rows]).predict(X), weighted, atol=0.01
    )


def test_sparse_rows_are_dense_rows():
    X, y = hills()
    rows = sparse.csr_matrix(X)
    model = DTSVRegressor(tol=1e-5, **QUICK)
    dense = model.fit(X, y).predict(X)
    np.testing.assert_allclose(model.fit(rows, y).predict(rows), dense, atol=0.01)


def test_a_constant_target_is_answered():
    X, _ = hills()
    model = DTSVRegressor(**QUICK).fit(X, np.full(400, -3.0))
    assert model.n_support_vectors_ == 0
    np.testing.assert_allclose(model.predict(X), -3.0, atol=0.02)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"C": 0.0}, "C=0"),
        ({"epsilon": -1.0}, "epsilon=-1"),
        ({"kernel": "precomputed"}, "KernelSVR"),
        ({"kernel": "cosine"}, "cosine"),
    ],
)
def test_parameters_that_cannot_be(options, says):
    with pytest.raises(ValueError, match=says):
        DTSVRegressor(**options).fit(*hills(50))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda X, y: (X, np.where(y > 0.5, np.inf, y)), "infinity"),
        (lambda X, y: (X, y[:-1]), "inconsistent"),
        (lambda X, y: (np.where(X > 0.9, np.nan, X), y), "NaN"),
    ],
)
def test_data_that_cannot_be_fitted(change, says):
    with pytest.raises(ValueError, match=says):
        DTSVRegressor().fit(*change(*hills(50)))
