"""Exponents of a Gaussian kernel as inner products of longer rows.

The inner product of a left and a right row is -gamma |a - b|^2: norms as further
columns leave nothing to do between the matrix product and exp.
"""

import numpy as np
from scipy import sparse

from treesvm.kernels.row_products import squared_norms


def exponent_factors(X, gamma, dtype=np.float32):
    """Return left and right factors of rows, dense or sparse."""
    if not sparse.issparse(X):
        return left_factors(X, gamma, dtype), right_factors(X, gamma, dtype)
    norms = (-gamma * squared_norms(X, dtype)).astype(dtype)[:, None]
    ones = np.ones_like(norms)
    left = sparse.hstack([X * (2 * gamma), norms, ones], "csr", dtype)
    return left, sparse.hstack([X, ones, norms], "csr", dtype)


def left_factors(X, gamma, dtype=np.float32):
    """Return the left factors of dense rows."""
    n_rows, width = X.shape
    out = np.empty((n_rows, width + 2), dtype)
    np.multiply(np.asarray(X, dtype), dtype(2 * gamma), out=out[:, :width])
    np.multiply(squared_norms(X, dtype), dtype(-gamma), out=out[:, width])
    out[:, width + 1] = 1
    return out


def right_factors(X, gamma, dtype=np.float32):
    """Return the right factors of dense rows."""
    n_rows, width = X.shape
    out = np.empty((n_rows, width + 2), dtype)
    out[:, :width] = X
    out[:, width] = 1
    np.multiply(squared_norms(X, dtype), dtype(-gamma), out=out[:, width + 1])
    return out


def exp_of_products(products):
    """Turn the inner products of exponent factors into kernel values, in place."""
    # NumPy compares with a row by vector instructions, with a number one by one.
    np.minimum(products, np.zeros(products.shape[1], products.dtype), out=products)
    return np.exp(products, out=products)
