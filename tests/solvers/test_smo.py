"""Pair steps: the optimum of a general solver, certified, from any start."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import Problem, boxes, from_rows, nasty, overlapping

from treesvm.solvers import smo
from treesvm.solvers.optimality import certificate, feasibility


def solve(problem, **options):
    K, y = problem.K32, problem.y
    return smo.solve_smo(K, y, problem.lower, problem.upper, **options)


def certify(problem, solution):
    proof = certificate(problem.K, problem.y, problem.sizes, solution.coefficients)
    assert feasibility(solution.coefficients, problem.lower, problem.upper) <= 1e-12 * (
        1 + problem.sizes.sum()
    )
    return proof


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_objective_is_the_twin_s(seed, C):
    problem = overlapping(seed, n=20, C=C)
    twin = naive.svm_dual(problem.K, problem.y, problem.lower, problem.upper)
    expected = naive.dual_objective(problem.K, problem.y, twin)
    solution = solve(problem, tol=1e-6)
    assert solution.converged
    assert certify(problem, solution).dual == pytest.approx(expected, rel=1e-5)


@given(
    seed=st.integers(0, 10_000),
    C=st.sampled_from([1e-2, 1.0, 1e2, 1e5]),
    gamma=st.sampled_from([0.1, 1.0, 30.0]),
    make=st.sampled_from([overlapping, nasty]),
)
@settings(max_examples=60, deadline=None)
def test_converged_means_certified(seed, C, gamma, make):
    problem = make(seed, n=60, C=C, gamma=gamma)
    solution = solve(problem, max_iter=300_000)
    proof = certify(problem, solution)
    # Rounding K to float32 moves a gradient by at most eps/2 times the coefficients.
    noise = 6e-8 * np.abs(problem.K).max() * np.abs(solution.coefficients).sum()
    if solution.converged:
        assert solution.violation <= 1e-3 or solution.gap <= 1e-4
        share = noise * problem.sizes.sum() / max(proof.primal, 1e-12)
        assert proof.relative_gap <= 1e-3 + 2 * share
        assert proof.violation <= max(1e-3, solution.violation) + 4 * noise
    if C <= 1e2:
        assert solution.converged


@pytest.mark.parametrize("C", [0.5, 50.0])
def test_any_feasible_start_leads_to_the_same_objective(C):
    problem = overlapping(5, C=C)
    cold = solve(problem, tol=1e-6)
    smaller = solve(overlapping(5, C=C / 3), tol=1e-6)
    start = smaller.coefficients.copy()
    warm = solve(problem, tol=1e-6, beta=start)
    np.testing.assert_array_equal(start, smaller.coefficients)
    duals = [certify(problem, s).dual for s in (cold, warm)]
    assert duals[0] == pytest.approx(duals[1], rel=1e-6)
    again = solve(problem, tol=1e-5, beta=cold.coefficients)
    assert again.n_iter == 0
    assert again.converged


@pytest.mark.parametrize("cap", [0, 1, 7, 50])
def test_a_cap_is_kept_and_admitted(cap):
    problem = overlapping(0, n=200, C=1e4)
    solution = solve(problem, max_iter=cap)
    assert solution.n_iter <= cap
    assert not solution.converged
    assert certify(problem, solution).relative_gap > 1e-3


def test_n_iter_counts_steps_done():
    solution = solve(overlapping(0))
    again = solve(overlapping(0), max_iter=solution.n_iter)
    np.testing.assert_array_equal(solution.coefficients, again.coefficients)
    assert again.converged
    assert not solve(overlapping(0), max_iter=solution.n_iter // 2).converged


def test_shrinking_leaves_the_answer_alone():
    """Enough rows and steps for the problem to be cut down several times."""
    problem = overlapping(3, n=1200, C=100.0, gamma=0.5)
    solution = solve(problem)
    assert solution.converged
    assert solution.n_iter > 1200
    proof = certify(problem, solution)
    assert proof.relative_gap <= 1e-3
    tight = certify(problem, solve(problem, tol=1e-5))
    assert proof.dual == pytest.approx(tight.dual, rel=1e-3)


def test_weight_two_is_the_row_twice():
    base = overlapping(8, n=25)
    twice = np.arange(25) % 3 == 0
    X, y = np.vstack([base.X, base.X[twice]]), np.append(base.y, base.y[twice])
    weighted = from_rows(base.X, base.y, 2.0, weight=1.0 + twice)
    repeated = from_rows(X, y, 2.0)
    one, two = solve(weighted, tol=1e-7), solve(repeated, tol=1e-7)
    merged = two.coefficients[:25].copy()
    merged[twice] += two.coefficients[25:]
    np.testing.assert_allclose(one.coefficients, merged, atol=1e-4)
    assert one.bias == pytest.approx(two.bias, abs=1e-4)


def test_weight_zero_is_no_row():
    problem = nasty(2)
    kept = problem.sizes > 0
    rest = from_rows(problem.X[kept], problem.y[kept], 1.0)
    full, part = solve(problem, tol=1e-7), solve(rest, tol=1e-7)
    assert np.all(full.coefficients[~kept] == 0)
    proofs = certify(problem, full), certify(rest, part)
    assert proofs[0].dual == pytest.approx(proofs[1].dual, rel=1e-6)


@pytest.mark.parametrize("constant", [-1.0, 1.0, 4.0])
def test_a_constant_added_to_the_kernel_changes_nothing(constant):
    problem = overlapping(4)
    moved = problem._replace(K=problem.K + constant)
    one, two = solve(problem, tol=1e-6), solve(moved, tol=1e-6)
    np.testing.assert_allclose(one.coefficients, two.coefficients, atol=1e-3)
    assert one.bias == pytest.approx(two.bias, abs=1e-4)


def test_one_class_without_weight_has_nothing_to_do():
    problem = overlapping(0)
    lower, upper = boxes(problem.y, np.where(problem.y > 0, 0.0, 1.0))
    solution = smo.solve_smo(problem.K32, problem.y, lower, upper)
    assert solution.converged
    assert np.all(solution.coefficients == 0)
    assert np.isfinite(solution.bias)
    assert solution.n_iter == 0


@pytest.mark.parametrize("C", [1.0, 1e5])
def test_identical_rows_end_at_the_box(C):
    """K is constant, so the objective is p'beta alone: fill the smaller class."""
    y = np.array([1.0, 1.0, -1.0, 1.0])
    solution = solve(from_rows(np.ones((4, 2)), y, C))
    assert solution.converged
    assert solution.coefficients[2] == pytest.approx(-C)
    assert solution.bias == pytest.approx(1.0)


@given(
    seed=st.integers(0, 10_000),
    C=st.sampled_from([0.1, 10.0, 1e4]),
    slope=st.sampled_from([0.1, 1.0, 5.0]),
)
@settings(max_examples=25, deadline=None)
def test_indefinite_kernels_end_and_are_honest(seed, C, slope):
    base = overlapping(seed, n=40, C=C)
    K = np.tanh(slope * base.X @ base.X.T - 0.5)
    problem = Problem(base.X, K, base.y, base.sizes, base.lower, base.upper)
    solution = solve(problem, max_iter=20_000)
    proof = certify(problem, solution)
    assert solution.n_iter <= 20_000
    noise = 6e-8 * np.abs(solution.coefficients).sum()
    assert proof.violation <= solution.violation + 4 * noise + 1e-9
    if solution.converged and solution.gap > 1e-4:
        assert proof.violation <= 1e-3 + 4 * noise


def test_reported_numbers_are_the_certificate_s():
    problem = overlapping(6)
    solution = solve(problem)
    proof = certify(problem, solution)
    assert solution.violation == pytest.approx(proof.violation, abs=1e-5)
    assert solution.gap == pytest.approx(proof.relative_gap, abs=1e-5)
    exact = certificate(
        problem.K, problem.y, problem.sizes, solution.coefficients, solution.bias
    )
    assert exact.primal == pytest.approx(proof.primal, rel=1e-6)


@pytest.mark.parametrize("n", [20, 64, 70])
@pytest.mark.parametrize("kernel_scale", [1.0, 1e35])
def test_numbers_that_overflow_end_in_the_box(n, kernel_scale):
    # With boxes of 1e300 F leaves float32, then float64, and differences are NaN; what
    # is found beyond the last row used to be taken for a row (make test-bounds).
    problem = nasty(0, n=n, C=1e300)
    K = problem.K32 * np.float32(kernel_scale)
    for p in (problem.y, np.full(n, np.nan), np.full(n, 1e200)):
        solution = smo.solve_smo(
            K, p, problem.lower, problem.upper, tol=1e-9, max_iter=20_000
        )
        beta = solution.coefficients
        assert np.all((problem.lower <= beta) & (beta <= problem.upper))
        assert solution.n_iter <= 20_000


@pytest.mark.parametrize("C", [1e-300, 1e-20, 1e-8])
def test_boxes_near_zero_are_solved_like_others(C):
    # Every coefficient goes to its bound, and the bias answers for the majority.
    problem = overlapping(3, n=40)
    box = boxes(problem.y, np.full(40, C))
    solution = smo.solve_smo(problem.K32, problem.y, *box)
    assert solution.converged
    assert solution.gap <= 1e-3
    positive, negative = (problem.y > 0).sum(), (problem.y < 0).sum()
    moved = np.abs(solution.coefficients).sum() / 2
    assert moved == pytest.approx(min(positive, negative) * C)
    assert abs(solution.bias) <= 1.0 + 1e-6


def test_a_gap_that_rounding_keeps_open_ends():
    # Weights of 1e12 beside 1e-12: the gradient of the light rows is noise.
    problem = nasty(1, n=60)
    sizes = np.where(np.arange(60) % 2, 1e12, 1e-12)
    lower, upper = boxes(problem.y, sizes)
    solution = smo.solve_smo(problem.K32, problem.y, lower, upper, max_iter=50_000)
    assert np.all((lower <= solution.coefficients) & (solution.coefficients <= upper))
