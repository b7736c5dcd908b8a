"""Grids machine by machine say what the grid with shared distances says."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from treesvm.kernels.kernel import KERNELS, Gaussian
from treesvm.machines.grid import LeafGrid
from treesvm.machines.pair_grid import PairGrid, rows_of_largest_machine
from treesvm.machines.training import train_machine
from treesvm.machines.voting import chunked_codes, chunked_evidence

GAUSSIAN, GAMMAS, CS = Gaussian(), [0.3, 3.0], [0.1, 10.0, 1e5]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(n_class=5, return_X_y=True)
    X = np.ascontiguousarray(X[:, ::3] / 16.0)
    return X[:300], y[:300], X[300:], y[300:]


def points(kind, X, y, X_val, kernel=GAUSSIAN, **options):
    weight = np.linspace(0.5, 1.5, len(y))
    grid = kind(X, y, 5, weight, kernel, X_val, **options)
    return list(grid.points(GAMMAS, CS, tol=1e-5))


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_equal_to_the_grid_with_shared_distances(digits, multi_class):
    X, y, X_val, _ = digits
    pairwise = points(PairGrid, X, y, X_val, multi_class=multi_class)
    shared = points(LeafGrid, X, y, X_val, multi_class=multi_class)
    assert [p[:2] for p in pairwise] == [p[:2] for p in shared]
    assert len(pairwise) == len(GAMMAS) * len(CS)
    for ours, other in zip(pairwise, shared, strict=True):
        assert ours.records["converged"].all()
        scale = np.abs(other.coefficients).max()
        assert np.abs(ours.coefficients - other.coefficients).max() < 0.02 * scale
        assert np.mean(ours.predicted == other.predicted) > 0.995


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("kind", [LeafGrid, PairGrid])
def test_every_kernel_s_point_is_a_fit_by_itself(digits, kind, name):
    X, y, X_val, _ = (array[:60] for array in digits)
    kernel = KERNELS[name]()
    if kernel.is_precomputed:
        X, X_val = X @ X.T, X_val @ X.T
    weight = np.linspace(0.5, 1.5, 60)
    found = points(kind, X, y, X_val, kernel)
    for point in found[:: len(CS) + 1]:
        own = kernel.with_gamma(point.gamma)
        machine = train_machine(X, y, 5, weight, own, point.C, tol=1e-5)
        expected = machine.scores(machine.decisions(X_val)).argmax(axis=1)
        assert np.mean(point.predicted == expected) > 0.95


def test_threads_do_not_change_a_point(digits):
    X, y, X_val, _ = digits
    for one, two in zip(
        points(PairGrid, X, y, X_val, n_jobs=1),
        points(PairGrid, X, y, X_val, n_jobs=2),
        strict=True,
    ):
        assert np.array_equal(one.coefficients, two.coefficients)
        assert np.array_equal(one.predicted, two.predicted)


def test_sparse_rows_and_no_validation_rows(digits):
    X, y, X_val, y_val = digits
    found = points(PairGrid, sparse.csr_matrix(X), y, sparse.csr_matrix(X_val))
    assert max(np.mean(point.predicted == y_val) for point in found) > 0.9
    assert len(points(PairGrid, X, y, X_val[:0])[0].predicted) == 0


@pytest.mark.parametrize("kind", [LeafGrid, PairGrid])
@pytest.mark.parametrize(
    ("answer", "width"), [(chunked_codes, ()), (chunked_evidence, (5,))]
)
def test_no_validation_rows_have_answers_of_the_usual_shape(
    digits, kind, answer, width
):
    X, y, X_val, _ = digits
    for none in (X_val[:0], None) if kind is LeafGrid else (X_val[:0],):
        point = points(kind, X[:60], y[:60], none, answer=answer)[0]
        assert point.predicted.shape == (0, *width)


def test_rows_of_the_largest_machine():
    codes = np.repeat([0, 1, 2, 4], [5, 9, 7, 1])
    assert rows_of_largest_machine(codes, "ovo") == 16
    assert rows_of_largest_machine(codes, "ovr") == 22
