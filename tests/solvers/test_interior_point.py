"""Interior points: the optimum of pair steps, and the problems they cannot finish."""

import naive
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from problems import nasty, overlapping

from treesvm.solvers import interior_point, smo
from treesvm.solvers.interior_point import pivoted_cholesky, solve_interior_point
from treesvm.solvers.optimality import certificate, feasibility


def positive_definite(rng, n, rank):
    A = rng.normal(size=(n, rank))
    return A @ A.T


def finish(problem, max_iter, **options):
    """Some pair steps, then interior points; return (n_iter, beta, certificate)."""
    K, y, lower, upper = problem.K32, problem.y, problem.lower, problem.upper
    rough = smo.solve_smo(K, y, lower, upper, max_iter=max_iter)
    beta, F = rough.coefficients, smo.gradient(K, rough.coefficients, y)

    def exact(rows, columns):
        return problem.K[np.ix_(rows, columns)]

    n_iter = interior_point.finish(
        K, y, lower, upper, beta, F, tol=1e-3, gap_tol=1e-4, exact=exact, **options
    )
    assert feasibility(beta, lower, upper) <= 1e-11 * (1 + problem.sizes.sum())
    return n_iter, beta, certificate(problem.K, y, problem.sizes, beta)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("total", [0.0, 0.7])
def test_objective_is_the_twin_s(seed, total):
    rng = np.random.default_rng(seed)
    n = 12
    H, q = positive_definite(rng, n, rank=[n, 3][seed % 2]), rng.normal(size=n)
    lower, upper = -rng.uniform(0.1, 2.0, n), rng.uniform(0.1, 2.0, n)
    v, n_iter = solve_interior_point(H, q, lower, upper, total, target=1e-10)
    assert n_iter < 40
    assert np.all((v >= lower) & (v <= upper))
    assert v.sum() == pytest.approx(total, abs=1e-9)
    # Shifted by a feasible point, the twin's sum is zero.
    room = upper - lower
    base = lower + room * (total - lower.sum()) / room.sum()
    twin = base + naive.svm_dual(H, q - H @ base, lower - base, upper - base)
    expected = twin @ H @ twin / 2 - q @ twin
    assert v @ H @ v / 2 - q @ v == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("C", [0.1, 10.0, 1e3])
@pytest.mark.parametrize("gamma", [0.01, 1.0])
def test_objective_is_that_of_pair_steps(seed, C, gamma):
    problem = overlapping(seed, n=50, C=C, gamma=gamma)
    y = problem.y
    slow = smo.solve_smo(problem.K, y, problem.lower, problem.upper, tol=1e-8)
    expected = naive.dual_objective(problem.K, y, slow.coefficients)
    target = 1e-9 * expected
    H = problem.K + 1.0  # positive semi-definite, as it must be
    v, _ = solve_interior_point(H, y, problem.lower, problem.upper, 0.0, target=target)
    assert naive.dual_objective(problem.K, y, v) == pytest.approx(expected, rel=1e-6)
    assert finish(problem, 0)[2].dual == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("gamma", [1e-2, 0.1, 1.0])
def test_hard_problems_are_finished(gamma):
    problem = overlapping(1, n=300, C=1e5, gamma=gamma)
    cap = 40 * 300
    capped = smo.solve_smo(
        problem.K32, problem.y, problem.lower, problem.upper, max_iter=cap
    )
    assert not capped.converged
    n_iter, _, proof = finish(problem, cap)
    assert proof.relative_gap <= 1e-3
    assert n_iter <= 3 * (40 + 300)


@given(
    seed=st.integers(0, 10_000),
    C=st.sampled_from([1.0, 1e3, 1e5]),
    gamma=st.sampled_from([1e-3, 0.1, 3.0]),
)
@example(126, 1e5, 0.1)  # rows that a first round leaves at a wrong bound
@example(1423, 1e5, 0.1)
@settings(max_examples=30, deadline=None)
def test_duplicates_and_weightless_rows_are_no_obstacle(seed, C, gamma):
    problem = nasty(seed, C=C, gamma=gamma)
    _, beta, proof = finish(problem, 100)
    assert np.all(beta[problem.sizes == 0] == 0)
    assert proof.relative_gap <= 1e-3


def test_identical_rows_are_no_obstacle():
    problem = overlapping(0, n=20, gamma=0.0)
    proof = finish(problem, 0)[2]
    assert proof.relative_gap <= 1e-3


def test_the_dense_solver_never_loops_forever():
    """A negative diagonal is lifted; what no lift can help is refused."""
    solver = interior_point._DenseSolver(-np.eye(3))
    solver.factorise(np.full(3, 1e-3))
    assert np.isfinite(solver.solve(np.ones((3, 1)))).all()
    with pytest.raises(np.linalg.LinAlgError, match="no Cholesky factor"):
        interior_point._DenseSolver(np.zeros((3, 3))).factorise(np.full(3, -1.0))


def test_indefinite_kernels_end():
    base = overlapping(0, n=60, C=1e3)
    for shift in (0.0, -3.0):
        K = np.tanh(base.X @ base.X.T + shift)
        n_iter, beta, _ = finish(base._replace(K=K), 100)
        assert np.isfinite(beta).all()
        assert n_iter <= 3 * (40 + 60)


@pytest.mark.parametrize("rank", [1, 5, 20])
def test_pivoted_cholesky_reconstructs(rng, rank):
    H = positive_definite(rng, 40, rank)
    G, rest = pivoted_cholesky(H, max_rank=25)
    assert G.shape == (40, rank)
    np.testing.assert_allclose(G @ G.T + np.diag(rest), H, atol=1e-9)
    assert np.all(rest >= 0)


def test_pivoted_cholesky_declines_high_rank(rng):
    assert pivoted_cholesky(positive_definite(rng, 40, 40), 25) == (None, None)


@pytest.mark.parametrize("rank", [0, 1, 8])
def test_both_newton_solvers_are_a_dense_solve(rng, rank):
    H = positive_definite(rng, 30, rank)
    theta, rhs = rng.uniform(0.5, 2.0, 30), rng.normal(size=(30, 2))
    G, rest = pivoted_cholesky(H, max_rank=10)
    expected = np.linalg.solve(H + np.diag(theta), rhs)
    for solver in (
        interior_point._DenseSolver(H),
        interior_point._LowRankSolver(H, G, rest),
    ):
        solver.factorise(theta)
        np.testing.assert_allclose(solver.solve(rhs), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("C", [1e20, 1e300])
def test_numbers_that_overflow_leave_a_point_in_the_box(C):
    problem = nasty(2, n=40, C=C)
    _, beta, _ = finish(problem, max_iter=100)
    assert np.all((problem.lower <= beta) & (beta <= problem.upper))


def free_step(problem, max_iter):
    """Betas after some pair steps, and after one more Newton step of the free rows."""
    K, y, lower, upper = problem.K, problem.y, problem.lower, problem.upper
    rough = smo.solve_smo(problem.K32, y, lower, upper, max_iter=max_iter)
    beta = rough.coefficients.copy()
    F = K @ beta - y

    def exact(rows, columns):
        return K[np.ix_(rows, columns)]

    assert interior_point.minimise_free(exact, y, lower, upper, beta, F) == 1
    np.testing.assert_allclose(F, K @ beta - y, atol=1e-8 * problem.sizes.max())
    assert feasibility(beta, lower, upper) <= 1e-11 * (1 + problem.sizes.sum())
    return rough.coefficients, beta


@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("C", [1.0, 1e3, 1e5])
def test_a_step_of_the_free_rows_never_loses(gamma, C):
    problem = overlapping(2, n=80, C=C, gamma=gamma)
    for max_iter in (20, 100, 500):
        before, after = (
            naive.dual_objective(problem.K, problem.y, beta)
            for beta in free_step(problem, max_iter)
        )
        assert after >= before - 1e-9 * abs(before)


def test_one_step_of_the_free_rows_ends_a_hard_margin():
    problem = overlapping(2, n=60, C=1e4, gamma=100.0)  # every row is free
    _, beta = free_step(problem, 200)
    proof = certificate(problem.K, problem.y, problem.sizes, beta)
    assert proof.relative_gap <= 1e-3
    twin = naive.svm_dual(problem.K, problem.y, problem.lower, problem.upper)
    expected = naive.dual_objective(problem.K, problem.y, twin)
    found = naive.dual_objective(problem.K, problem.y, beta)
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_are_taken_only_where_the_gap_allows_it(seed):
    rng, n = np.random.default_rng(seed), 40
    H, q = positive_definite(rng, n, n), rng.normal(size=n)
    lower, upper = np.zeros(n), np.full(n, 1e3)
    allowed = 1e-2
    best, _ = solve_interior_point(H, q, lower, upper, 5.0, target=1e-12)
    for target in (1e-3, 1e-9):
        v, _ = solve_interior_point(
            H, q, lower, upper, 5.0, target=target, allowed=allowed
        )
        lost = v @ H @ v / 2 - q @ v - (best @ H @ best / 2 - q @ best)
        assert lost <= allowed
    assert np.count_nonzero(v == lower) > 0  # the finer target
