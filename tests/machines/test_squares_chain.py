"""Least squares machines of several classes: the same by every way of training."""

import naive
import numpy as np
import pytest
from sklearn.datasets import make_classification

from treesvm.kernels.kernel import Gaussian, Laplacian, Linear
from treesvm.machines import squares_chain, training
from treesvm.machines.grid import LeafGrid
from treesvm.machines.leave_one_out import left_out_decisions
from treesvm.machines.pair_grid import PairGrid
from treesvm.machines.training import assemble, train_machine


def rows(n_classes, n=90):
    X, y = make_classification(
        n, 4, n_informative=3, n_redundant=0, n_classes=n_classes, random_state=1
    )
    return X, y, np.random.default_rng(0).uniform(0.5, 2.0, n)


def trained(X, y, weight, kernel, C=3.0, multi_class="ovo", **options):
    return train_machine(
        X,
        y,
        int(y.max()) + 1,
        weight,
        kernel,
        C,
        multi_class=multi_class,
        loss="squared",
        **options,
    )


@pytest.mark.parametrize("kernel", [Gaussian(0.3), Laplacian(0.3), Linear()])
@pytest.mark.parametrize(
    ("n_classes", "multi_class"), [(2, "ovo"), (3, "ovo"), (3, "ovr")]
)
def test_values_are_those_of_the_equations(kernel, n_classes, multi_class):
    X, y, weight = rows(n_classes)
    machine = trained(X, y, weight, kernel, multi_class=multi_class)
    found = machine.decisions(X)
    for m, (positive, negative) in enumerate(machine.pairs):
        own = (y == positive) | ((y == negative) if negative >= 0 else True)
        signs = np.where(y[own] == positive, 1.0, -1.0)
        K = kernel.block(X, X[own], np.float64)
        beta, bias = naive.least_squares(K[own], signs, 1.0 / (3.0 * weight[own]))
        np.testing.assert_allclose(found[:, m], K @ beta + bias, atol=1e-4)
    assert machine.records["converged"].all()


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_few_bytes_and_many_rows_change_nothing(multi_class, monkeypatch):
    X, y, weight = rows(3)
    kernel = Laplacian(0.3)
    plain = trained(X, y, weight, kernel, multi_class=multi_class).decisions(X)
    monkeypatch.setattr(squares_chain, "FACTORISED_ROWS", 10)
    steps = trained(X, y, weight, kernel, multi_class=multi_class)
    assert steps.most_steps > 1
    np.testing.assert_allclose(steps.decisions(X), plain, atol=2e-3)
    monkeypatch.setattr(squares_chain, "_BLOCK_BYTES", 4 * 90 * 7)
    monkeypatch.setattr(training, "_fits_gram", lambda *_: False)
    alone = trained(X, y, weight, kernel, multi_class=multi_class)
    np.testing.assert_allclose(alone.decisions(X), plain, atol=2e-3)


def test_a_tiny_ridge_is_solved_with_all_digits():
    X, y, weight = rows(2)
    machine = trained(X, y, weight, Laplacian(3.0), C=1e6)
    signs = np.where(y == machine.pairs[0, 0], 1.0, -1.0)
    np.testing.assert_allclose(machine.decisions(X)[:, 0], signs, atol=1e-4)


def test_equal_rows_are_no_singular_problem():
    X, y, weight = rows(2)
    X[:] = X[0]
    machine = trained(X, y, weight, Laplacian(1.0), C=1e12)
    assert np.isfinite(machine.decisions(X)).all()


@pytest.mark.parametrize("grid_of", [LeafGrid, PairGrid])
def test_a_grid_is_single_fits(grid_of):
    X, y, weight = rows(3)
    kernel = Gaussian(0.3)
    grid = grid_of(X, y, 3, weight, kernel, X[:5], loss="squared")
    for point in grid.points([0.1, 0.3], [0.3, 3.0]):
        own = kernel.with_gamma(point.gamma)
        made = assemble(X, grid.machines, own, point.coefficients, point.records)
        alone = trained(X, y, weight, own, point.C)
        np.testing.assert_allclose(made.decisions(X), alone.decisions(X), atol=1e-4)


@pytest.mark.parametrize(("n_classes", "multi_class"), [(2, "ovo"), (3, "ovr")])
def test_rows_left_out_are_exact(n_classes, multi_class):
    X, y, weight = rows(n_classes, 60)
    kernel = Laplacian(0.3)
    machine = trained(X, y, weight, kernel, multi_class=multi_class)
    found = left_out_decisions(machine, X, np.arange(60), 3.0 * weight, "squared")
    for i in range(0, 60, 7):
        kept = np.delete(np.arange(60), i)
        without = trained(X[kept], y[kept], weight[kept], kernel, 3.0, multi_class)
        np.testing.assert_allclose(
            found[i], without.decisions(X[i : i + 1])[0], atol=1e-3
        )
