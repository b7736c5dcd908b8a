"""Support vectors of many machines in one array, dense or sparse.

Dense vectors keep their memory order: sums over a matrix in Fortran order round
differently, and a model that was loaded answers to the last bit as before.
"""

import numpy as np
from scipy import sparse

from treesvm.files.checked_arrays import edges_of, pieces_of
from treesvm.files.failures import require

_SPARSE = {"csr_matrix": sparse.csr_matrix, "csr_array": sparse.csr_array}
_SPARSE_BYTES = 2**15  # what the objects of one sparse matrix take, generously


def write_vectors(vectors, arrays):
    """Put a list of matrices into `arrays`; return the name of their kind."""
    if sparse.issparse(vectors[0]):
        vectors = [matrix.tocsr() for matrix in vectors]
        row_sizes = [np.diff(matrix.indptr) for matrix in vectors]
        indices = [matrix.indices for matrix in vectors]
        arrays["vectors.row_sizes"] = np.concatenate(row_sizes).astype(np.int32)
        arrays["vectors.indices"] = np.concatenate(indices).astype(np.int32)
        arrays["vectors.data"] = np.concatenate([m.data for m in vectors])
        is_array = isinstance(vectors[0], sparse.csr_array)
        return "csr_array" if is_array else "csr_matrix"
    is_fortran = [_is_fortran(matrix) for matrix in vectors]
    flat = [
        matrix.ravel("F" if fortran else "C")
        for matrix, fortran in zip(vectors, is_fortran, strict=True)
    ]
    arrays["vectors.dense"] = np.concatenate(flat)
    arrays["vectors.is_fortran"] = np.array(is_fortran)
    return "dense"


def _is_fortran(matrix):
    return matrix.flags.f_contiguous and not matrix.flags.c_contiguous


def read_vectors(kind, arrays, shapes):
    """Return the matrices; `shapes` has a row for each of them."""
    if kind == "dense":
        return _read_dense(arrays, shapes)
    require(kind in _SPARSE, f"its support vectors are of unknown kind {kind!r:.50}")
    return _read_sparse(_SPARSE[kind], arrays, shapes)


def _read_dense(arrays, shapes):
    flat = arrays.take("vectors.dense", "f4 f8", (None,))
    orders = arrays.take("vectors.is_fortran", "b1", (len(shapes),))
    areas = shapes[:, 0].astype(float) * shapes[:, 1]
    pieces = pieces_of(flat, areas, "its support vectors")
    return [
        piece.reshape(shape, order="F" if is_fortran else "C")
        for piece, shape, is_fortran in zip(pieces, shapes, orders, strict=True)
    ]


def _read_sparse(make, arrays, shapes):
    arrays.charge(_SPARSE_BYTES * len(shapes))
    data = arrays.take("vectors.data", "f4 f8", (None,))
    indices = arrays.take("vectors.indices", "i4", data.shape, low=0)
    row_sizes = arrays.take("vectors.row_sizes", "i4", (None,), low=0)
    rows = edges_of(shapes[:, 0], len(row_sizes), "its support vectors")
    entries = edges_of(row_sizes, len(data), "the entries of its support vectors")
    matrices = []
    for k, (n_rows, width) in enumerate(shapes):
        own = entries[rows[k] : rows[k + 1] + 1]
        first, last = own[0], own[-1]
        columns = indices[first:last]
        require(
            len(columns) == 0 or columns.max() < width,
            "an entry of a support vector is beyond its width",
        )
        parts = (data[first:last], columns, (own - first).astype(np.int32))
        matrices.append(make(parts, shape=(int(n_rows), int(width))))
    return matrices
