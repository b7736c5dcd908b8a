"""Cached kernel rows: the values, the budget, and who leaves first."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from treesvm.kernels.block_cache import RowCache
from treesvm.kernels.kernel import (
    CallableKernel,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
)

KERNELS = [
    Gaussian(0.4),
    Linear(),
    Polynomial(gamma=0.3, coef0=1.0),
    Sigmoid(gamma=0.1),
    CallableKernel(lambda A, B: np.asarray((A @ B.T + 1) ** 2)),
]


def data(rng, n=40, d=8):
    return rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)


def rows_of(cache, rows):
    slots = cache.slots(rows)
    return cache.store[slots]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_rows_are_the_kernel_s(rng, kernel):
    X = data(rng)
    cache = RowCache(kernel, X, max_bytes=10 * 4 * 40)
    expected = kernel.block(X, X, np.float64)
    for rows in ([0, 5, 9], [5, 6], np.arange(30, 40), [0, 39]):
        np.testing.assert_allclose(
            rows_of(cache, rows), expected[rows], atol=2e-5, rtol=1e-6
        )


@pytest.mark.parametrize("kernel", KERNELS[:4], ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("width", [8, 800])
def test_sparse_rows_give_the_same(rng, kernel, width):
    X = data(rng)
    wide = sparse.hstack([sparse.csr_matrix(X), sparse.csr_matrix((40, width - 8))])
    cache = RowCache(kernel, wide.tocsr(), max_bytes=10 * 4 * 40)
    expected = kernel.block(X, X, np.float64)[[3, 1, 7]]
    np.testing.assert_allclose(
        rows_of(cache, [3, 1, 7]), expected, atol=2e-5, rtol=1e-6
    )
    block = kernel.row_block(wide.tocsr())(np.array([3, 1, 7]), np.array([2, 2, 9]))
    np.testing.assert_allclose(block, expected[:, [2, 2, 9]], atol=2e-5, rtol=1e-6)


def test_precomputed_rows_are_copied(rng):
    K = rng.normal(size=(12, 12))
    cache = RowCache(Precomputed(), K, max_bytes=3 * 4 * 12)
    np.testing.assert_array_equal(rows_of(cache, [4, 2]), K[[4, 2]].astype(np.float32))
    part = Precomputed().row_block(K)(np.array([1, 2]), np.array([5]))
    np.testing.assert_array_equal(part, K[[1, 2]][:, [5]].astype(np.float32))


@given(
    seed=st.integers(0, 10_000), budget=st.integers(0, 10_000), most=st.integers(2, 9)
)
@settings(max_examples=40, deadline=None)
def test_budget_is_kept_and_values_stay_right(seed, budget, most):
    rng = np.random.default_rng(seed)
    n = 30
    K = rng.normal(size=(n, n)).astype(np.float32)
    cache = RowCache(Precomputed(), K, budget, min_rows=most)
    assert cache.store.nbytes <= max(budget, most * 4 * n)
    assert most <= cache.capacity <= n
    for _ in range(20):
        rows = rng.choice(n, rng.integers(1, most + 1), replace=False)
        np.testing.assert_array_equal(rows_of(cache, rows), K[rows])


def test_least_recently_used_row_leaves(rng):
    K = rng.normal(size=(9, 9))
    cache = RowCache(Precomputed(), K, max_bytes=3 * 4 * 9)
    for row in (0, 1, 2, 0):
        cache.slots([row])
    assert cache.n_computed == 3
    cache.slots([3])  # takes the place of row 1
    cache.slots([0, 2, 3])
    assert cache.n_computed == 4
    cache.slots([1])
    assert cache.n_computed == 5


def test_rows_asked_for_together_do_not_evict_each_other(rng):
    K = rng.normal(size=(9, 9))
    cache = RowCache(Precomputed(), K, max_bytes=0, min_rows=3)
    cache.slots([0, 1, 2])
    rows = np.array([2, 3, 4])
    np.testing.assert_array_equal(rows_of(cache, rows), K[rows].astype(np.float32))
    assert cache.n_computed == 5


def test_all_rows_fit_a_large_budget(rng):
    cache = RowCache(KERNELS[0], data(rng), max_bytes=10**9)
    assert cache.capacity == 40
    for _ in range(2):
        cache.slots(np.arange(40))
    assert cache.n_computed == 40


@pytest.mark.parametrize("kernel", [Gaussian(0.5), Laplacian(0.5), Linear()])
@pytest.mark.parametrize("share", [0.1, 1.0])
def test_blocks_do_not_outlive_their_names(kernel, share, rng):
    """A cycle would keep copies of all rows until the garbage collector comes by."""
    X = rng.normal(size=(60, 20)) * (rng.random((60, 20)) < share)
    block = kernel.row_block(X)
    block(np.arange(3), np.arange(5))
    watched = weakref.ref(block)
    gc.disable()
    try:
        del block
        assert watched() is None
    finally:
        gc.enable()
