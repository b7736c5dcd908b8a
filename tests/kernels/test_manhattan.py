"""Manhattan distances: equal to a double loop, dense, sparse and mixed."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from treesvm.kernels.kernel import Laplacian
from treesvm.kernels.manhattan import ManhattanDistances

EPS32 = float(np.finfo(np.float32).eps)


def part(seed, n=200, d=6, share=1.0, shift=0.0):
    """Rows of two tiles, of which some are identical."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, d)) + shift) * (rng.random((n, d)) < share)
    X[n // 2 : n // 2 + 5] = X[:5]
    return X


def twin(A, B):
    return np.array([[naive.manhattan_distance(a, b) for b in B] for a in A])


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 130), (17, 16), (0, 5), (5, 0)])
@pytest.mark.parametrize("d", [1, 4, 7, 64, 131])
@pytest.mark.parametrize(("dtype", "rtol"), [(np.float32, 3e-6), (np.float64, 1e-13)])
def test_blocks_of_any_shape_equal_the_double_loop(rng, n, m, d, dtype, rtol):
    A, B = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    block = ManhattanDistances.block(A, B, dtype)
    assert block.dtype == dtype
    assert block.shape == (n, m)
    np.testing.assert_allclose(block, twin(A, B).reshape(n, m), rtol=rtol, atol=rtol)


@pytest.mark.parametrize("share", [0.4, 0.02, 0.0])
@pytest.mark.parametrize(("dtype", "rtol"), [(np.float32, 3e-6), (np.float64, 1e-13)])
def test_sparse_and_mixed_rows_equal_the_double_loop(share, dtype, rtol):
    A, B = part(0, 20, 90, share), part(0, 33, 90, share)
    expected = twin(A, B)
    for left, right in [
        (sparse.csr_matrix(A), sparse.csr_matrix(B)),
        (sparse.csr_array(A), B),
        (A, sparse.csr_matrix(B)),
    ]:
        block = ManhattanDistances.block(left, right, dtype)
        assert block.dtype == dtype
        np.testing.assert_allclose(block, expected, rtol=rtol, atol=1e-14)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@given(seed=st.integers(0, 10_000), d=st.integers(1, 90))
@settings(max_examples=25, deadline=None)
def test_identical_rows_are_exactly_zero_apart(container, seed, d):
    share = 1.0 if container is np.asarray else 0.03
    X = part(seed, 150, d, share, shift=seed % 100)
    distances = ManhattanDistances(container(X))
    matrix, same = distances.matrix, (X[:, None] == X).all(axis=2)
    assert matrix.dtype == np.float32
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_array_equal(matrix == 0, same)
    some = np.arange(0, 150, 3)
    np.testing.assert_array_equal(distances.exact(some, some) == 0, same[::3, ::3])
    np.testing.assert_array_equal(distances.to_queries(container(X)) == 0, same)


@pytest.mark.parametrize(
    ("container", "share", "shift"),  # sparse rows are not centred
    [(np.asarray, 1.0, 0.0), (np.asarray, 1.0, 1e4), (sparse.csr_matrix, 0.04, 0.0)],
)
def test_distances_of_a_part_are_exact(container, share, shift):
    X = part(3, d=60, share=share, shift=shift)
    before, distances = X.copy(), ManhattanDistances(container(X))
    expected, size = twin(X, X), ManhattanDistances.sizes(container(X)).max()
    np.testing.assert_allclose(distances.matrix, expected, atol=3 * EPS32 * size)
    rows, columns = np.arange(0, 60, 3), np.arange(20, 170)
    block = distances.exact(rows, columns)
    assert block.dtype == np.float64
    np.testing.assert_allclose(block, expected[rows][:, columns], rtol=1e-12)
    queries = distances.to_queries(container(X[:9]))
    np.testing.assert_allclose(queries, expected[:9], rtol=1e-12)
    np.testing.assert_array_equal(X, before)


def test_indices_in_any_order_and_twice_are_the_same_rows(rng):
    X = sparse.csr_array(part(1, 30, 40, 0.04))
    data = np.repeat(X.data[::-1] / 2, 2)
    rows = np.repeat(np.repeat(np.arange(30), np.diff(X.indptr))[::-1], 2)
    columns = np.repeat(X.indices[::-1], 2)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=30))])
    order = np.argsort(rows, kind="stable")
    messy = sparse.csr_array((data[order], columns[order], starts), X.shape)
    expected = ManhattanDistances.block(X, X, np.float64)
    found = ManhattanDistances.block(messy, messy, np.float64)
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("share", [1.0, 0.03])
def test_prepared_rows_are_the_block_s(container, share):
    X, kernel = part(5, d=50, share=share, shift=3.0), Laplacian(0.1)
    rows, columns = np.array([7, 3, 150]), np.array([4, 199])
    block = kernel.row_block(container(X))
    expected = kernel.block(X[rows], X, np.float64)
    assert block(rows).dtype == np.float32
    np.testing.assert_allclose(block(rows), expected, atol=1e-5)
    np.testing.assert_allclose(block(rows, columns), expected[:, columns], atol=1e-5)


def test_small_gammas_keep_their_leading_digits():
    kernel, X = Laplacian(1e-8), part(1)
    expected = np.expm1(-1e-8 * twin(X, X))
    ours = kernel.gram(X).matrix(kernel)
    np.testing.assert_allclose(ours, expected, rtol=1e-5)
