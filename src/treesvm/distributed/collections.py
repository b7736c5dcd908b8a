"""Dask arrays, DataFrames and Series as lists of blocks that belong together."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask import delayed


def is_collection(X):
    """Whether X is a Dask array or DataFrame."""
    return isinstance(X, (da.Array, dd.DataFrame))


def meta_of(X):
    """Return the matrix or frame of no rows that has the columns and types of X."""
    if isinstance(X, dd.DataFrame):
        return dd.utils.make_meta(X)
    if not isinstance(X, da.Array):
        raise ValueError(
            f"X is a {type(X).__name__}; give a Dask array or DataFrame (such as "
            "dask.array.from_array(X, chunks=...)), or use the estimator without Dask."
        )
    if X.ndim != 2 or np.isnan(X.shape[1]):
        raise ValueError(
            f"X has shape {X.shape}; it must have two dimensions and a known number "
            "of columns (compute_chunk_sizes() finds it)."
        )
    meta = X._meta[:0]
    if meta.shape[1] != X.shape[1]:
        meta = (
            np.empty((0, X.shape[1]), X.dtype)
            if isinstance(meta, np.ndarray)
            else type(meta)((0, X.shape[1]), dtype=X.dtype)
        )
    return meta


def feature_blocks(X):
    """Return the blocks of X as delayed matrices or frames."""
    if isinstance(X, dd.DataFrame):
        return X.to_delayed()
    return X.rechunk({1: -1}).to_delayed().ravel().tolist()


def as_blocks(X, y, sample_weight=None):
    """Return a list of (features, labels, weights or None), all delayed.

    Labels and weights may be Dask arrays or Series, or arrays in memory if the sizes of
    X's blocks are known. Where sizes are unknown, X and y must have as many blocks.
    """
    features = feature_blocks(X)
    labels = _column_blocks(X, y, "y", len(features))
    weights = [None] * len(features)
    if sample_weight is not None:
        weights = _column_blocks(X, sample_weight, "sample_weight", len(features))
    return list(zip(features, labels, weights, strict=True))


def _column_blocks(X, column, name, n_blocks):
    """Return the blocks of a column, cut where X is cut."""
    sizes = X.chunks[0] if isinstance(X, da.Array) else None
    is_known = sizes is not None and not np.isnan(sizes).any()
    if isinstance(column, dd.DataFrame):
        raise ValueError(
            f"{name} is a DataFrame; give one column of it, such as frame['label']."
        )
    if isinstance(column, dd.Series):
        blocks = column.to_delayed()
    elif isinstance(column, da.Array):
        if column.ndim != 1:
            raise ValueError(f"{name} has shape {column.shape}; give one dimension.")
        own = column.chunks[0]
        if is_known and not np.isnan(own).any():
            _check_length(name, sum(own), sum(sizes))
            column = column.rechunk((sizes,))
        blocks = column.to_delayed().ravel().tolist()
    elif is_known:
        column = np.asarray(column)
        _check_length(name, len(column), sum(sizes))
        edges = np.cumsum(sizes)[:-1]
        blocks = [delayed(part) for part in np.split(column, edges)]
    else:
        raise ValueError(
            f"{name} is a {type(column).__name__} and X has blocks of unknown sizes; "
            "give a Dask array or Series with as many blocks."
        )
    if len(blocks) != n_blocks:
        raise ValueError(
            f"{name} has {len(blocks)} blocks where X has {n_blocks}; cut both alike, "
            "with repartition or, if sizes are unknown, compute_chunk_sizes() first."
        )
    return blocks


def _check_length(name, n_rows, wanted):
    if n_rows != wanted:
        raise ValueError(
            f"{name} has {n_rows} rows where X has {wanted}; give one for each row."
        )
