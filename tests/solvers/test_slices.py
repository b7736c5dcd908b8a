"""Long solves return to Python from time to time; where they do changes nothing."""

import numpy as np
import pytest
from problems import nasty, overlapping
from scipy import sparse

from treesvm.kernels import compiling
from treesvm.kernels.kernel import Gaussian
from treesvm.machines.layout import build_machines
from treesvm.machines.path import GramChain
from treesvm.solvers import smo
from treesvm.solvers.dual_descent import solve_dual_descent
from treesvm.solvers.hinges import find_hinge
from treesvm.solvers.interior_point import pivoted_cholesky
from treesvm.solvers.lasvm import OnlineMachine
from treesvm.solvers.majorization import solve_majorization
from treesvm.solvers.pegasos import solve_pegasos
from treesvm.solvers.regression import solve_regression

PROBLEM = overlapping(4, n=250, C=10.0)
HARD = nasty(5, n=250, C=1e4, gamma=0.3)


def pair_steps():
    K, y = HARD.K32, HARD.y
    return smo.solve_smo(K, y, HARD.lower, HARD.upper, tol=1e-6, max_iter=30_000)


def chain():
    machines = build_machines(np.arange(250) % 4, 4, "ovo")
    order = machines.order
    K = np.ascontiguousarray(PROBLEM.K32[np.ix_(order, order)])
    gram = GramChain(K, machines, np.ones(250), tol=1e-4)
    records = [gram.solve(C).copy() for C in (0.1, 10.0)]
    return gram.beta, *(r[name] for r in records for name in r.dtype.names)


def regression():
    X = PROBLEM.X
    return solve_regression(Gaussian(1.0), X, X[:, 0], PROBLEM.sizes, 0.01)


def low_rank():
    X = np.random.default_rng(0).normal(size=(80, 12))
    return pivoted_cholesky(X @ X.T, 28)


def online():
    K = PROBLEM.K32
    machine = OnlineMachine(lambda rows, columns: K[np.ix_(rows, columns)], 250)
    machine.learn(np.arange(250), PROBLEM.y, PROBLEM.sizes)
    machine.finish()
    return machine.expansion()


def linear(solve, X=PROBLEM.X, **options):
    return solve(X, PROBLEM.y, np.ones(250), 0.1, **options)


def majorization(name, k=0.0):
    return solve_majorization(PROBLEM.X, PROBLEM.y, 0.1, hinge=find_hinge(name, k))


SOLVES = {
    "pair steps": pair_steps,
    "chain": chain,
    "regression": regression,
    "low rank": low_rank,
    "online": online,
    "dual": lambda: linear(solve_dual_descent, tol=1e-8),
    "dual, sparse": lambda: linear(
        solve_dual_descent, sparse.csr_matrix(PROBLEM.X), tol=1e-8, max_iter=50
    ),
    "pegasos": lambda: linear(solve_pegasos, max_iter=4000, tol=1e-9),
    "pegasos, paper": lambda: linear(solve_pegasos, rule="paper", max_iter=4000),
    "quadratic": lambda: majorization("quadratic"),
    "absolute": lambda: majorization("absolute"),
}


@pytest.mark.parametrize("name", SOLVES)
def test_short_slices_give_the_same_numbers(name, monkeypatch):
    whole = SOLVES[name]()
    for size in (1, 20_000):
        monkeypatch.setattr(compiling, "SLICE", size)
        for one, other in zip(SOLVES[name](), whole, strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_steps_that_one_call_makes(monkeypatch):
    monkeypatch.setattr(compiling, "SLICE", 100)
    assert list(compiling.slices(7, 30)) == [(1, 3), (4, 6), (7, 7)]
    assert list(compiling.slices(2, 1000)) == [(1, 1), (2, 2)]
    assert list(compiling.slices(0, 1)) == []


def test_pegasos_with_hardly_any_penalty_has_a_finite_certificate():
    # Every early step is projected: the product of these factors leaves float64.
    solution = solve_pegasos(PROBLEM.X, PROBLEM.y, np.ones(250), 1e-9, max_iter=4000)
    assert np.isfinite([*solution.coefficients, solution.bias, solution.gap]).all()
