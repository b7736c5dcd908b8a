"""One way for compiled code to read rows, dense or sparse.

`row_arrays` turns X into a tuple: ``(X,)`` for a dense array in C order, or ``(data,
indices, indptr)`` for CSR with sorted indices. The functions below take that tuple.
Numba picks the body by the length of the tuple when it compiles a caller, so a solver
is written once and neither form pays for the other.
"""

import numpy as np
from numba.extending import overload
from scipy import sparse

from treesvm.inputs.sparse_structure import check_structure

# Reassociation lets sums run in vector lanes. It is safe here: inputs are finite, and
# every caller sums through these functions, so equal rows always get equal values.
_FAST_SUM = {"fastmath": {"reassoc", "contract"}, "nogil": True}
_PLAIN = {"nogil": True}


def canonical_rows(X):
    """Return `X`; a sparse one as CSR whose rows name every feature once, ascending.

    Indices have 32 bits if so many suffice: SciPy makes 64-bit ones when it joins large
    matrices, and keeps them. The matrix given stays as it is.
    """
    if not sparse.issparse(X):
        return X
    check_structure(X)
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype == np.int32 or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    indices, starts = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sparse.csr_matrix((X.data, indices, starts), shape=X.shape)


def row_matrix(X):
    """Return X as compiled code reads it, without a copy where possible.

    A float32 or float64 array in C order (other types become float64), or a CSR matrix
    with sorted indices.
    """
    if not sparse.issparse(X):
        dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
        return np.ascontiguousarray(X, dtype=dtype)
    X = X.tocsr()
    return X if X.has_sorted_indices else X.sorted_indices()


def row_arrays(X):
    """Return the tuple that the compiled functions take for X."""
    X = row_matrix(X)
    return (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)


def n_rows_of(rows):
    """Return the number of rows (compiled code only)."""
    raise NotImplementedError


def row_dot(rows, i, w):
    """Return ``w @ x_i``, summed in the type of w (compiled code only)."""
    raise NotImplementedError


def row_add(rows, i, step, w):
    """Add ``step * x_i`` to w in place (compiled code only)."""
    raise NotImplementedError


def row_norm2(rows, i):
    """Return ``x_i @ x_i`` (compiled code only)."""
    raise NotImplementedError


def row_entry(rows, i, j):
    """Return feature j of row i (compiled code only)."""
    raise NotImplementedError


@overload(n_rows_of, jit_options=_PLAIN)
def _n_rows_of(rows):
    if len(rows) == 1:
        return lambda rows: rows[0].shape[0]
    return lambda rows: len(rows[2]) - 1


@overload(row_dot, jit_options=_FAST_SUM)
def _row_dot(rows, i, w):
    if len(rows) == 1:

        def dense(rows, i, w):
            x = rows[0][i]
            total = w.dtype.type(0)
            for j in range(len(w)):
                total += w[j] * w.dtype.type(x[j])
            return total

        return dense

    def csr(rows, i, w):
        data, indices, indptr = rows
        total = w.dtype.type(0)
        for t in range(indptr[i], indptr[i + 1]):
            total += w[indices[t]] * w.dtype.type(data[t])
        return total

    return csr


@overload(row_add, jit_options=_FAST_SUM)
def _row_add(rows, i, step, w):
    if len(rows) == 1:

        def dense(rows, i, step, w):
            x = rows[0][i]
            factor = w.dtype.type(step)
            for j in range(len(w)):
                w[j] += factor * w.dtype.type(x[j])

        return dense

    def csr(rows, i, step, w):
        data, indices, indptr = rows
        factor = w.dtype.type(step)
        for t in range(indptr[i], indptr[i + 1]):
            w[indices[t]] += factor * w.dtype.type(data[t])

    return csr


@overload(row_norm2, jit_options=_FAST_SUM)
def _row_norm2(rows, i):
    if len(rows) == 1:

        def dense(rows, i):
            total = 0.0
            for value in rows[0][i]:
                total += np.float64(value) * np.float64(value)
            return total

        return dense

    def csr(rows, i):
        data, _, indptr = rows
        total = 0.0
        for t in range(indptr[i], indptr[i + 1]):
            total += np.float64(data[t]) * np.float64(data[t])
        return total

    return csr


@overload(row_entry, jit_options=_PLAIN)
def _row_entry(rows, i, j):
    if len(rows) == 1:
        return lambda rows, i, j: rows[0][i, j]

    def csr(rows, i, j):
        data, indices, indptr = rows
        low, high = indptr[i], indptr[i + 1]
        while low < high:
            middle = (low + high) // 2
            if indices[middle] < j:
                low = middle + 1
            else:
                high = middle
        if low < indptr[i + 1] and indices[low] == j:
            return data[low]
        return data.dtype.type(0)

    return csr
