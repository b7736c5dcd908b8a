"""Rows, forms, labels, weights and parameters, ordinary and hostile.

The first entry of each table is the ordinary one.
"""

import numpy as np
import pandas as pd
from scipy import sparse

from benchmarks.row_forms import FORMS

_NAN, _INF = float("nan"), float("inf")


def _plain(rng, n, d):
    """Multiples of 1/1024, which float32 holds, off the middle and with zeros."""
    X = np.round(1024 * rng.normal(size=(n, d))) / 1024 - 1.0
    X[rng.random(X.shape) < 0.2] = 0.0
    return X


def _scaled(factor):
    return lambda rng, n, d: _plain(rng, n, d) * factor


def _with(value):
    """Rows with one value in the middle."""

    def make(rng, n, d):
        X = _plain(rng, n, d)
        X[n // 2, d // 2] = value
        return X

    return make


def _few_distinct(rng, n, d):
    return _plain(rng, 3, d)[rng.integers(0, 3, n)]


def _mixed_scales(rng, n, d):
    return _plain(rng, n, d) * 10.0 ** rng.integers(-12, 13, d)


def _constant_column(rng, n, d):
    X = _plain(rng, n, d)
    X[:, -1] = 7.0
    return X


def _far_away(rng, n, d):
    return _plain(rng, n, d) + 2.0**30


VALUES = {
    "plain": _plain,
    "huge": _scaled(1e150),
    "as large as can be": _scaled(1e307),
    "tiny": _scaled(1e-160),
    "denormal": _scaled(5e-324),
    "large": _scaled(2.0**40),
    "small": _scaled(2.0**-40),
    "NaN": _with(_NAN),
    "infinite": _with(_INF),
    "outlier": _with(1e30),
    "few distinct": _few_distinct,
    "all equal": lambda rng, n, d: np.full((n, d), 3.0),
    "all zero": lambda rng, n, d: np.zeros((n, d)),
    "mixed scales": _mixed_scales,
    "constant column": _constant_column,
    "far away": _far_away,
}


def _out_of_range(X, _):
    rows = sparse.csr_matrix(X)
    rows.indices = rows.indices.copy()
    if len(rows.indices):
        rows.indices[0] = 10**6
    return rows


def _negative_indices(X, _):
    rows = sparse.csr_matrix(X)
    rows.indices = -1 - rows.indices
    return rows


def _torn(X, _):
    """CSR that ends before its last row does."""
    rows = sparse.csr_matrix(X)
    rows.data = rows.data[: len(rows.data) // 2]
    return rows


def _structured(X, _):
    return np.array(
        [tuple(row) for row in X], [(f"f{j}", "f8") for j in range(X.shape[1])]
    )


FORMS_OF_ALL_KINDS = {
    "dense": lambda X, _: X,
    **FORMS,
    "lists": lambda X, _: X.tolist(),
    "objects": lambda X, _: X.astype(object),
    "booleans": lambda X, _: X > 0,
    "int8": lambda X, _: np.nan_to_num(np.clip(X, -100, 100)).astype(np.int8),
    "uint64": lambda X, _: np.nan_to_num(np.clip(X, 0, 100)).astype(np.uint64),
    "float16": lambda X, _: X.astype(np.float16),
    "long double": lambda X, _: X.astype(np.longdouble),
    "complex": lambda X, _: X + 1j,
    "dates": lambda X, _: np.zeros(X.shape, "datetime64[s]"),
    "words": lambda X, _: np.full(X.shape, "word"),
    "digits": lambda X, _: X.astype(str),
    "masked": lambda X, _: np.ma.masked_array(X, X > 0),
    "matrix": lambda X, _: np.matrix(X),
    "three dimensions": lambda X, _: X[:, :, None],
    "one dimension": lambda X, _: X.ravel(),
    "a number": lambda X, _: 3.0,
    "None": lambda X, _: None,
    "structured": _structured,
    "bsr": lambda X, _: sparse.bsr_matrix(X),
    "dok": lambda X, _: sparse.dok_matrix(X),
    "lil": lambda X, _: sparse.lil_matrix(X),
    "dia": lambda X, _: sparse.dia_matrix(X),
    "sparse integers": lambda X, _: sparse.csr_matrix(np.nan_to_num(X > 0).astype(int)),
    "sparse booleans": lambda X, _: sparse.csr_matrix(X > 0),
    "explicit zeros": lambda X, _: sparse.csr_matrix(
        (X.ravel(), np.tile(np.arange(X.shape[1]), len(X)),
         np.arange(len(X) + 1) * X.shape[1]), X.shape),
    "index out of range": _out_of_range,
    "negative indices": _negative_indices,
    "torn": _torn,
    "no rows": lambda X, _: X[:0],
    "no columns": lambda X, _: X[:, :0],
    "reversed": lambda X, _: X[:, ::-1].copy()[:, ::-1],
    "float frame": lambda X, _: pd.DataFrame(X).astype("Float64"),
    "sparse frame": lambda X, _: pd.DataFrame(X).astype(pd.SparseDtype("float64", 0.0)),
    "category frame": lambda X, _: pd.DataFrame(X).astype("category"),
    "frame of words": lambda X, _: pd.DataFrame({"a": ["x"] * len(X)}),
}  # fmt: skip


def same_values(held):
    """Return what is held as dense float64 rows, None if it is no such thing."""
    try:
        if sparse.issparse(held):
            csr = sparse.csr_matrix(held)
            csr.check_format(full_check=True)
            if np.isnan(csr.data.astype(np.float64)).any():
                return None  # missing values belong to dense tables
            return np.asarray(csr.toarray(), np.float64)
        if (
            isinstance(held, (np.ma.MaskedArray, np.matrix))
            or getattr(held, "ndim", 2) != 2
        ):
            return None
        if isinstance(held, pd.DataFrame):
            if (held.dtypes == "category").any():  # no numbers to a search over tables
                return None
            return held.to_numpy(np.float64)
        held = np.asarray(held)
        if held.dtype.kind not in "fiubO" or held.ndim != 2:
            return None
        return np.ascontiguousarray(held, dtype=np.float64)
    except (ValueError, TypeError):
        return None


def _named(names):
    """Labels that sort as their codes do."""

    def make(codes, X, rng):
        labels = np.array(names)
        return labels[codes], labels

    return make


def _as(function):
    """Codes held in another way; their labels are the codes."""
    return lambda codes, X, rng: (function(codes), np.arange(3))


def _wrong(function):
    """Labels that no twin can have."""
    return lambda codes, X, rng: (function(codes), None)


def objects_at(values, places):
    """Return an array of objects, whatever they are."""
    out = np.empty(len(places), object)
    out[:] = [values[k] for k in places]
    return out


def _objects(*values):
    """Labels of odd objects, one for each code."""
    return lambda codes: objects_at(values, codes)


LABELS = {
    "codes": _as(lambda codes: codes),
    "words": _named(["a", "b", "c"]),
    "unicode": _named(["", "ä\n", "日本"]),
    "whole floats": _named([-1.0, 0.0, 1e15]),
    "large integers": _named([-(2**62), 0, 2**62]),
    "uint64": _named(np.array([1, 2, 2**64 - 1], np.uint64)),
    "int8": _named(np.array([-128, 0, 127], np.int8)),
    "object words": _named(np.array(["a", "b", "c"], object)),
    "series": _as(pd.Series),
    "categories": _as(lambda codes: pd.Series(codes).astype("category")),
    "list": _as(list),
    "column": _as(lambda codes: codes[:, None]),
    "booleans": _wrong(lambda codes: codes > 0),
    "bytes": _wrong(lambda codes: codes.astype(bytes)),
    "one class": _wrong(np.zeros_like),
    "one of its kind": _wrong(lambda codes: (np.arange(len(codes)) == 0).astype(int)),
    "a class for each row": _wrong(lambda codes: np.arange(len(codes))),
    "shares": _wrong(lambda codes: codes + 0.5),
    "NaN": _wrong(lambda codes: np.where(codes > 1, _NAN, codes)),
    "infinite": _wrong(lambda codes: np.where(codes > 1, _INF, codes)),
    "None among words": _wrong(_objects("a", None, "c")),
    "words and numbers": _wrong(_objects("a", 1, 2.0)),
    "missing words": _wrong(_objects("a", _NAN, "c")),
    "text and numbers": _wrong(lambda codes: [("1", 1, "a")[code] for code in codes]),
    "masked": _wrong(lambda codes: np.ma.masked_equal(codes, 1)),
    "nullable": _wrong(lambda codes: pd.Series(codes, dtype="Int64").replace(2, pd.NA)),
    "nested": _wrong(_objects([1], (2,), {3})),
    "dates": _wrong(lambda codes: codes.astype("datetime64[D]")),
    "complex": _wrong(lambda codes: codes + 1j),
    "too few": _wrong(lambda codes: codes[:-1]),
    "too many": _wrong(lambda codes: np.append(codes, 0)),
    "two columns": _wrong(lambda codes: np.column_stack([codes, codes])),
    "none": _wrong(lambda codes: codes[:0]),
    "None": _wrong(lambda codes: None),
    "a number": _wrong(lambda codes: 1),
}


def _target(function):
    return lambda codes, X, rng: (function(codes + rng.normal(size=len(codes))), None)


def _plain_target(codes, X, rng):
    return codes + np.round(rng.normal(size=len(codes)), 3), np.arange(0)


TARGETS = {
    "numbers": _plain_target,
    "huge": _target(lambda y: y * 1e300),
    "large": _target(lambda y: y * 1e20),
    "tiny": _target(lambda y: y * 1e-300),
    "constant": _target(lambda y: np.full(len(y), 5.0)),
    "far away": _target(lambda y: y + 1e15),
    "integers": _target(lambda y: y.astype(np.int32)),
    "float32": _target(lambda y: y.astype(np.float32)),
    "float16": _target(lambda y: y.astype(np.float16)),
    "long double": _target(lambda y: y.astype(np.longdouble)),
    "objects": _target(lambda y: y.astype(object)),
    "series": _target(pd.Series),
    "outlier": _target(lambda y: np.where(np.arange(len(y)) == 0, 1e150, y)),
    "words": _target(lambda y: np.full(len(y), "word")),
    "NaN": _target(lambda y: np.where(np.arange(len(y)) == 0, _NAN, y)),
    "infinite": _target(lambda y: np.where(np.arange(len(y)) == 0, _INF, y)),
    "complex": _target(lambda y: y + 1j),
    "too few": _target(lambda y: y[:-1]),
    "two columns": _target(lambda y: np.column_stack([y, y])),
    "None": _target(lambda y: None),
}

WEIGHTS = {
    "none": lambda rng, n: None,
    "ones": lambda rng, n: np.ones(n),
    "list": lambda rng, n: [1] * n,
    "integers": lambda rng, n: rng.integers(1, 5, n),
    "float32": lambda rng, n: rng.random(n).astype(np.float32) + 0.5,
    "series": lambda rng, n: pd.Series(rng.random(n) + 0.5),
    "a number": lambda rng, n: 2.0,
    "random": lambda rng, n: rng.random(n),
    "zeros among them": lambda rng, n: rng.integers(0, 3, n).astype(float),
    "all zero": lambda rng, n: np.zeros(n),
    "one above zero": lambda rng, n: np.eye(1, n)[0],
    "first half zero": lambda rng, n: (np.arange(n) >= n // 2).astype(float),
    "huge": lambda rng, n: np.full(n, 1e300),
    "large": lambda rng, n: np.full(n, 1e10),
    "tiny": lambda rng, n: np.full(n, 1e-300),
    "denormal": lambda rng, n: np.full(n, 5e-324),
    "small": lambda rng, n: np.full(n, 1e-12),
    "huge and tiny": lambda rng, n: np.where(np.arange(n) % 2, 1e12, 1e-12),
    "one huge": lambda rng, n: np.where(np.arange(n) == 0, 1e12, 1.0),
    "negative": lambda rng, n: rng.normal(size=n),
    "NaN": lambda rng, n: np.where(np.arange(n) == 0, _NAN, 1.0),
    "infinite": lambda rng, n: np.where(np.arange(n) == 0, _INF, 1.0),
    "words": lambda rng, n: np.full(n, "word"),
    "complex": lambda rng, n: np.ones(n) + 1j,
    "masked": lambda rng, n: np.ma.masked_less(rng.random(n), 0.3),
    "too few": lambda rng, n: np.ones(n - 1),
    "too many": lambda rng, n: np.ones(n + 1),
    "two columns": lambda rng, n: np.ones((n, 2)),
    "column": lambda rng, n: np.ones((n, 1)),
}

# What any parameter may be given; many of them are right for some.
NUMBERS = [
    *(0, 1, 2, 3, -1, -2, 10**30, 0.0, -0.0, 0.5, 1.0, -1.0, 1.5, 10.0),
    *(1e-300, 1e-20, 1e-5, 1e5, 1e10, 1e20, 1e300, _NAN, _INF, -_INF, 5e-324),
    *(None, True, False, "", "nonsense", "auto", "balanced", b"x", [], {}, (), set()),
    *([1.0], [1.0, 10.0], [_NAN], ["a"], {0: 1.0}, {0: -1.0}, {"x": 1.0}, {0: 1e300}),
    *(np.float32(0.5), np.float16(1), np.int8(2), np.uint64(3), np.bool_(True)),
    *(np.array(1.0), np.array([1.0, 2.0]), np.ones((2, 2)), np.nan, 1j, object()),
]  # fmt: skip
