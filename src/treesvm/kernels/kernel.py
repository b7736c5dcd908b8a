"""The kernels, one small class for each, and the table that names them.

rbf         exp(-gamma |a - b|^2)
laplacian   exp(-gamma sum_j |a_j - b_j|)
linear      a'b
polynomial  (gamma a'b + coef0)^degree
sigmoid     tanh(gamma a'b + coef0)
callable    function(A, B) -> array of shape (len(A), len(B))
precomputed the rows are already rows of a Gram matrix

A further kernel is one more class here, one row of `KERNELS`, and its slow twin.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
from scipy import sparse

from treesvm.kernels.distances import SquaredDistances
from treesvm.kernels.exponent_factors import (
    exp_of_products,
    exponent_factors,
    left_factors,
    right_factors,
)
from treesvm.kernels.families import (
    BLOCK_BYTES,
    DistanceKernel,
    Kernel,
    ProductKernel,
    dense,
    rows_at_once,
)
from treesvm.kernels.manhattan import ManhattanDistances, tile_distances, tiles_of
from treesvm.kernels.row_products import centred_float32, inner_products
from treesvm.kernels.sign_sums import sign_sums
from treesvm.kernels.sparse_products import (
    SparseExponents,
    SparseRows,
    is_mostly_zero,
)

_CACHE_BYTES = 2 * 2**20  # kernel values finished while in the processor's cache
_TILED_BYTES = 16 * 2**20  # more, where reading the tiles again takes longer than that


@dataclass(frozen=True)
class Gaussian(DistanceKernel):
    """exp(-gamma |a - b|^2): a matrix product leaves exponents, ready for exp."""

    name = "rbf"
    distances = SquaredDistances
    power = 2
    has_free_vectors = True
    has_gradient = True

    def row_block(self, X):
        if is_mostly_zero(X):
            return self._sparse_row_block(X)
        left, right = exponent_factors(centred_float32(X), self.gamma)

        def block(rows, columns=None):
            others = right if columns is None else right[columns]
            return exp_of_products(inner_products(left[rows], others))

        return block

    def _sparse_row_block(self, X):
        left, right = SparseRows(X, self.gamma), SparseExponents(X, self.gamma)

        def block(rows, columns=None):
            if columns is None:
                return exp_of_products(right.of(left, rows))
            is_turned = len(rows) < len(columns)  # the shorter side is laid out anew
            if is_turned:
                rows, columns = columns, rows
            others = SparseExponents(X[columns], self.gamma)
            K = exp_of_products(others.of(left, rows))
            return np.ascontiguousarray(K.T) if is_turned else K

        return block

    def blocks(self, X, vectors, support, dtype):
        if dtype == np.float32 and is_mostly_zero(vectors) and is_mostly_zero(X):
            yield from self._sparse_blocks(X, vectors)
            return
        if sparse.issparse(vectors):
            yield from super().blocks(X, vectors, support, dtype)
            return
        centre = vectors.mean(axis=0)  # distances keep more digits near zero
        right = right_factors(vectors - centre, self.gamma, dtype)
        step = rows_at_once(BLOCK_BYTES, len(vectors), dtype)
        fine = rows_at_once(_CACHE_BYTES, len(vectors), dtype)
        for start in range(0, X.shape[0], step):
            part = dense(X[start : start + step])
            products = left_factors(part - centre, self.gamma, dtype) @ right.T
            for first in range(0, len(products), fine):
                K = exp_of_products(products[first : first + fine])
                yield slice(start + first, start + first + len(K)), K

    def _sparse_blocks(self, X, vectors):
        right = SparseExponents(vectors, self.gamma)
        step = rows_at_once(BLOCK_BYTES, X.shape[1], np.float32)
        fine = rows_at_once(_TILED_BYTES, len(right), np.float32)
        for start in range(0, X.shape[0], step):
            left = SparseRows(X[start : start + step], self.gamma)
            for first in range(0, len(left.starts), fine):
                K = exp_of_products(right.of(left, slice(first, first + fine)))
                yield slice(start + first, start + first + len(K)), K

    def gradient(self, X, K, vectors, coefficients):
        """-2 gamma sum_s c_s k_s (x - z_s), by two matrix products."""
        centre = vectors.mean(axis=0)  # their difference keeps more digits near zero
        X, vectors = (X - centre).astype(K.dtype), (vectors - centre).astype(K.dtype)
        coefficients = (-2 * self.gamma * coefficients).astype(K.dtype)
        return X * (K @ coefficients)[:, None] - K @ (coefficients[:, None] * vectors)


@dataclass(frozen=True)
class Laplacian(DistanceKernel):
    """exp(-gamma sum_j |a_j - b_j|)."""

    name = "laplacian"
    distances = ManhattanDistances
    power = 1
    has_gradient = True

    def row_block(self, X):
        X = centred_float32(X)
        if sparse.issparse(X):
            return partial(self.among, X)
        tiles = tiles_of(X)

        def block(rows, columns=None):
            if columns is not None:
                return self.among(X, rows, columns)
            return self.values(tile_distances(X[rows], tiles, len(X)))

        return block

    def gradient(self, X, K, vectors, coefficients):
        """-gamma sum_s c_s k_s sign(x - z_s), where equal numbers count for nothing."""
        weights = K * (-self.gamma * coefficients).astype(K.dtype)
        return sign_sums(X.astype(K.dtype), vectors.astype(K.dtype), weights)


@dataclass(frozen=True)
class Linear(ProductKernel):
    """a'b."""

    name = "linear"
    has_gradient = True
    is_additive = True

    def of_products(self, products):
        return products

    def gradient(self, X, K, vectors, coefficients):
        """sum_s c_s z_s, the same for every row."""
        normal = (coefficients @ vectors).astype(K.dtype)
        return np.tile(normal, (len(X), 1))


@dataclass(frozen=True)
class Polynomial(ProductKernel):
    """(gamma a'b + coef0)^degree."""

    name = "polynomial"

    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0

    def of_products(self, products):
        products *= products.dtype.type(self.gamma)
        products += products.dtype.type(self.coef0)
        return np.power(products, self.degree, out=products)

    def growth(self, products):
        return self.degree * (self.gamma * products + abs(self.coef0)) ** self.degree


@dataclass(frozen=True)
class Sigmoid(ProductKernel):
    """tanh(gamma a'b + coef0)."""

    name = "sigmoid"

    gamma: float = 1.0
    coef0: float = 0.0

    def of_products(self, products):
        products *= products.dtype.type(self.gamma)
        products += products.dtype.type(self.coef0)
        return np.tanh(products, out=products)

    def growth(self, products):
        return self.gamma * products


@dataclass(frozen=True)
class CallableKernel(Kernel):
    """A user's function of two sets of rows, whose values are checked."""

    name = "callable"
    is_storable = False
    trusts_float32 = False

    function: Callable

    def block(self, A, B, dtype=np.float32):
        block = np.asarray(self.function(A, B))
        if block.shape != (A.shape[0], B.shape[0]):
            raise ValueError(
                f"The kernel function returned shape {block.shape} for inputs of "
                f"{A.shape[0]} and {B.shape[0]} rows; return one value for every pair, "
                f"shape {(A.shape[0], B.shape[0])}."
            )
        if not np.isfinite(block).all():
            raise ValueError(
                "The kernel function returned NaN or infinity; an SVM needs finite "
                "kernel values."
            )
        return block.astype(dtype)

    def diagonal(self, X, dtype=np.float64):
        rows = (X[i : i + 1] for i in range(X.shape[0]))
        return np.array([self.block(row, row, dtype)[0, 0] for row in rows], dtype)


@dataclass(frozen=True)
class Precomputed(Kernel):
    """Rows of a Gram matrix: a smaller problem loses columns too."""

    name = "precomputed"
    is_precomputed = True

    def block(self, A, B, dtype=np.float32):
        """Return `A`, whose columns stand for the rows of `B`."""
        return np.asarray(dense(A), dtype=dtype)

    def diagonal(self, X, dtype=np.float64):
        return np.asarray(X, dtype=dtype).diagonal().copy()

    def take(self, X, rows):
        return X[np.ix_(rows, rows)]

    def vectors(self, X, support):
        return np.empty((len(support), 0))

    def facing(self, X, support):
        return X[:, support]

    def among(self, X, rows, columns=None, dtype=np.float32):
        block = X[rows] if columns is None else X[np.ix_(rows, columns)]
        return np.asarray(block, dtype)

    def reach(self, X, vectors):
        return 1.0 + np.abs(X).max(axis=1)


KERNELS = {
    "rbf": Gaussian,
    "laplacian": Laplacian,
    "linear": Linear,
    "poly": Polynomial,
    "polynomial": Polynomial,
    "sigmoid": Sigmoid,
    "precomputed": Precomputed,
}


def kernel_class(kernel):
    """Return the class that a user's `kernel` parameter stands for."""
    if callable(kernel):
        return CallableKernel
    if not isinstance(kernel, str) or kernel not in KERNELS:
        raise ValueError(
            f"kernel={kernel!r} is unknown; use one of {', '.join(KERNELS)} or a "
            "callable."
        )
    return KERNELS[kernel]


def make_kernel(kernel, *, degree=3, coef0=0.0):
    """Return the `Kernel` of a user's parameters, whose gamma is not settled yet."""
    found = kernel_class(kernel)
    known = {"gamma": 1.0, "degree": degree, "coef0": coef0, "function": kernel}
    return found(**{own.name: known[own.name] for own in fields(found)})


def resolve_kernel(kernel, *, gamma, degree, coef0, X, gamma_scale=1.0):
    """Return the same with its gamma settled for the rows `X`; see `width`."""
    made = make_kernel(kernel, degree=degree, coef0=coef0)
    return made.settled(gamma, X, gamma_scale)
