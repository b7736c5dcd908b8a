"""LASVM: certified at the end, bounded on the way, the same whatever is cached."""

import numpy as np
import pytest

from tests.problems import overlapping
from treesvm.kernels.kernel import Gaussian, Linear
from treesvm.solvers import lasvm, lasvm_steps
from treesvm.solvers.lasvm import OnlineMachine
from treesvm.solvers.optimality import certificate, feasibility


def learnt(problem, gamma=1.0, epochs=1, finish=True, tol=1e-3, max_bytes=2**24):
    """Show the rows of a problem to a machine; return it and its coefficients."""
    kernel = Gaussian(gamma)
    n = len(problem.y)
    machine = OnlineMachine(
        kernel.row_block(problem.X), n, tol=tol, max_bytes=max_bytes
    )
    rng = np.random.default_rng(0)
    for _ in range(epochs):
        order = rng.permutation(n)
        machine.learn(order, problem.y[order], problem.sizes[order])
        if finish:
            machine.finish()
    return machine, spread(machine, n)


def spread(machine, n):
    found = machine.expansion()
    beta = np.zeros(n)
    beta[found.rows] = found.coefficients
    return beta


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_enough_epochs_end_at_the_optimum(seed, C):
    problem = overlapping(seed, n=150, C=C)
    machine, beta = learnt(problem, epochs=20, tol=1e-5)
    found = machine.expansion()
    assert found.converged
    made = certificate(problem.K, problem.y, problem.sizes, beta, found.bias)
    assert made.violation < 1e-4 * max(1.0, C)  # float32 kernels times C
    assert made.relative_gap < 1e-4
    assert found.norm == pytest.approx(np.linalg.norm(beta))


@pytest.mark.parametrize("seed", range(3))
def test_every_state_is_feasible_and_improves(seed):
    problem = overlapping(seed, n=120, C=10.0)
    duals = []
    for epochs, finish in ((1, False), (1, True), (6, True)):
        _, beta = learnt(problem, epochs=epochs, finish=finish)
        assert feasibility(beta, problem.lower, problem.upper) < 1e-9
        duals.append(certificate(problem.K, problem.y, problem.sizes, beta).dual)
    assert duals[0] <= duals[1] <= duals[2] * (1 + 1e-6)
    assert duals[0] > 0.6 * duals[2]  # one pass is most of the way


def test_gradient_is_that_of_the_coefficients():
    problem = overlapping(1, n=100, C=5.0)
    machine, beta = learnt(problem, finish=False)
    pool = machine._pool
    used = np.flatnonzero(pool.owner >= 0)
    rows = pool.owner[used]
    exact = (problem.K + 1)[rows] @ beta - problem.y[rows]
    np.testing.assert_allclose(pool.F[used], exact, atol=1e-4)
    np.testing.assert_array_equal(machine._slot_of[rows], used)
    assert machine.n_members == len(used)


def test_a_small_cache_gives_the_same_machine(monkeypatch):
    monkeypatch.setattr(lasvm, "_LEAST_CACHED", 4)
    monkeypatch.setattr(lasvm, "_FIRST_CAPACITY", 32)
    problem = overlapping(3, n=300, C=10.0)
    small, beta_small = learnt(problem, epochs=2, max_bytes=0)
    large, beta_large = learnt(problem, epochs=2)
    assert len(small._pool.slot_in) == 4
    assert len(large._pool.slot_in) > 100
    # Rows computed one by one or in blocks may differ in the last float32 bit.
    duals = [
        certificate(problem.K, problem.y, problem.sizes, beta).dual
        for beta in (beta_small, beta_large)
    ]
    assert duals[0] == pytest.approx(duals[1], rel=1e-4)


def test_the_pool_grows_and_keeps_its_members(monkeypatch):
    monkeypatch.setattr(lasvm, "_FIRST_CAPACITY", 16)
    monkeypatch.setattr(lasvm, "_BLOCK_ROWS", 8)
    monkeypatch.setattr(lasvm, "_LEAST_BLOCK", 8)
    problem = overlapping(4, n=200, C=1.0)
    machine, beta = learnt(problem, epochs=10, tol=1e-5)
    assert len(machine._pool.beta) > 16
    made = certificate(problem.K, problem.y, problem.sizes, beta)
    assert made.relative_gap < 1e-4


def test_cache_keeps_to_its_budget():
    problem = overlapping(0, n=2500, C=1.0, d=5)
    machine, _ = learnt(problem, gamma=5.0, finish=False, max_bytes=2**22)
    assert machine.n_members > 1024  # so that the pool had to grow
    assert machine._pool.store.nbytes <= 2**22 // 2


def test_resuming_goes_on_where_it_was():
    problem = overlapping(5, n=150, C=3.0)
    machine, beta = learnt(problem, epochs=10, tol=1e-5)
    rows = np.flatnonzero(beta)
    again = OnlineMachine(machine._block, 150, tol=1e-5)
    again.resume(rows, beta[rows], problem.y[rows], problem.sizes[rows])
    again.finish()
    found = again.expansion()
    assert found.n_steps <= 5
    assert found.bias == pytest.approx(machine.expansion().bias, abs=1e-3)
    np.testing.assert_allclose(spread(again, 150), beta, atol=1e-3)


def test_rows_of_one_class_give_a_constant_answer():
    problem = overlapping(0, n=40)
    rows = np.flatnonzero(problem.y < 0)
    machine = OnlineMachine(lambda a, b: problem.K32[np.ix_(a, b)] + 1, 40)
    machine.learn(rows, problem.y[rows], problem.sizes[rows])
    found = machine.expansion()
    assert found.bias == -1.0
    assert not found.coefficients.any()
    assert 0 < len(found.rows) == machine.n_members <= lasvm_steps._SEEDS


def test_finishing_can_be_capped():
    problem = overlapping(2, n=150, C=100.0)
    machine, _ = learnt(problem, finish=False, tol=1e-6)
    before = machine.expansion().n_steps
    machine.finish(max_steps=3)
    found = machine.expansion()
    assert found.n_steps == before + 3
    assert not found.converged
    assert found.violation > 1e-6


def test_idle_rows_leave():
    """Rows far from the border are taken in at first and thrown out later."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-3, 1, size=(300, 2)), rng.normal(3, 1, (300, 2))])
    y = np.repeat([-1.0, 1.0], 300)
    machine = OnlineMachine(Linear().row_block(X), 600)
    order = rng.permutation(600)
    machine.learn(order, y[order], np.ones(600))
    machine.finish()
    assert machine.n_inserted > machine.n_members
    assert machine.n_members < 60
