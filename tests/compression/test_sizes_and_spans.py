"""Choice of sizes, budgeted spans, and the solver inside them."""

import numpy as np
import pytest

from tests import naive_compression as naive
from treesvm.compression.machine_compression import CompressionOptions, rows_within
from treesvm.compression.size_choice import choose_sizes, sizes_up_to
from treesvm.compression.subspace_pursuit import PursuitOptions, pursue
from treesvm.compression.targets import margin_targets
from treesvm.kernels.kernel import Gaussian
from treesvm.solvers.dual_descent import solve_dual_descent
from treesvm.solvers.low_rank_machine import solve_low_rank


def test_sizes_rise_to_the_last():
    sizes = sizes_up_to(50)
    assert sizes[0] == 1
    assert sizes[-1] == 50
    assert (np.diff(sizes) > 0).all()
    assert sizes_up_to(1) == [1]


@pytest.mark.parametrize("seed", range(5))
def test_chosen_sizes_keep_the_bound_and_are_nearly_the_cheapest(seed):
    rng = np.random.default_rng(seed)
    tables, wrong, costs, rows = [], [], [], []
    for _ in range(4):
        cost = np.array([1, 2, 4, 8])
        errors = np.sort(rng.integers(0, 30, 4))[::-1]
        n_rows = int(rng.integers(20, 60))
        tables.append((cost, errors, n_rows))
        wrong.append(errors), costs.append(cost), rows.append(n_rows)
    least = sum(w.min() for w in wrong)
    for allowed in (least, least + 10, least + 60):
        chosen = choose_sizes(tables, allowed)
        assert sum(w[k] for w, k in zip(wrong, chosen, strict=True)) <= allowed
        spent = [n * c[k] for n, c, k in zip(rows, costs, chosen, strict=True)]
        best = naive.cheapest_sizes(wrong, costs, rows, allowed)
        # Lagrange's choices lie on the convex hull of all choices.
        assert best <= sum(spent) <= 2.0 * best + max(rows) * 8


def test_memory_bounds_the_rows():
    options = CompressionOptions(max_bytes=24 * 1000 * 500)
    assert rows_within(10_000, 1000, options) == 500
    assert rows_within(200, 1000, options) == 200
    paper = CompressionOptions(max_bytes=24 * 1000 * 500, loss=None)
    assert rows_within(10_000, 1000, paper) == 750


def test_margin_targets_open_beyond_the_margins():
    lower, upper = margin_targets(np.array([[-2.0, -0.5, 0.0, 0.9, 3.0]]))
    np.testing.assert_array_equal(lower, [[-np.inf, -0.5, 0.0, 0.9, 1.0]])
    np.testing.assert_array_equal(upper, [[-1.0, -0.5, 0.0, 0.9, np.inf]])


@pytest.mark.parametrize("C", [0.01, 1.0, 1e4])
def test_low_rank_machine_is_optimal(C, rng):
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 0] + rng.normal(size=120) > 0, 1.0, -1.0)
    upper = C * rng.uniform(0.5, 2.0, 120)
    upper[:5] = 0.0
    solution, alpha = solve_low_rank(X, y, upper, tol=1e-8)
    assert solution.converged
    assert (alpha[:5] == 0.0).all()
    assert ((alpha >= 0.0) & (alpha <= upper)).all()
    own = naive.linear_svm_objective(X, y, upper, solution.coefficients, solution.bias)
    other = solve_dual_descent(X, y, upper, 1.0, tol=1e-4, max_iter=2000)
    theirs = naive.linear_svm_objective(X, y, upper, other.coefficients, other.bias)
    assert own <= theirs * (1 + 1e-6)


def ring(rng, n=200):
    X = rng.normal(size=(n, 2))
    y = np.where((X**2).sum(axis=1) < 1.0, 1.0, -1.0)
    return X, y


def span(X, y, budget, is_free=False, C=10.0, n_candidates=1000):
    options = PursuitOptions(budget, is_free, 1e-6, 60, n_candidates)
    kernel = Gaussian(0.5)
    upper = np.full(len(y), C)
    rng = np.random.default_rng(0)
    return kernel, pursue(kernel, X, y[:, None], upper, options, rng=rng)


def test_span_lowers_the_objective_with_every_vector(rng):
    X, y = ring(rng)

    def objective(k):
        kernel, found = span(X, y, k)
        assert len(found.vectors) == k
        values = kernel.block(X, found.vectors, np.float64) @ found.coefficients
        loss = np.maximum(0.0, 1.0 - y * (values[:, 0] + found.biases[0])).sum()
        gram = kernel.block(found.vectors, found.vectors, np.float64)
        c = found.coefficients[:, 0]
        return 10.0 * loss + (c @ gram @ c + found.biases[0] ** 2) / 2

    objectives = [objective(k) for k in (1, 2, 4, 8)]
    assert (np.diff(objectives) < 0).all()


def test_training_vectors_are_training_rows_and_free_ones_are_better(rng):
    X, y = ring(rng)
    kernel, chosen = span(X, y, 2)
    np.testing.assert_array_equal(chosen.vectors, X[chosen.rows])
    _, free = span(X, y, 2, is_free=True)
    assert (free.rows == -1).any()

    def wrong(found):
        values = kernel.block(X, found.vectors, np.float64) @ found.coefficients
        return np.sum(np.sign(values[:, 0] + found.biases[0]) != y)

    assert wrong(free) <= wrong(chosen)


def test_candidates_are_a_sample_when_there_are_many(rng):
    X, y = ring(rng)
    _, found = span(X, y, 5, n_candidates=20)
    allowed = np.random.default_rng(0).choice(len(X), 20, replace=False)
    assert set(found.rows.tolist()) <= set(allowed.tolist())
