"""Least squares machines: beside the plain equations, by both ways of solving them."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treesvm.solvers.least_squares import solve_by_products, solve_factorised


def problem(seed, n=40, n_machines=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    targets = np.where(rng.random((n, n_machines)) < 0.5, -1.0, 1.0)
    return K, targets, rng.uniform(0.05, 2.0, n)


def assert_solves(found, K, targets, ridge, tol):
    for m in range(targets.shape[1]):
        beta, bias = naive.least_squares(K, targets[:, m], ridge)
        values, own = K @ beta + bias, K @ found.coefficients[:, m] + found.biases[m]
        np.testing.assert_allclose(own, values, atol=tol)
        assert abs(found.coefficients[:, m].sum()) < 1e-9


@given(seed=st.integers(0, 10_000))
def test_factors_solve_the_equations(seed):
    K, targets, ridge = problem(seed)
    found = solve_factorised(K, targets, ridge)
    assert_solves(found, K, targets, ridge, 1e-9)
    assert found.residuals.max() < 1e-9
    assert found.n_iter == 1


@given(seed=st.integers(0, 10_000))
def test_factors_in_float32_keep_the_digits(seed):
    K, targets, ridge = problem(seed)
    found = solve_factorised(K.astype(np.float32), targets, ridge)
    assert_solves(found, K, targets, ridge, 1e-4)


@given(seed=st.integers(0, 10_000))
def test_products_solve_the_equations(seed):
    K, targets, ridge = problem(seed)
    found = solve_by_products(
        lambda beta: K @ beta, K.diagonal(), targets, ridge, tol=1e-7
    )
    assert_solves(found, K, targets, ridge, 1e-5)
    assert 1 < found.n_iter < 200


def test_a_cap_is_a_cap_and_the_residual_is_measured():
    K, targets, ridge = problem(0)
    found = solve_by_products(
        lambda beta: K @ beta, K.diagonal(), targets, ridge, max_iter=2
    )
    left = targets - K @ found.coefficients - ridge[:, None] * found.coefficients
    left -= found.biases
    assert found.n_iter == 2
    assert found.residuals == pytest.approx(np.abs(left).max(axis=0))
    assert found.residuals.max() > 1e-3


def test_a_ridge_of_half_equals_the_row_twice():
    K, targets, ridge = problem(1)
    twice = np.append(np.arange(40), 0)
    same = solve_factorised(K[np.ix_(twice, twice)], targets[twice], ridge[twice])
    ridge[0] /= 2.0
    one = solve_factorised(K, targets, ridge)
    merged = same.coefficients[:40].copy()
    merged[0] += same.coefficients[40]
    np.testing.assert_allclose(one.coefficients, merged, atol=1e-8)
    np.testing.assert_allclose(one.biases, same.biases, atol=1e-8)
