"""Kernel functions as values: a name, its parameters, and blocks by BLAS.

rbf         exp(-gamma |a - b|^2)
linear      a'b
polynomial  (gamma a'b + coef0)^degree
sigmoid     tanh(gamma a'b + coef0)
callable    function(A, B) -> array of shape (len(A), len(B))
precomputed the rows are already rows of a Gram matrix
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

ALIASES = {"poly": "polynomial"}
NAMES = ("rbf", "linear", "polynomial", "sigmoid", "precomputed")

# Rows of a CSR matrix are multiplied as dense ones when at least this share of their
# entries is stored: BLAS is then faster than a sparse product.
_DENSE_SHARE = 0.05
_DENSE_BYTES = 512 * 2**20
LARGEST_GAMMA = 1e37  # twice as much is still finite in float32


@dataclass(frozen=True)
class Kernel:
    """A kernel with its parameters settled to numbers.

    Parameters
    ----------
    name : str
        One of `NAMES`, or "callable".
    gamma, coef0 : float
    degree : int
    function : callable, optional
        For ``name="callable"``: maps (A, B) to their kernel block.
    """

    name: str = "rbf"
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    function: Callable | None = None

    def block(self, A, B, dtype=np.float32):
        """Return the kernel of every row of `A` with every row of `B`.

        Parameters
        ----------
        A, B : ndarray or CSR matrix of shape (n, n_features) and (m, n_features)
            For "precomputed", `A` holds rows of the Gram matrix and `B` is ignored.
        dtype : float32 or float64
            Precision of the computation and of the result.

        Returns
        -------
        ndarray of shape (n, m)
        """
        if self.name == "precomputed":
            return np.asarray(A, dtype=dtype)
        if self.name == "callable":
            return self._called(A, B, dtype)
        products = inner_products(A, B, dtype)
        if self.name == "rbf":
            distances = _distances_from_products(products, A, B, dtype)
            return rbf_in_place(distances, self.gamma)
        return self._of_products(products)

    def _of_products(self, products):
        """Apply a kernel of inner products in place."""
        if self.name == "linear":
            return products
        products *= products.dtype.type(self.gamma)
        products += products.dtype.type(self.coef0)
        if self.name == "sigmoid":
            return np.tanh(products, out=products)
        return np.power(products, self.degree, out=products)

    def _called(self, A, B, dtype):
        """Call the user's function and check what it returns."""
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

    def with_gamma(self, gamma):
        """Return the same kernel with another gamma."""
        return replace(self, gamma=float(gamma))

    def diagonal(self, X, dtype=np.float64):
        """Return k(x, x) for every row of `X`."""
        if self.name == "rbf":
            return np.ones(X.shape[0], dtype)
        if self.name == "precomputed":
            return np.asarray(X, dtype=dtype).diagonal().copy()
        if self.name == "callable":
            parts = [
                self._called(X[i : i + 1], X[i : i + 1], dtype)[0, 0]
                for i in range(X.shape[0])
            ]
            return np.array(parts, dtype)
        return self._of_products(squared_norms(X, dtype))


def resolve_kernel(kernel, *, gamma, degree, coef0, X):
    """Turn scikit-learn's kernel parameters into a `Kernel` for the rows `X`.

    ``gamma="scale"`` is 1 / (n_features * variance of X) and ``"auto"`` is
    1 / n_features, as in `sklearn.svm.SVC`.
    """
    gamma = resolve_gamma(gamma, X)
    if callable(kernel):
        return Kernel("callable", gamma, degree, coef0, kernel)
    name = ALIASES.get(kernel, kernel)
    if name not in NAMES:
        raise ValueError(
            f"kernel={kernel!r} is unknown; use one of {', '.join(NAMES)} or a "
            "callable."
        )
    if name in ("linear", "precomputed"):
        gamma = min(gamma, LARGEST_GAMMA)  # which they do not use
    elif not gamma <= LARGEST_GAMMA:
        raise ValueError(
            f"gamma={gamma:.3g} is not possible; it is at most {LARGEST_GAMMA:.0e}. If "
            "the features are tiny, scale them (StandardScaler, MinMaxScaler)."
        )
    return Kernel(name, gamma, degree, coef0)


def resolve_gamma(gamma, X):
    """Return the number that ``gamma`` stands for on the rows `X`."""
    if isinstance(gamma, str):
        if gamma == "auto":
            return 1.0 / X.shape[1]
        if gamma == "scale":
            if sparse.issparse(X):
                variance = X.multiply(X).mean() - X.mean() ** 2
            else:
                variance = np.var(X, dtype=np.float64)
            if variance > 0:
                return 1.0 / float(X.shape[1] * variance)
            # The variance of tiny features is not the zero that it is rounded to.
            return np.inf if X.size and X.max() > X.min() else 1.0
        raise ValueError(
            f"gamma={gamma!r} is unknown; use 'scale', 'auto' or a number."
        )
    return float(gamma)


def inner_products(A, B, dtype=np.float32):
    """Return ``A @ B.T`` as a dense array."""
    A, B = as_rows(A, dtype), as_rows(B, dtype)
    products = A @ B.T
    if sparse.issparse(products):
        products = products.toarray()
    return np.ascontiguousarray(products, dtype=dtype)


def as_rows(X, dtype):
    """Return `X` in `dtype`, dense when it is dense enough to profit from BLAS."""
    if not sparse.issparse(X):
        return np.asarray(X, dtype=dtype)
    size = X.shape[0] * X.shape[1]
    small = size * np.dtype(dtype).itemsize <= _DENSE_BYTES
    if small and X.nnz >= _DENSE_SHARE * size:
        return X.toarray().astype(dtype, copy=False)
    return X.astype(dtype, copy=False)


def squared_norms(X, dtype=np.float32):
    """Return the squared length of every row."""
    if sparse.issparse(X):
        X = X.astype(dtype, copy=False)
        return np.asarray(X.multiply(X).sum(axis=1), dtype=dtype).ravel()
    X = np.asarray(X, dtype=dtype)
    return np.einsum("ij,ij->i", X, X)


def _distances_from_products(products, A, B, dtype):
    """Turn inner products into squared distances, in place."""
    products *= -2
    products += squared_norms(A, dtype)[:, None]
    products += squared_norms(B, dtype)
    return np.maximum(products, 0, out=products)


def rbf_in_place(distances, gamma):
    """Replace squared distances by exp(-gamma d)."""
    distances *= distances.dtype.type(-gamma)
    return np.exp(distances, out=distances)


def exponent_factors(X, gamma, dtype=np.float32):
    """Return two sets of rows (left, right) for exponents of an RBF kernel.

    The inner product of a left and a right row is -gamma |a - b|^2: norms as further
    columns leave nothing to do between the matrix product and exp.
    """
    if not sparse.issparse(X):
        return left_factors(X, gamma, dtype), right_factors(X, gamma, dtype)
    norms = (-gamma * squared_norms(X, dtype)).astype(dtype)[:, None]
    ones = np.ones_like(norms)
    left = sparse.hstack([X * (2 * gamma), norms, ones], "csr", dtype)
    return left, sparse.hstack([X, ones, norms], "csr", dtype)


def left_factors(X, gamma, dtype=np.float32):
    """Return the left half of `exponent_factors` for dense rows."""
    n_rows, width = X.shape
    out = np.empty((n_rows, width + 2), dtype)
    np.multiply(np.asarray(X, dtype), dtype(2 * gamma), out=out[:, :width])
    np.multiply(squared_norms(X, dtype), dtype(-gamma), out=out[:, width])
    out[:, width + 1] = 1
    return out


def right_factors(X, gamma, dtype=np.float32):
    """Return the right half of `exponent_factors` for dense rows."""
    n_rows, width = X.shape
    out = np.empty((n_rows, width + 2), dtype)
    out[:, :width] = X
    out[:, width] = 1
    np.multiply(squared_norms(X, dtype), dtype(-gamma), out=out[:, width + 1])
    return out


def exp_of_products(products):
    """Turn the inner products of exponent factors into kernel values, in place."""
    np.minimum(products, 0, out=products)
    return np.exp(products, out=products)
