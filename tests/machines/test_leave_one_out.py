"""Rows left out by the span rule: beside machines trained without them."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from treesvm.kernels.kernel import Gaussian, Laplacian
from treesvm.machines.leave_one_out import left_out_decisions
from treesvm.machines.training import train_machine


def naive_squared_span(kernel, free, p):
    """Least squared distance from p to sums of free vectors whose weights sum to 1."""
    K, k = kernel.block(free, free, np.float64), kernel.block(free, p, np.float64)
    n = len(free)
    system = np.block([[K, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    weights = np.linalg.lstsq(system, np.append(k[:, 0], 1.0), rcond=None)[0][:n]
    return 1.0 - 2.0 * weights @ k[:, 0] + weights @ K @ weights


def trained(X, y, kernel, C, multi_class="ovo"):
    weight, n_classes = np.ones(len(y)), int(y.max()) + 1
    return train_machine(
        X, y, n_classes, weight, kernel, C, multi_class=multi_class, tol=1e-8
    )


def rows(n_classes, n=60):
    return make_classification(
        n, 4, n_informative=3, n_redundant=0, n_classes=n_classes, random_state=1
    )


@pytest.mark.parametrize("kernel", [Gaussian(0.3), Laplacian(0.3)])
def test_values_change_by_coefficient_times_squared_span(kernel):
    X, y = rows(2)
    machine = trained(X, y, kernel, 1.0)
    found = left_out_decisions(machine, X, np.arange(60), np.full(60, 1.0))
    beta = np.zeros(60)
    beta[machine.support] = machine.coefficient_matrix[:, 0]
    is_free = (np.abs(beta) > 0) & (np.abs(beta) < 1.0 - 1e-6)
    assert 2 < is_free.sum() < 59
    plain = machine.decisions(X)[:, 0]
    for i in range(60):
        others = np.flatnonzero(is_free & (np.arange(60) != i))
        span = naive_squared_span(kernel, X[others], X[i : i + 1])
        assert found[i, 0] == pytest.approx(plain[i] - beta[i] * span, abs=1e-4)


@pytest.mark.parametrize(("n_classes", "multi_class"), [(2, "ovo"), (3, "ovr")])
def test_close_to_machines_trained_without_the_row(n_classes, multi_class):
    X, y = rows(n_classes)
    kernel = Laplacian(0.3)
    machine = trained(X, y, kernel, 10.0, multi_class)
    chosen = np.arange(0, 60, 3)
    found = left_out_decisions(machine, X[chosen], chosen, np.full(60, 10.0))
    plain = machine.decisions(X[chosen])
    true = np.empty_like(plain)
    for place, i in enumerate(chosen):
        kept = np.delete(np.arange(60), i)
        alone = trained(X[kept], y[kept], kernel, 10.0, multi_class)
        true[place] = alone.decisions(X[i : i + 1])[0]
    assert np.abs(found - true).mean() < 0.1 * np.abs(plain - true).mean()


def test_rows_without_support_keep_their_values():
    X, y = rows(2)
    machine = trained(X, y, Gaussian(0.01), 1e4)
    idle = np.setdiff1d(np.arange(60), machine.support)
    assert len(idle)
    found = left_out_decisions(machine, X[idle], idle, np.full(60, 1e4))
    np.testing.assert_array_equal(found, machine.decisions(X[idle]))
