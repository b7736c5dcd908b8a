"""Working sets: the answer of pair steps, without the Gram matrix."""

import os
import subprocess
import sys
from pathlib import Path

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import from_rows, nasty, overlapping
from scipy import sparse

from treesvm.kernels.kernel import Gaussian, Precomputed
from treesvm.solvers import smo
from treesvm.solvers.blocked import solve_blocked
from treesvm.solvers.optimality import certificate, feasibility

MEGABYTE = 2**20


def solve(problem, gamma, X=None, **options):
    options = {"max_bytes": MEGABYTE} | options
    X = problem.X if X is None else X
    kernel = Gaussian(gamma)
    box = problem.lower, problem.upper
    solution = solve_blocked(kernel, X, problem.y, *box, **options)
    total = 1 + problem.sizes.sum()
    assert feasibility(solution.coefficients, *box) <= 1e-11 * total
    return solution


def dual(problem, solution):
    return naive.dual_objective(problem.K, problem.y, solution.coefficients)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_a_working_set_of_all_rows_is_pair_steps(C):
    problem = overlapping(0, n=150, C=C)
    blocked = solve(problem, 1.0, working_set=150, tol=1e-5)
    whole = smo.solve_smo(
        problem.K32, problem.y, problem.lower, problem.upper, tol=1e-5
    )
    assert blocked.converged
    assert dual(problem, blocked) == pytest.approx(dual(problem, whole), rel=1e-6)
    np.testing.assert_allclose(
        blocked.coefficients, whole.coefficients, atol=1e-2 * problem.sizes.max()
    )
    assert blocked.bias == pytest.approx(whole.bias, abs=1e-3)


@pytest.mark.parametrize("working_set", [2, 3, 16, 64])
@pytest.mark.parametrize("max_bytes", [0, 20_000, MEGABYTE])
def test_any_working_set_and_budget_lead_to_the_same_objective(working_set, max_bytes):
    problem = overlapping(1, n=200, C=3.0)
    solution = solve(problem, 1.0, working_set=working_set, max_bytes=max_bytes)
    assert solution.converged
    proof = certificate(problem.K, problem.y, problem.sizes, solution.coefficients)
    assert proof.relative_gap <= 1e-3
    assert proof.violation <= 1.1e-3


@given(
    seed=st.integers(0, 10_000),
    C=st.sampled_from([0.01, 1.0, 100.0, 1e3]),
    gamma=st.sampled_from([0.1, 1.0, 30.0]),
    make=st.sampled_from([overlapping, nasty]),
)
@settings(max_examples=30, deadline=None)
def test_converged_means_certified(seed, C, gamma, make):
    problem = make(seed, n=120, C=C, gamma=gamma)
    solution = solve(problem, gamma, working_set=20, max_iter=300_000)
    proof = certificate(problem.K, problem.y, problem.sizes, solution.coefficients)
    if solution.converged:
        assert proof.relative_gap <= 1.2e-3
    if C <= 1.0:
        assert solution.converged


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("width", [2, 400])
def test_sparse_rows_give_the_same(container, width):
    problem = overlapping(2, n=150)
    X = container(np.hstack([problem.X, np.zeros((150, width - 2))]))
    thin = solve(problem, 1.0, X, working_set=30, tol=1e-4)
    full = solve(problem, 1.0, working_set=30, tol=1e-4)
    assert dual(problem, thin) == pytest.approx(dual(problem, full), rel=1e-5)


def test_precomputed_gives_the_same():
    problem = overlapping(3, n=150)
    given_K = solve_blocked(
        Precomputed(),
        problem.K + 1.0,
        problem.y,
        problem.lower,
        problem.upper,
        max_bytes=20_000,
        working_set=30,
    )
    rows = solve(problem, 1.0, working_set=30)
    assert given_K.converged
    assert dual(problem, given_K) == pytest.approx(dual(problem, rows), rel=1e-3)


def test_a_warm_start_is_taken():
    problem = overlapping(4, n=150)
    first = solve(problem, 1.0, working_set=30)
    start = first.coefficients.copy()
    again = solve(problem, 1.0, working_set=30, tol=2e-3, beta=start)
    assert again.n_iter == 0
    np.testing.assert_array_equal(again.coefficients, start)


@pytest.mark.parametrize("cap", [0, 1, 25])
def test_a_cap_is_kept_and_admitted(cap):
    solution = solve(overlapping(5, n=300), 1.0, working_set=30, max_iter=cap)
    assert solution.n_iter <= cap
    assert not solution.converged


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("working_set", [6, 100])
def test_doubled_rows_are_a_regression(seed, working_set):
    """Epsilon-SVR: a variable that only rises and one that only falls for each row."""
    rng = np.random.default_rng(seed)
    n, C, epsilon = 15, 2.0, 0.1
    X = rng.normal(size=(n, 2))
    y = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n)
    K = naive.kernel_block("rbf", X, X, gamma=0.5)
    ones, zeros = np.ones(n), np.zeros(n)
    solution = solve_blocked(
        Gaussian(0.5),
        X,
        np.concatenate([y - epsilon, y + epsilon]),
        np.concatenate([zeros, -C * ones]),
        np.concatenate([C * ones, zeros]),
        max_bytes=MEGABYTE,
        tol=1e-6,
        max_iter=20_000,
        working_set=working_set,
        twin=np.tile(np.arange(n), 2),
    )
    ours = solution.coefficients[:n] + solution.coefficients[n:]
    theirs = naive.svr_dual(K, y, epsilon, C)
    expected = naive.svr_objective(K, y, epsilon, theirs)
    objective = naive.svr_objective(K, y, epsilon, ours)
    assert objective == pytest.approx(expected, rel=1e-4)
    assert solution.converged


def test_rows_without_a_variable_do_no_harm():
    problem = overlapping(6, n=60)
    twin = np.arange(0, 120, 2)
    X = np.full((120, 2), 9.0)
    X[twin] = problem.X
    spread = solve(problem, 1.0, X, working_set=10, twin=twin, max_iter=50_000)
    assert spread.converged
    plain = solve(problem, 1.0, working_set=10)
    assert dual(problem, spread) == pytest.approx(dual(problem, plain), rel=1e-3)


def test_shrinking_goes_on_among_the_unsettled_rows():
    """Well apart, so that most rows are settled at zero after the first rounds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    X[:, 0] += 0.2 * y
    problem = from_rows(X, y, 100.0, gamma=0.3)
    solution = solve(problem, 0.3, working_set=16, tol=1e-4)
    proof = certificate(problem.K, y, problem.sizes, solution.coefficients)
    assert solution.violation <= 1e-4
    assert proof.violation <= 2e-4
    assert solution.gap == pytest.approx(proof.relative_gap, rel=0.1, abs=1e-4)


LARGE = """
import resource
from pathlib import Path
import numpy as np
from treesvm.kernels.kernel import Gaussian
from treesvm.solvers.blocked import solve_blocked

rng = np.random.default_rng(0)
n = 60_000
y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
X = rng.normal(size=(n, 10))
X[:, 0] += 2.5 * y
lower, upper = np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0)
solution = solve_blocked(
    Gaussian(0.02), X, y, lower, upper, max_bytes=500 * 10**6
)
# VmHWM belongs to this program; ru_maxrss also counts the parent that forked it.
status = Path("/proc/self/status")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
if status.exists():
    lines = dict(line.split(":") for line in status.read_text().splitlines())
    peak = int(lines["VmHWM"].split()[0]) * 1024
print(solution.converged, solution.gap, np.count_nonzero(solution.coefficients), peak)
"""


def test_sixty_thousand_rows_train_in_little_memory():
    root = Path(__file__).resolve().parents[2]
    environment = os.environ | {
        "PYTHONPATH": str(root / "src"),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    child = subprocess.run(
        [sys.executable, "-c", LARGE], env=environment, capture_output=True, text=True
    )
    assert child.returncode == 0, child.stderr
    converged, gap, n_support, peak = child.stdout.split()
    assert converged == "True"
    assert float(gap) <= 1e-3
    assert 100 < int(n_support) < 30_000
    assert int(peak) < 1.2e9  # the Gram matrix alone would be 14 GB
