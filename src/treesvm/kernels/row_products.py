"""Inner products and norms of rows, dense or sparse."""

import numpy as np
from scipy import sparse

# Rows of a CSR matrix are multiplied as dense ones when at least this share of their
# entries is stored: BLAS is then faster than a sparse product.
_DENSE_SHARE = 0.05
_DENSE_BYTES = 512 * 2**20


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


def centred_float32(X):
    """Rows in float32, centred where that is free: it saves digits of distances."""
    X = as_rows(X, X.dtype)
    if sparse.issparse(X):
        return X.astype(np.float32, copy=False)
    out, mean = np.empty(X.shape, np.float32), X.mean(axis=0, dtype=np.float64)
    return np.subtract(X, mean, out=out, dtype=np.float64, casting="same_kind")


def squared_norms(X, dtype=np.float32):
    """Return the squared length of every row."""
    if sparse.issparse(X):
        X = X.astype(dtype, copy=False)
        return np.asarray(X.multiply(X).sum(axis=1), dtype=dtype).ravel()
    X = np.asarray(X, dtype=dtype)
    return np.einsum("ij,ij->i", X, X)
