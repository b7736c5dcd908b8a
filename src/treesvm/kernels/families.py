"""What machines, solvers, compression and files ask of a kernel, and the two families.

A kernel is a small frozen value: its class is the formula, its fields are the numbers.
`Kernel` is the seam; nobody above this room looks at a kernel's name.  Distance kernels
are a function of a distance matrix that all gammas share, product kernels a function of
inner products.
"""

from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from treesvm.kernels.exponential import exp_minus_one, exp_minus_one_float32
from treesvm.kernels.row_products import (
    as_rows,
    centred_float32,
    inner_products,
    squared_norms,
)
from treesvm.kernels.width import settle_gamma

BLOCK_BYTES = 64 * 2**20  # kernel values held at once


@dataclass(frozen=True)
class Kernel:
    """A kernel with its parameters settled to numbers.

    A subclass defines `block` and `diagonal`, and of the rest what it does better.
    Rows are a dense array, a CSR matrix, or what a callable understands.
    """

    name: ClassVar[Any] = None  # in parameters, messages and model files
    gamma = 1.0  # of kernels without a width
    is_precomputed = False  # rows are rows of a Gram matrix, and there are no vectors
    is_storable = True  # a name and numbers say everything
    trusts_float32 = True  # values in float32 are those in float64, rounded
    is_normalised = False  # k(x, x) = 1
    # Of |x_j - z_j| in exp(-gamma sum_j), where that is the kernel: for compiled code.
    power: ClassVar[int | None] = None
    has_free_vectors = False  # `compression` knows gradients by its vectors
    has_gradient = False  # there is `gradient`
    is_additive = False  # a sum over features, in which an absent one adds nothing

    def block(self, A, B, dtype=np.float32):
        """Return the kernel of every row of `A` with every row of `B`.

        Parameters
        ----------
        A, B : ndarray or CSR matrix of shape (n, n_features) and (m, n_features)
        dtype : float32 or float64
            Precision of the computation and of the result.

        Returns
        -------
        ndarray of shape (n, m), contiguous
        """
        raise NotImplementedError

    def diagonal(self, X, dtype=np.float64):
        """Return k(x, x) for every row of `X`."""
        raise NotImplementedError

    @property
    def has_gamma(self):
        """Whether gamma is one of its numbers."""
        return "gamma" in {own.name for own in fields(self)}

    def with_gamma(self, gamma):
        """Return the same kernel with another gamma, if it has one."""
        return replace(self, gamma=float(gamma)) if self.has_gamma else self

    def settled(self, gamma, X, gamma_scale=1.0):
        """Return the same kernel with the gamma that a word or number stands for."""
        if not self.has_gamma:
            return self
        return self.with_gamma(settle_gamma(self, gamma, X, gamma_scale))

    def typical_size(self, X):
        """Return the size that gamma="median" divides by; one if there is none."""
        return 1.0

    def take(self, X, rows):
        """Return the training rows of a smaller problem."""
        return X[rows]

    def vectors(self, X, support):
        """Return what a machine stores of its support vectors."""
        return X[support]

    def facing(self, X, support):
        """Return what rows `X` need to be compared with stored support vectors."""
        return X

    def among(self, X, rows, columns=None, dtype=np.float32):
        """Return the kernel of some rows of `X` with others of them, or with all."""
        return self.block(X[rows], X if columns is None else X[columns], dtype)

    def row_block(self, X):
        """Return a function ``block(rows, columns=None)``: `among`, prepared for many.

        Its values are float32.
        """
        return partial(self.among, X)

    def gram(self, X):
        """Return the `Gram` of training rows, for this kernel with any gamma."""
        return Gram(X)

    def stored_block(self, X, vectors, support, dtype):
        """Return the kernel of rows with the stored vectors of a machine."""
        return self.block(self.facing(X, support), vectors, dtype)

    def blocks(self, X, vectors, support, dtype):
        """Yield slices of rows and their `stored_block`, in bounded memory."""
        step = rows_at_once(BLOCK_BYTES, len(support), dtype)
        for start in range(0, X.shape[0], step):
            rows = slice(start, start + step)
            yield rows, self.stored_block(X[rows], vectors, support, dtype)

    def gradient(self, X, K, vectors, coefficients):
        """Return the gradient of ``K @ coefficients`` by every row of `X`.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
        K : ndarray of shape (n, n_vectors), float32 or float64
            The kernel of the rows with the vectors; its precision is the result's.
        vectors : ndarray of shape (n_vectors, n_features)
        coefficients : ndarray of shape (n_vectors,)

        Returns
        -------
        ndarray of shape (n, n_features)
        """
        raise NotImplementedError

    def reach(self, X, vectors):
        """Return by how many rounding units the values of each row, or all, may be off.

        `X` holds rows as `facing` returns them.  One unit, unless values can be large.
        """
        return np.ones(1)

    def row_reach(self, X):
        """Return the same for values among the rows of `X`, by each row's own size.

        The value of two rows is off by the smaller of theirs, about: rows of unlike
        size are far apart, and a distance kernel of them is next to nothing.
        """
        return np.full(X.shape[0], self.reach(X, X).max())

    def as_json(self):
        """Return name and numbers, for a model file."""
        return {"name": self.name, **asdict(self)}


class Gram:
    """Kernel values among the rows of one part, for one gamma after the other."""

    def __init__(self, X):
        self._X = X

    def matrix(self, kernel, is_last=False):
        """Return the Gram matrix in float32, up to an additive constant.

        An SVM dual does not change when a constant is added.

        Parameters
        ----------
        kernel : Kernel
            The one that made this, with any gamma.
        is_last : bool
            No other matrix will be wanted: what they share may be overwritten.  The
            matrix is valid until the next one.
        """
        return np.ascontiguousarray(kernel.block(self._X, self._X))

    def exact(self, kernel, rows, columns):
        """Return a float64 block of the same matrix."""
        return kernel.among(self._X, rows, columns, np.float64)

    def to_queries(self, Q):
        """Return a function from a kernel to the float64 values of `Q` with the rows.

        Up to the same constant.
        """
        return lambda kernel: kernel.block(Q, self._X, np.float64)


class DistanceGram:
    """The same for a distance kernel: distances are computed once for all gammas.

    The constant is minus one: it keeps the digits of small gammas.
    """

    def __init__(self, distances):
        self._distances, self._scratch = distances, None

    def matrix(self, kernel, is_last=False):
        """Return k - 1 in float32."""
        shared = self._distances.matrix
        if is_last:
            return kernel.minus_one(shared, shared)
        if self._scratch is None:
            self._scratch = np.empty_like(shared)
        return kernel.minus_one(shared, self._scratch)

    def exact(self, kernel, rows, columns):
        """Return a float64 block of k - 1, from float64 distances."""
        block = self._distances.exact(rows, columns)
        return kernel.minus_one(block, block)

    def to_queries(self, Q):
        """Return a function from a kernel to k - 1 of `Q` with the rows, in float64."""
        found = self._distances.to_queries(Q)
        return lambda kernel: kernel.minus_one(found, np.empty_like(found))


@dataclass(frozen=True)
class DistanceKernel(Kernel):
    """exp(-gamma d) for a distance d that a subclass names.

    One that falls in another way than the exponential defines `values` and `minus_one`
    too.
    """

    distances: ClassVar[Any] = None  # a class like `Distances`
    is_normalised = True

    gamma: float = 1.0

    def values(self, distances):
        """Replace distances, float32 or float64, by kernel values."""
        distances *= distances.dtype.type(-self.gamma)
        return np.exp(distances, out=distances)

    def minus_one(self, distances, out):
        """Write k - 1 to `out`, which may be the distances, without loss of digits."""
        if distances.dtype == np.float32:
            return exp_minus_one_float32(distances, self.gamma, out)
        np.multiply(distances, self.gamma, out=out)
        return exp_minus_one(out)

    def typical_size(self, X):
        """Return the median distance between rows."""
        found = self.distances.block(X, X, np.float64)
        apart = found[np.triu_indices(len(found), 1)]
        # Where most rows are equal, those that differ say how far rows are apart.
        middle = np.median(apart) if len(apart) else 0.0
        if middle <= 0.0 and (apart > 0.0).any():
            middle = np.median(apart[apart > 0.0])
        return float(middle)

    def block(self, A, B, dtype=np.float32):
        return self.values(self.distances.block(A, B, dtype))

    def diagonal(self, X, dtype=np.float64):
        return np.ones(X.shape[0], dtype)

    def gram(self, X):
        return DistanceGram(self.distances(X))

    def row_block(self, X):
        return partial(self.among, centred_float32(X))

    def stored_block(self, X, vectors, support, dtype):
        if not sparse.issparse(vectors):  # distances keep more digits near zero
            centre = vectors.mean(axis=0)
            X, vectors = dense(X) - centre, vectors - centre
        return self.block(X, vectors, dtype)

    def reach(self, X, vectors):
        return self.row_reach(vectors).max(keepdims=True)

    def row_reach(self, X):
        return 1.0 + self.gamma * self.distances.sizes(X)


@dataclass(frozen=True)
class ProductKernel(Kernel):
    """A function of the inner product."""

    def of_products(self, products):
        """Replace inner products, float32 or float64, by kernel values."""
        raise NotImplementedError

    def growth(self, products):
        """Return how large the values, and so their rounding errors, can be."""
        return products

    def typical_size(self, X):
        """Return the median squared length of rows."""
        return float(np.median(squared_norms(X, np.float64)))

    def block(self, A, B, dtype=np.float32):
        return self.of_products(inner_products(A, B, dtype))

    def diagonal(self, X, dtype=np.float64):
        return self.of_products(squared_norms(X, dtype))

    def row_block(self, X):
        return partial(self.among, as_rows(X, np.float32))

    def reach(self, X, vectors):
        longest = squared_norms(vectors, np.float64).max()
        return 1.0 + self.growth(np.sqrt(squared_norms(X, np.float64) * longest))


def rows_at_once(n_bytes, n_vectors, dtype):
    """How many rows of kernel values fit some memory."""
    return max(1, n_bytes // (np.dtype(dtype).itemsize * (n_vectors + 1)))


def dense(X):
    """Return rows as an array."""
    return X.toarray() if sparse.issparse(X) else X
