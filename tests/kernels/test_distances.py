"""Distances of a leaf, and exp(-t) - 1 without loss of digits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

from treesvm.kernels.distances import SquaredDistances
from treesvm.kernels.exponential import exp_minus_one, exp_minus_one_float32
from treesvm.kernels.kernel import Gaussian

EPS32 = float(np.finfo(np.float32).eps)


def leaf(seed, n=70, d=6, shift=0.0):
    """Rows of which some are identical; more than two of the mirror's tiles."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + shift
    X[n // 2 : n // 2 + 5] = X[:5]
    return X


@given(seed=st.integers(0, 10_000), d=st.integers(1, 40))
@settings(max_examples=25, deadline=None)
def test_identical_rows_are_exactly_zero_apart(seed, d):
    X = leaf(seed, d=d, shift=seed % 100)
    squared = SquaredDistances(X).matrix
    n = len(X)
    assert squared.dtype == np.float32
    np.testing.assert_array_equal(squared, squared.T)
    assert np.all(squared.diagonal() == 0)
    assert np.all(squared[np.arange(5), n // 2 + np.arange(5)] == 0)
    assert np.all((squared > 0) == (cdist(X, X, "sqeuclidean") > 0))


@pytest.mark.parametrize(
    ("container", "shift"),  # sparse rows are not centred
    [(np.asarray, 0.0), (np.asarray, 100.0), (sparse.csr_matrix, 0.0)],
)
def test_distances_are_exact_to_float32(container, shift):
    X = leaf(3, shift=shift)
    expected = cdist(X, X, "sqeuclidean")
    np.testing.assert_allclose(
        SquaredDistances(container(X)).matrix, expected, rtol=EPS32, atol=1e-12
    )


def test_the_leaf_s_rows_stay_as_they_were():
    X = leaf(0)
    before = X.copy()
    SquaredDistances(X)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("gamma", [1e-12, 1e-4, 1e-2])
def test_small_gammas_keep_their_leading_digits(gamma):
    squared = SquaredDistances(leaf(1)).matrix
    expected = np.expm1(-gamma * squared.astype(np.float64))
    ours = Gaussian(gamma).gram(leaf(1)).matrix(Gaussian(gamma))
    np.testing.assert_allclose(ours, expected, rtol=4 * EPS32)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 1e4, 1e30])
def test_large_gammas_are_exact_to_float32(gamma):
    squared = SquaredDistances(leaf(1)).matrix
    expected = np.expm1(-gamma * squared.astype(np.float64))
    ours = Gaussian(gamma).gram(leaf(1)).matrix(Gaussian(gamma))
    np.testing.assert_allclose(ours, expected, atol=4 * EPS32)
    assert np.all(ours.diagonal() == 0)


@pytest.mark.parametrize("reach", [0.49999, 0.50001])
def test_both_forms_agree_where_they_meet(reach):
    squared = np.linspace(0, reach, 1001, dtype=np.float32)[None]
    ours = exp_minus_one_float32(squared, 1.0, np.empty_like(squared))
    np.testing.assert_allclose(
        ours, np.expm1(-squared.astype(np.float64)), atol=EPS32, rtol=2 * EPS32
    )


def test_distances_serve_every_gamma_until_the_last():
    gram, gammas = Gaussian().gram(leaf(2)), [0.5, 3.0, 0.5]
    matrices = [gram.matrix(Gaussian(gamma)).copy() for gamma in gammas]
    np.testing.assert_array_equal(matrices[0], matrices[2])
    last = gram.matrix(Gaussian(3.0), is_last=True)
    np.testing.assert_array_equal(last, matrices[1])


@pytest.mark.parametrize("gamma", [1e-10, 1e-3, 1.0, 1e4])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_exact_block_is_float64(gamma, container):
    X = leaf(4)
    rows, columns = np.arange(0, 60, 3), np.arange(20, 70)
    kernel = Gaussian(gamma)
    block = kernel.gram(container(X)).exact(kernel, rows, columns)
    expected = np.expm1(-gamma * cdist(X[rows], X[columns], "sqeuclidean"))
    assert block.dtype == np.float64
    np.testing.assert_allclose(block, expected, rtol=1e-11, atol=1e-13 * gamma)
    assert np.all(block[rows[:, None] == columns] == 0)


def test_exp_minus_one_equals_expm1():
    t = np.concatenate([[0.0, 700.0, 745.0, 1e3], np.logspace(-300, 3, 5000)])
    expected = np.expm1(-t)
    ours = exp_minus_one(t.copy())
    np.testing.assert_allclose(ours, expected, rtol=1e-15, atol=0)
    assert ours[0] == 0


@given(t=st.lists(st.floats(0, 1e308), min_size=1, max_size=1100))
@settings(max_examples=30, deadline=None)
def test_exp_minus_one_at_any_length(t):
    t = np.array(t)
    np.testing.assert_allclose(exp_minus_one(t.copy()), np.expm1(-t), rtol=1e-15)


def test_exp_minus_one_is_in_place_and_keeps_the_shape():
    t = np.ones((3, 4))
    assert exp_minus_one(t) is t
    assert exp_minus_one(np.zeros((0, 2))).shape == (0, 2)
