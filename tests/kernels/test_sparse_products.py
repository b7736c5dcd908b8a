"""Rows that are mostly zeros: the same values as by dense products."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from treesvm.kernels.distances import SquaredDistances
from treesvm.kernels.kernel import Gaussian
from treesvm.kernels.sparse_products import (
    SparseExponents,
    SparseRows,
    is_mostly_zero,
)

CONTAINERS = [np.asarray, sparse.csr_matrix, sparse.csr_array]


def mostly_zeros(rng, n, width, share=0.12):
    return rng.normal(size=(n, width)) * (rng.random((n, width)) < share)


def twin(A, B, gamma):
    """-gamma |a - b|^2, pair by pair."""
    return np.array([[-gamma * np.sum((a - b) ** 2) for b in B] for a in A])


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 20),
    # Below, at and above the columns of one tile and of two.
    m=st.sampled_from([1, 7, 511, 512, 513, 1030]),
    width=st.integers(1, 40),
    share=st.sampled_from([0.0, 0.05, 0.3, 1.0]),
)
@settings(max_examples=40, deadline=None)
def test_exponents_are_those_of_the_double_loop(seed, n, m, width, share):
    rng = np.random.default_rng(seed)
    A, B = mostly_zeros(rng, n, width, share), mostly_zeros(rng, m, width, share)
    expected = twin(A, B, 0.3)
    for container in CONTAINERS:
        others = SparseExponents(container(B), 0.3)
        rows = SparseRows(container(A), 0.3)
        size = 1.0 + np.abs(expected).max()
        np.testing.assert_allclose(others.of(rows), expected, atol=1e-6 * size)
        picked = rng.integers(0, n, 5)
        some = others.of(rows, picked)
        np.testing.assert_allclose(some, expected[picked], atol=1e-6 * size)


def test_entries_stored_twice_are_added_up():
    A = sparse.csr_matrix(([1.0, 2.0, 4.0], [3, 3, 0], [0, 2, 3]), shape=(2, 5))
    rows, others = SparseRows(A, 0.5), SparseExponents(A, 0.5)
    expected = twin(A.toarray(), A.toarray(), 0.5)
    np.testing.assert_allclose(others.of(rows), expected, atol=1e-6)
    assert A.nnz == 3  # the caller's matrix stays as it was


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, False), (0.1, True), (0.25, True), (0.5, False)]
)
@pytest.mark.parametrize("container", CONTAINERS)
def test_the_share_of_zeros_decides(rng, container, share, expected):
    X = np.zeros((40, 100))
    X[:, : int(100 * share)] = 1.0
    assert is_mostly_zero(container(X)) == expected


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_kernel_s_blocks_are_within_their_reach(rng, container):
    """Training and prediction take this way, and say how far they may be off."""
    kernel = Gaussian(0.02)
    X = 3.0 * mostly_zeros(rng, 600, 60)
    expected = np.exp(twin(X[:50], X, 0.02))
    rows = np.arange(50)
    found = kernel.row_block(container(X))(rows)
    allowed = 1e-6 * float(kernel.reach(X, container(X))[0])
    assert np.abs(found - expected).max() <= allowed
    assert found.max() <= 1.0
    some = kernel.row_block(container(X))(rows, np.array([5, 599, 0]))
    np.testing.assert_allclose(some, expected[:, [5, 599, 0]], atol=allowed)
    few = kernel.row_block(container(X))(np.array([5, 599, 0]), rows)
    np.testing.assert_allclose(few, some.T, atol=allowed)
    assert few.flags.c_contiguous
    support = np.arange(600)
    blocks = kernel.blocks(container(X[:50]), container(X), support, np.float32)
    for part, K in blocks:
        assert np.abs(K - expected[part]).max() <= allowed


def test_sizes_of_such_rows_are_measured_from_zero(rng):
    X = mostly_zeros(rng, 50, 30)
    expected = np.sum(X**2, axis=1)
    for container in CONTAINERS:
        np.testing.assert_allclose(SquaredDistances.sizes(container(X)), expected)
