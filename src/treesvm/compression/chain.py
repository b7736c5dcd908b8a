"""The best few columns for many outputs at once, by orthogonal least squares.

A chain without splits is a fixed set of columns for all rows. Adding to it the column
that lowers the squared residuals most, once all coefficients are fitted again, needs no
fit: with q the new column's part outside the chain, of length one, products with the
residuals E and squares of the columns follow by

    W'E  <-  W'E - (K'q)(q'E)        |W_k|^2  <-  |W_k|^2 - (K_k'q)^2

where W is what the chain leaves of the columns K. A step costs one pass over K and one
over the products, so a chain for three hundred machines costs little more than for one.
"""

import numpy as np

from treesvm.compression.column_sums import column_sums
from treesvm.kernels.blas_threads import one_blas_thread

_INDEPENDENT = 1e-7  # least share of a column outside the chain


@one_blas_thread()
def choose_chain(K, targets, length):
    """Return up to `length` columns of `K`, the most useful first.

    Parameters
    ----------
    K : ndarray of shape (n, m), C order
    targets : ndarray of shape (n, n_outputs)
    length : int

    Returns
    -------
    ndarray of int
        Fewer than `length` when no other column is independent of the chain and helps.
        The first k of them are the chain of length k.
    """
    n = len(K)
    basis = np.full((n, 1), 1.0 / np.sqrt(n))  # the constant comes for free
    residual = targets - targets.mean(axis=0)
    products, squares = column_sums(K, residual)
    least = _INDEPENDENT * squares + np.finfo(float).tiny
    squares = squares - (K.T @ basis[:, 0]) ** 2
    chain = []
    while len(chain) < min(length, K.shape[1]):
        usable = squares > least
        usable[chain] = False
        if not usable.any():
            break
        gains = np.einsum("km,km->k", products, products)
        gains = np.where(usable, gains / np.where(usable, squares, 1.0), -1.0)
        k = int(gains.argmax())
        if gains[k] <= 0.0:
            break
        q = K[:, k] - basis @ (basis.T @ K[:, k])
        q -= basis @ (basis.T @ q)  # twice is enough
        q /= np.linalg.norm(q)
        shares = K.T @ q
        products -= np.outer(shares, q @ residual)
        squares = squares - shares**2
        residual = residual - np.outer(q, q @ residual)
        basis = np.column_stack([basis, q])
        chain.append(k)
    return np.array(chain, np.intp)
