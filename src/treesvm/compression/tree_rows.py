"""The rows D that a support vector tree is grown on."""

import numpy as np
from scipy import sparse


def distinct_rows(X):
    """Return the distinct rows of `X`, in an order that does not depend on theirs."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(np.unique(X, axis=0))
    X = X.tocsr(copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    first = {}
    for i in range(X.shape[0]):
        own = slice(X.indptr[i], X.indptr[i + 1])
        key = X.indices[own].tobytes() + b"|" + X.data[own].tobytes()
        first.setdefault(key, i)
    return X[[first[key] for key in sorted(first)]]


def object_rows(X):
    """Return a sequence of any objects as a 1-D array."""
    if isinstance(X, (str, bytes)):
        raise ValueError("X is a single text; give a list of objects.")
    objects = list(X)
    if not objects:
        raise ValueError("X holds no objects; give at least one.")
    rows = np.empty(len(objects), dtype=object)
    rows[:] = objects
    return rows
