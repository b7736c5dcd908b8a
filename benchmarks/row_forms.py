"""The ways in which the same numbers can be held in memory.

Values that float32 holds exactly, halved too, are the same numbers in all of `FORMS`.
"""

import numpy as np
import pandas as pd
from scipy import sparse


def _twice_and_unsorted(X, _):
    """CSR that names every value twice, as its halves, in descending order."""
    rows = sparse.csr_matrix(X)
    data, indices = [], []
    for i in range(X.shape[0]):
        own = slice(rows.indptr[i], rows.indptr[i + 1])
        indices += [*rows.indices[own][::-1], *rows.indices[own]]
        data += [*rows.data[own][::-1] / 2, *rows.data[own] / 2]
    return sparse.csr_matrix((data, indices, 2 * rows.indptr), shape=X.shape)


def _with_wide_indices(X, _):
    rows = sparse.csr_matrix(X)
    rows.indices, rows.indptr = rows.indices.astype("i8"), rows.indptr.astype("i8")
    return rows


def _read_only(X, _):
    X = X.copy()
    X.flags.writeable = False
    return X


def _memory_mapped(X, folder):
    np.save(folder / "rows.npy", X)
    return np.load(folder / "rows.npy", mmap_mode="r")


# Each takes dense float64 rows and a folder.
FORMS = {
    "fortran": lambda X, _: np.asfortranarray(X),
    "csr": lambda X, _: sparse.csr_matrix(X),
    "twice and unsorted": _twice_and_unsorted,
    "64-bit indices": _with_wide_indices,
    "csc": lambda X, _: sparse.csc_matrix(X),
    "coo": lambda X, _: sparse.coo_matrix(X),
    "csr array": lambda X, _: sparse.csr_array(X),
    "coo array": lambda X, _: sparse.coo_array(X),
    "csr float32": lambda X, _: sparse.csr_matrix(X.astype(np.float32)),
    "frame": lambda X, _: pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])]),
    "float32": lambda X, _: X.astype(np.float32),
    "read-only": _read_only,
    "strided": lambda X, _: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "memory-mapped": _memory_mapped,
    "big-endian": lambda X, _: X.astype(">f8"),
}
