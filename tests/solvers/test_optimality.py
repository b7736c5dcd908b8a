"""Certificates: zero at the optimum, never negative, equal to the plain formula."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import overlapping

from treesvm.solvers.optimality import certificate, feasibility, svc_box


def feasible_point(problem, seed):
    """A random point of the box with sum zero."""
    rng = np.random.default_rng(seed)
    beta = rng.uniform(problem.lower, problem.upper)
    rising, falling = beta[beta > 0].sum(), -beta[beta < 0].sum()
    beta[beta > 0] *= min(1.0, falling / rising)
    beta[beta < 0] *= min(1.0, rising / falling)
    return beta


def test_two_rows_by_hand():
    """K = I, y = (1, -1): alpha = 1, w'w = 2, both margins met with b = 0."""
    beta = np.array([1.0, -1.0])
    proof = certificate(np.eye(2), [1, -1], 5.0, beta)
    assert proof == pytest.approx((1.0, 1.0, 0.0, 0.0, 0.0), abs=1e-12)
    capped = certificate(np.eye(2), [1, -1], 0.5, beta / 2)
    assert capped == pytest.approx((0.75, 0.75, 0.0, 0.0, 0.0), abs=1e-12)
    nothing = certificate(np.eye(2), [1, -1], 5.0, 0 * beta)
    assert nothing == pytest.approx((10.0, 0.0, 10.0, 1.0, 2.0))


@pytest.mark.parametrize("seed", range(3))
def test_gap_is_zero_at_the_twin_s_optimum(seed):
    problem = overlapping(seed, n=15)
    beta = naive.svm_dual(problem.K, problem.y, problem.lower, problem.upper)
    beta[np.abs(beta) < 1e-7] = 0.0
    proof = certificate(problem.K, problem.y, problem.sizes, beta)
    assert 0 <= proof.relative_gap + 1e-12 < 1e-5


@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.01, 1.0, 1e4]))
@settings(max_examples=30, deadline=None)
def test_equals_the_plain_formulas(seed, C):
    problem = overlapping(seed, n=12, C=C)
    K, y, sizes = problem.K, problem.y, problem.sizes
    beta = feasible_point(problem, seed)
    proof = certificate(K, y, sizes, beta)
    assert proof.dual == pytest.approx(naive.dual_objective(K, y, beta))
    assert proof.primal == pytest.approx(naive.best_primal(K, y, sizes, beta))
    assert proof.gap == pytest.approx(proof.primal - proof.dual)
    assert proof.gap >= 0
    largest = max(abs(proof.primal), abs(proof.dual))
    assert proof.relative_gap == pytest.approx(proof.gap / largest)
    violation = naive.largest_violation(K, y, beta, problem.lower, problem.upper)
    assert proof.violation == pytest.approx(violation)
    worse = certificate(K, y, sizes, beta, bias=0.3)
    expected = naive.primal_objective(K, y, sizes, beta, 0.3)
    assert worse.primal == pytest.approx(expected)
    assert worse.primal >= proof.primal * (1 - 1e-12)


def test_a_box_may_be_given_by_both_bounds():
    problem = overlapping(1)
    beta = feasible_point(problem, 1)
    K, y = problem.K, problem.y
    box = certificate(K, y, problem.upper, beta, lower=problem.lower)
    assert box == certificate(K, y, problem.sizes, beta)


def test_svc_box_and_feasibility():
    lower, upper = svc_box(np.array([1, -1, 1]), np.array([2.0, 3.0, 0.0]))
    np.testing.assert_array_equal(lower, [0, -3, 0])
    np.testing.assert_array_equal(upper, [2, 0, 0])
    assert feasibility(np.array([1.0, -1.0, 0.0]), lower, upper) == 0
    assert feasibility(np.array([2.5, -2.5, 0.0]), lower, upper) == 0.5
    assert feasibility(np.array([1.0, -1.25, 0.0]), lower, upper) == 0.25
