"""Dual descent and Pegasos: twins, certificates, limit cases."""

import naive_linear
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import LinearSVC

from treesvm.solvers.dual_descent import solve_dual_descent
from treesvm.solvers.linear_optimality import (
    linear_dual_objective,
    linear_objective,
    linear_violation,
    relative_gap,
)
from treesvm.solvers.pegasos import solve_pegasos


def make_problem(seed, n_rows=80, n_features=4, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    y = np.where(X[:, 0] + 0.3 + noise * rng.normal(size=n_rows) > 0, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    weight = rng.uniform(0.2, 1.0, size=n_rows)
    return X, y, weight / weight.sum()


@pytest.mark.parametrize("penalty", [1.0, 0.1, 0.01])
@pytest.mark.parametrize("seed", range(3))
def test_dual_descent_reaches_the_naive_optimum(seed, penalty):
    problem = (*make_problem(seed), penalty)
    ours = solve_dual_descent(*problem, tol=1e-7, max_iter=100_000)
    X, y, _, _ = problem
    alpha = naive_linear.linear_svm_dual(*problem)
    best = linear_dual_objective(X, y, penalty, alpha)
    value = naive_linear.linear_svm_objective(*problem, ours.coefficients, ours.bias)
    assert value == pytest.approx(best, rel=1e-5)
    assert linear_objective(*problem, ours.coefficients, ours.bias) == pytest.approx(
        value
    )


@given(seed=st.integers(0, 10_000), penalty=st.sampled_from([1.0, 0.03, 0.001]))
@settings(max_examples=25, deadline=None)
def test_converged_means_certified(seed, penalty):
    problem = (*make_problem(seed), penalty)
    solution = solve_dual_descent(*problem, tol=1e-5, max_iter=100_000)
    assert solution.converged
    assert 0.0 <= solution.gap + 1e-12 <= 1e-3
    assert solution.n_iter < 100_000


def test_a_solver_that_was_stopped_says_so():
    problem = (*make_problem(0, n_rows=300), 1e-5)
    solution = solve_dual_descent(*problem, tol=1e-9, max_iter=3)
    assert solution.n_iter == 3
    assert not solution.converged
    assert solution.violation > 1e-9


def test_equals_liblinear():
    X, y, _ = make_problem(5, n_rows=400)
    weight = np.full(400, 1 / 400)
    theirs = LinearSVC(
        C=1 / (0.01 * 400), loss="hinge", dual=True, tol=1e-6, max_iter=100_000
    ).fit(X, y)
    ours = solve_dual_descent(X, y, weight, 0.01, tol=1e-6, max_iter=100_000)
    np.testing.assert_allclose(ours.coefficients, theirs.coef_[0], atol=1e-3)
    assert ours.bias == pytest.approx(theirs.intercept_[0], abs=1e-3)


@pytest.mark.parametrize("solve", [solve_dual_descent, solve_pegasos])
def test_sparse_rows_give_the_dense_answer(solve):
    X, y, weight = make_problem(1)
    X[np.abs(X) < 0.7] = 0.0
    dense = solve(X, y, weight, 0.1, seed=3)
    other = solve(sparse.csr_matrix(X), y, weight, 0.1, seed=3)
    np.testing.assert_allclose(other.coefficients, dense.coefficients, atol=1e-6)


def test_weight_two_equals_row_twice():
    X, y, weight = make_problem(2)
    doubled = weight.copy()
    doubled[:30] *= 2
    a = solve_dual_descent(X, y, doubled, 0.05, tol=1e-8, max_iter=100_000)
    rows = np.r_[np.arange(80), np.arange(30)]
    b = solve_dual_descent(
        X[rows], y[rows], weight[rows], 0.05, tol=1e-8, max_iter=100_000
    )
    np.testing.assert_allclose(a.coefficients, b.coefficients, atol=1e-5)


def test_warm_start_at_the_optimum_stops_at_once():
    problem = (*make_problem(3), 0.1)
    alpha = naive_linear.linear_svm_dual(*problem)
    warm = solve_dual_descent(*problem, tol=1e-2, alpha=alpha)
    assert warm.n_iter <= 2
    assert warm.converged


def test_float32_rows_are_solved_in_float32():
    X, y, weight = make_problem(4)
    single = solve_dual_descent(X.astype(np.float32), y, weight, 0.1)
    double = solve_dual_descent(X, y, weight, 0.1)
    np.testing.assert_allclose(single.coefficients, double.coefficients, atol=1e-3)


@pytest.mark.parametrize("penalty", [1.0, 0.1, 0.01])
@pytest.mark.parametrize("seed", range(3))
def test_pegasos_is_within_one_percent_of_dual_descent(seed, penalty):
    problem = (*make_problem(seed, n_rows=400), penalty)
    exact = solve_dual_descent(*problem, tol=1e-6, max_iter=100_000)
    best = linear_objective(*problem, exact.coefficients, exact.bias)
    ours = solve_pegasos(*problem, seed=seed)
    value = linear_objective(*problem, ours.coefficients, ours.bias)
    assert best * (1 - 1e-6) <= value <= 1.01 * best
    assert ours.gap >= (value - best) / value - 1e-9


def test_paper_rule_leaves_the_bias_unpenalised_and_stops_by_its_own_rule():
    X, y, weight = make_problem(0, n_rows=400)
    ours = solve_pegasos(X, y, weight, 0.1, rule="paper", tol=1e-3)
    assert ours.converged
    assert ours.n_iter < 100_000
    exact = solve_dual_descent(X, y, weight, 0.1, tol=1e-6)
    value = linear_objective(X, y, weight, 0.1, ours.coefficients, ours.bias)
    best = linear_objective(X, y, weight, 0.1, exact.coefficients, exact.bias)
    assert value <= 1.05 * best
    with pytest.raises(ValueError, match="rule='other'"):
        solve_pegasos(X, y, weight, 0.1, rule="other")


@pytest.mark.parametrize(("tol", "max_iter"), [(1e-3, 5000), (1e-9, 300)])
def test_a_batch_of_all_rows_is_the_papers_subgradient(tol, max_iter):
    X, y, weight = make_problem(3, n_rows=60)
    options = {"tol": tol, "max_iter": max_iter, "bias_rate": 0.05}
    ours = solve_pegasos(X, y, weight, 0.1, rule="paper", batch=60, **options)
    w, b, n_steps = naive_linear.paper_pegasos(X, y, weight, 0.1, 0.05, tol, max_iter)
    np.testing.assert_allclose(ours.coefficients, w, rtol=1e-9)
    assert ours.bias == pytest.approx(b)
    assert ours.n_iter == n_steps
    assert ours.converged == (n_steps < max_iter)
    more = solve_pegasos(X, y, weight, 0.1, rule="paper", batch=10**6, **options)
    np.testing.assert_array_equal(more.coefficients, ours.coefficients)


def test_certificates_at_the_optimum_and_away_from_it():
    X, y, weight = make_problem(6)
    alpha = naive_linear.linear_svm_dual(X, y, weight, 0.1)
    w, b = X.T @ (alpha * y), (alpha * y).sum()
    answer = X, y, weight, 0.1
    assert relative_gap(*answer, w, b, alpha) == pytest.approx(0.0, abs=1e-6)
    assert linear_violation(*answer, w, b, alpha) < 1e-2
    assert relative_gap(*answer, w + 0.5, b, alpha) > 0.01
    # An infeasible alpha cannot fake a certificate: it is clipped to its box.
    assert relative_gap(*answer, w, b, alpha * 5) >= 0.0


def test_one_seed_one_answer():
    problem = (*make_problem(7), 0.01)
    for solve in (solve_dual_descent, solve_pegasos):
        a, b = solve(*problem, seed=1), solve(*problem, seed=1)
        np.testing.assert_array_equal(a.coefficients, b.coefficients)
