"""Weighted second moments of rows, dense or sparse, for compiled and for Python code.

`bordered_moments` fills the matrix of (x - shift, 1)(x - shift, 1)' summed over the
rows with weights. Dense rows go through BLAS; of sparse rows only the stored entries
are touched, and the shift is taken off afterwards.
"""

import numpy as np
from numba.extending import overload

from treesvm.kernels.compiling import compiled


def add_squares(rows, weight, out):
    """Write ``X' diag(weight) X`` to `out` (compiled code only)."""
    raise NotImplementedError


def add_rows(rows, weight, out):
    """Write ``X' weight`` to `out` (compiled code only)."""
    raise NotImplementedError


@overload(add_squares, jit_options={"nogil": True})
def _add_squares(rows, weight, out):
    if len(rows) == 1:

        def dense(rows, weight, out):
            # One factor twice, so that rounding keeps the matrix symmetric.
            scaled = np.empty(rows[0].shape)
            for i in range(len(weight)):
                root = np.sqrt(weight[i])
                for j in range(scaled.shape[1]):
                    scaled[i, j] = root * rows[0][i, j]
            out[:] = np.dot(scaled.T, scaled)

        return dense

    def csr(rows, weight, out):
        data, indices, indptr = rows
        out[:] = 0.0
        for i in range(len(weight)):
            for s in range(indptr[i], indptr[i + 1]):
                value = weight[i] * data[s]
                for t in range(indptr[i], indptr[i + 1]):
                    out[indices[s], indices[t]] += value * data[t]

    return csr


@overload(add_rows, jit_options={"nogil": True})
def _add_rows(rows, weight, out):
    if len(rows) == 1:

        def dense(rows, weight, out):
            out[:] = 0.0
            for i in range(len(weight)):
                for j in range(len(out)):
                    out[j] += weight[i] * rows[0][i, j]

        return dense

    def csr(rows, weight, out):
        data, indices, indptr = rows
        out[:] = 0.0
        for i in range(len(weight)):
            for t in range(indptr[i], indptr[i + 1]):
                out[indices[t]] += weight[i] * data[t]

    return csr


@compiled
def bordered_moments(rows, weight, shift, out):
    """Write the second moments of (x - shift, 1) to `out`, shape (r + 1, r + 1)."""
    r, total = len(shift), weight.sum()
    squares, first = np.empty((r, r)), np.empty(r)
    add_squares(rows, weight, squares)
    add_rows(rows, weight, first)
    first -= total * shift
    for j in range(r):
        for k in range(r):
            out[j, k] = squares[j, k] - first[j] * shift[k] - shift[j] * first[k]
            out[j, k] -= total * shift[j] * shift[k]
        out[j, r] = out[r, j] = first[j]
    out[r, r] = total


@compiled
def shifted_sum(rows, weight, shift, out):
    """Write the sum of weight (x - shift, 1) to `out`, shape (r + 1,)."""
    r = len(shift)
    add_rows(rows, weight, out[:r])
    out[r] = weight.sum()
    for j in range(r):
        out[j] -= out[r] * shift[j]
