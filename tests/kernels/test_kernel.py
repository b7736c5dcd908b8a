"""Kernel blocks: equal to a double loop, in both precisions, dense and sparse."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import SVC

from treesvm.kernels.kernel import (
    KERNELS,
    CallableKernel,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    resolve_kernel,
)
from treesvm.kernels.width import settle_gamma

KERNELS_OF_ROWS = [
    Gaussian(0.7),
    Laplacian(0.7),
    Linear(),
    Polynomial(gamma=0.5, degree=3, coef0=1.0),
    Polynomial(gamma=0.5, degree=2, coef0=-0.3),
    Sigmoid(gamma=0.2, coef0=-0.5),
]


def naive_block(kernel, A, B):
    return naive.kernel_block(A=A, B=B, **kernel.as_json())


def few_entries(rng, shape, share):
    return rng.normal(size=shape) * (rng.random(shape) < share)


@pytest.mark.parametrize("kernel", KERNELS_OF_ROWS, ids=str)
@pytest.mark.parametrize("share", [1.0, 0.4, 0.02])
@pytest.mark.parametrize(("dtype", "digits"), [(np.float32, 3e-5), (np.float64, 1e-12)])
def test_block_equals_double_loop(rng, kernel, share, dtype, digits):
    A, B = few_entries(rng, (6, 40), share), few_entries(rng, (9, 40), share)
    expected = naive_block(kernel, A, B)
    scale = max(1.0, np.abs(expected).max())
    for left in (A, sparse.csr_matrix(A), sparse.csr_array(A)):
        for right in (B, sparse.csr_matrix(B)):
            block = kernel.block(left, right, dtype)
            assert isinstance(block, np.ndarray)
            assert block.dtype == dtype
            assert block.flags.c_contiguous
            np.testing.assert_allclose(block, expected, atol=digits * scale)


@pytest.mark.parametrize("kernel", KERNELS_OF_ROWS, ids=str)
def test_diagonal_is_the_block_s(rng, kernel):
    X = rng.normal(size=(7, 4))
    expected = naive_block(kernel, X, X).diagonal()
    np.testing.assert_allclose(kernel.diagonal(X), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(sparse.csr_matrix(X)), expected)


@pytest.mark.parametrize("kernel", KERNELS_OF_ROWS, ids=str)
def test_block_leaves_its_input_alone(rng, kernel):
    X = rng.normal(size=(5, 3)).astype(np.float32)
    before = X.copy()
    kernel.block(X, X)
    kernel.diagonal(X, np.float32)
    np.testing.assert_array_equal(X, before)


@given(seed=st.integers(0, 10_000), gamma=st.sampled_from([1e-4, 1.0, 1e4]))
@settings(max_examples=20, deadline=None)
def test_rbf_lies_between_zero_and_one(seed, gamma):
    X = np.random.default_rng(seed).normal(size=(12, 3))
    X[6:] = X[:6]
    K = Gaussian(gamma).block(X, X)
    assert K.min() >= 0
    assert K.max() <= 1


def test_precomputed_is_the_matrix_itself(rng):
    K = rng.normal(size=(4, 4))
    kernel = Precomputed()
    np.testing.assert_array_equal(kernel.block(K, K), K.astype(np.float32))
    np.testing.assert_array_equal(kernel.diagonal(K), K.diagonal())


def test_callable_is_called_with_rows(rng):
    X = rng.normal(size=(5, 3))
    kernel = CallableKernel(lambda A, B: A @ B.T)
    np.testing.assert_allclose(kernel.block(X[:2], X), X[:2] @ X.T, rtol=1e-6)
    np.testing.assert_allclose(kernel.diagonal(X), (X**2).sum(axis=1))


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (lambda A, B: np.zeros((len(B), len(A))), "shape"),
        (lambda A, B: np.zeros(len(A)), "shape"),
        (lambda A, B: 1.0, "shape"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "NaN"),
        (lambda A, B: np.full((len(A), len(B)), np.inf), "infinity"),
    ],
)
def test_bad_callables_are_refused(function, complaint):
    kernel = CallableKernel(function)
    with pytest.raises(ValueError, match=complaint):
        kernel.block(np.ones((2, 3)), np.ones((4, 3)))


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.3])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_gamma_is_scikit_learn_s(rng, gamma, container):
    X = container(few_entries(rng, (30, 4), 0.5))
    svc = SVC(gamma=gamma).fit(X, np.arange(30) % 2)
    assert settle_gamma(Gaussian(), gamma, X) == pytest.approx(svc._gamma, rel=1e-12)


def test_gamma_scale_of_constant_data_is_one():
    assert settle_gamma(Gaussian(), "scale", np.full((3, 2), 5.0)) == 1.0


def test_parameters_are_resolved(rng):
    X = rng.normal(size=(5, 4))
    parameters = {"gamma": "auto", "degree": 2, "coef0": 0.5, "X": X}
    for name in ("poly", "polynomial"):
        assert resolve_kernel(name, **parameters) == Polynomial(0.25, 2, 0.5)
    assert resolve_kernel("linear", **parameters) == Linear()
    assert resolve_kernel(max, **parameters).function is max


@pytest.mark.parametrize(
    ("kernel", "gamma"), [("rbff", 1.0), ("rbf", "skale"), (None, 1.0), (["rbf"], 1.0)]
)
def test_unknown_names_are_named(kernel, gamma):
    with pytest.raises(ValueError, match=r"'rbff'|'skale'|None|\['rbf'\]"):
        resolve_kernel(kernel, gamma=gamma, degree=3, coef0=0.0, X=np.ones((2, 2)))


@pytest.mark.parametrize("name", KERNELS)
def test_classes_know_their_names(name):
    kernel = KERNELS[name]()
    assert KERNELS[kernel.name] is type(kernel)
    assert kernel.with_gamma(0.5).gamma in (0.5, Kernel.gamma)
    assert kernel.with_gamma(0.5).as_json()["name"] == kernel.name


@pytest.mark.parametrize("kernel", [*KERNELS_OF_ROWS, Precomputed()], ids=str)
def test_a_part_s_values_are_the_block_s(rng, kernel):
    """Gram, exact blocks and queries agree, up to the constant that they share."""
    X = rng.normal(size=(9, 9))
    expected = kernel.block(X, X, np.float64)
    rows, columns = np.array([3, 1]), np.array([0, 3, 8])
    gram = kernel.gram(X)
    queries = gram.to_queries(X[:4])(kernel)
    matrix = gram.matrix(kernel)
    constant = float(kernel.is_normalised)
    scale = np.abs(expected).max()
    digits = 1e-10 * scale
    found = gram.exact(kernel, rows, columns) + constant
    np.testing.assert_allclose(found, expected[np.ix_(rows, columns)], atol=digits)
    np.testing.assert_allclose(queries + constant, expected[:4], atol=digits)
    np.testing.assert_allclose(matrix + constant, expected, atol=1e-5 * scale)
    small = kernel.take(X, rows)
    block = kernel.block(small, small, np.float64)
    np.testing.assert_allclose(block, expected[np.ix_(rows, rows)], atol=digits)
    stored = kernel.vectors(X, columns), columns
    block = kernel.stored_block(X, *stored, np.float64)
    np.testing.assert_allclose(block, expected[:, columns], atol=digits)


@pytest.mark.parametrize("kernel", [*KERNELS_OF_ROWS, Precomputed()], ids=str)
@pytest.mark.parametrize("size", [1e-2, 1.0, 30.0])
def test_float32_errors_stay_within_reach(rng, kernel, size):
    X = size * rng.normal(size=(40, 40))
    error = np.abs(kernel.block(X, X) - kernel.block(X, X, np.float64))
    assert np.all(error.max(axis=1) <= 1e-6 * kernel.reach(X, X))
