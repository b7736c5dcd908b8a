"""A partition that ignores the space: random parts of bounded size.

Training rows are dealt at random into parts of almost equal size. A row that was not
dealt finds its part by a seeded hash of its values, so its part never depends on the
rows around it. Values are hashed as float32 and zeros are skipped, so float64, float32,
dense and sparse forms of a row, and -0.0 and 0.0, all give the same part.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from treesvm.inputs.array_types import Array
from treesvm.inputs.estimator import Estimator
from treesvm.inputs.row_access import row_arrays
from treesvm.kernels.compiling import compiled

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # constants of splitmix64 (Steele et al. 2014)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


class RandomParts(Estimator):
    """Deal the rows at random into parts of at most `max_leaf_size` rows.

    Notes
    -----
    When not to use it: it is here for comparison (RDSVM). Its parts see the whole space
    through few rows, so they have to be larger than the leaves of a tree to be as
    accurate.

    Examples
    --------
    >>> import numpy as np
    >>> from treesvm.partitions import RandomParts
    >>> X = np.arange(10.0)[:, None]
    >>> partition, part = RandomParts().grow(X, None, None, seed=0, max_leaf_size=4)
    >>> partition.n_parts, np.bincount(part).tolist()
    (3, [4, 3, 3])
    """

    is_nested = False  # parts are dealt anew at each ceiling

    def randomized(self) -> "RandomParts":
        """Return the recipe of a committee's members: their seeds make them differ."""
        return self

    def grow(
        self,
        X: Any,
        target: Array | None,
        weight: Array | None,
        seed: int,
        *,
        max_leaf_size: int,
        n_classes: int | None = None,
    ) -> tuple[Any, Array]:
        """Deal the rows; return the partition and the part of every row.

        Only the number of rows of `X` counts; target and weights are not looked at.
        """
        partition = random_partition(X.shape[0], max_leaf_size, seed)
        return partition, partition.deal(X.shape[0])


@dataclass(frozen=True)
class RandomPartition:
    """Random parts, numbered 0 … n_parts - 1.

    Attributes
    ----------
    n_parts : int
        How many parts there are.
    seed : int
        Fixes both the dealing and the hash.

    Examples
    --------
    >>> from treesvm.partitions import RandomPartition
    >>> sorted(RandomPartition(n_parts=2, seed=0).deal(5).tolist())
    [0, 0, 0, 1, 1]
    """

    n_parts: int
    seed: int

    def deal(self, n_rows: int) -> np.ndarray:
        """Return the part of each training row; part sizes differ by at most one."""
        parts = np.arange(n_rows, dtype=np.int32) % self.n_parts
        np.random.RandomState(self.seed).shuffle(parts)
        return parts

    def apply(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """Return the part of each row of X from its values alone.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n_rows, n_features)
        n_jobs : int, optional
            Not needed: a row costs one pass over its values.

        Returns
        -------
        ndarray of int32, shape (n_rows,)
        """
        hashes = np.empty(X.shape[0], np.uint64)
        arrays = row_arrays(X)
        kernel = _hash_dense if len(arrays) == 1 else _hash_sparse
        kernel(*arrays, np.uint64(self.seed), hashes)
        return (hashes % np.uint64(self.n_parts)).astype(np.int32)


def random_partition(n_rows: int, max_part_size: int, seed: int) -> RandomPartition:
    """Return a partition into as few parts as the ceiling allows."""
    return RandomPartition(max(1, -(-n_rows // max_part_size)), seed)


@compiled
def _hash_dense(X, seed, out):
    """Write the hash of each row to `out`."""
    bits = np.empty(1, np.uint32)
    for i in range(X.shape[0]):
        total = np.uint64(0)
        for j in range(X.shape[1]):
            total += _hash_entry(j, X[i, j], bits)
        out[i] = _mix(total ^ _mix(seed))


@compiled
def _hash_sparse(data, indices, indptr, seed, out):
    """Write the hash of each CSR row to `out`."""
    bits = np.empty(1, np.uint32)
    for i in range(len(indptr) - 1):
        total = np.uint64(0)
        for t in range(indptr[i], indptr[i + 1]):
            total += _hash_entry(indices[t], data[t], bits)
        out[i] = _mix(total ^ _mix(seed))


@compiled
def _hash_entry(j, value, bits):
    """Return a hash of (column, value), 0 for a zero; sums of these ignore order."""
    bits.view(np.float32)[0] = value
    if bits[0] & np.uint32(0x7FFFFFFF) == 0:  # +0.0 or -0.0
        return np.uint64(0)
    return _mix((np.uint64(j) << np.uint64(32)) | np.uint64(bits[0]))


@compiled
def _mix(x):
    """Return splitmix64's scrambling of x."""
    x = np.uint64(x) + _GOLDEN
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))
