"""Public data sets for the benchmarks: one ``.npz`` file each, read without pickle.

Dense sets hold ``X, y`` and, with an official test part, ``X_test, y_test``. Sparse
sets hold the CSR arrays ``data, indices, indptr, shape`` (and ``test_...``).
Categorical columns are integer codes into the JSON text ``categories``; -1 is missing.
"""

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler


class MissingData(Exception):
    """The folder or the set is not there; the case is skipped and says so."""


class DataSet(NamedTuple):
    X: np.ndarray | sparse.csr_array
    y: np.ndarray
    X_test: np.ndarray | sparse.csr_array | None  # the official test part, if any
    y_test: np.ndarray | None


class Split(NamedTuple):
    train: np.ndarray  # row indices
    validation: np.ndarray
    test: np.ndarray


def path_of(folder, name):
    """Return the file of a set, if it is there."""
    path = Path(folder) / f"{name}.npz"
    if not path.is_file():
        raise MissingData(f"{path} is not there")
    return path


def load(folder, name, coded=False):
    """Read a set; floats throughout, categorical columns one-hot, or their codes."""
    with np.load(path_of(folder, name), allow_pickle=False) as stored:
        arrays = {key: stored[key] for key in stored.files}
    if "indptr" in arrays:
        X, X_test = _csr(arrays, ""), _csr(arrays, "test_")
    else:
        if coded:
            arrays.pop("categories", None)
        X, X_test = _dense(arrays, "X"), _dense(arrays, "X_test")
    return DataSet(X, arrays["y"], X_test, arrays.get("y_test"))


def pooled(folder, name, coded=False):
    """Rows and labels of both parts of a set together."""
    stored = load(folder, name, coded)
    if stored.y_test is None:
        return stored.X, stored.y
    X = np.concatenate([stored.X, stored.X_test])
    return X, np.concatenate([stored.y, stored.y_test])


def census_income(folder):
    """The adult set as Chang et al. (2010) have it: 45,222 rows of 14 columns.

    Both parts together without the rows that lack a value; a category is its number in
    the set's alphabetical list.
    """
    X, y = pooled(folder, "adult", coded=True)
    whole = (X >= 0).all(axis=1)
    return X[whole], y[whole]


def _csr(arrays, prefix):
    if f"{prefix}indptr" not in arrays:
        return None
    parts = [arrays[f"{prefix}{key}"] for key in ("data", "indices", "indptr")]
    # csr_matrix: the oldest supported scikit-learn estimators do not take csr_array.
    return sparse.csr_matrix(
        (_as_float(parts[0]), *parts[1:]), shape=tuple(arrays[f"{prefix}shape"])
    )


def _dense(arrays, key):
    if key not in arrays:
        return None
    X = arrays[key]
    if "categories" in arrays:
        names = json.loads(arrays["feature_names"].item())
        return one_hot(X, names, json.loads(arrays["categories"].item()))
    return _as_float(X)


def _as_float(values):
    """float32, except where the set is stored in float64 because it needs it."""
    return values if values.dtype.kind == "f" else values.astype(np.float32)


def one_hot(X, feature_names, categories):
    """Replace each coded column by one column per category; missing is all zeros."""
    blocks = []
    for column, name in zip(X.T, feature_names, strict=True):
        if name in categories:
            codes = np.arange(len(categories[name]))
            blocks.append((column[:, None] == codes).astype(np.float32))
        else:
            blocks.append(_as_float(column)[:, None])
    return np.hstack(blocks)


def split_4_1_1(n, seed=0):
    """The papers' protocol: four parts train, one validation, one test."""
    order = np.random.default_rng(seed).permutation(n)
    first, second = n * 4 // 6, n * 5 // 6
    return Split(order[:first], order[first:second], order[second:])


def scale(X_train, *others):
    """Scale to [0, 1] by the minimum and maximum of the training rows only.

    Sparse input is divided by the largest magnitude, which keeps its zeros.
    """
    scaler = MaxAbsScaler() if sparse.issparse(X_train) else MinMaxScaler()
    scaler.fit(X_train)
    return tuple(scaler.transform(X) for X in (X_train, *others))


def sample_rows(n, size, seed=0):
    """Sorted indices of `size` distinct rows (all of them if there are fewer)."""
    rng = np.random.default_rng(seed)
    return np.sort(rng.choice(n, min(size, n), replace=False))


def fingerprint(*arrays):
    """A short hash of values, shapes and types: the identity of data in a cache key."""
    digest = hashlib.blake2b(digest_size=12)
    for array in arrays:
        parts = [array]
        if sparse.issparse(array):
            parts = [array.data, array.indices, array.indptr]
        digest.update(str(array.shape).encode())
        for part in parts:
            digest.update(str(part.dtype).encode())
            digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
