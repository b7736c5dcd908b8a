"""Rows of a Gram matrix that is too large to hold, under a byte budget."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from joblib import effective_n_jobs

from treesvm.kernels.compiling import compiled

_LEAST_ROWS = 2  # a pair step needs two rows at once
# A block is finished while it is still in the processor's cache.
_CHUNK_BYTES = 4 * 2**20
_PIECE = 2048  # columns that are added up at once, in the first level cache


class RowCache:
    """Least recently used rows of ``kernel(X, X)`` in float32.

    Missing rows are computed together, by one matrix product.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray or CSR matrix of shape (n, n_features)
        For "precomputed", the Gram matrix itself.
    max_bytes : int
        Budget for the cached rows; at least `min_rows` rows are kept.
    min_rows : int
        Rows that one call may ask for.
    n_jobs : int, optional
        Threads that compute missing rows and sums, until the cache is collected.
    memory : ndarray, optional
        Flat float32 memory of an earlier cache: what the system has handed out once
        comes without a page fault.
    """

    def __init__(
        self, kernel, X, max_bytes, min_rows=_LEAST_ROWS, n_jobs=None, memory=None
    ):
        n_workers = effective_n_jobs(n_jobs)
        self._n_workers = n_workers
        # Kept from one call to the next: threads take longer to start than to work.
        self._pool = ThreadPoolExecutor(n_workers) if n_workers > 1 else None
        self._block = kernel.row_block(X)
        n = X.shape[0]
        capacity = max(min_rows, min(n, int(max_bytes // (4 * max(n, 1)))))
        if memory is None or memory.size < capacity * n:
            memory = np.empty(capacity * n, np.float32)
        self.memory = memory
        self._store = memory[: capacity * n].reshape(capacity, n)
        self._slot_of = np.full(n, -1)
        self._row_in = np.full(capacity, -1)
        self._last_use = np.zeros(capacity, np.int64)
        self._clock = 0
        self.n_computed = 0

    @property
    def capacity(self):
        """Number of rows that fit the budget."""
        return len(self._store)

    def slots(self, rows):
        """Make sure that `rows` are cached; return where, as indices into `store`."""
        rows = np.asarray(rows)
        self._clock += 1
        slots = self._slot_of[rows]
        self._last_use[slots[slots >= 0]] = self._clock
        missing = rows[slots < 0]
        if len(missing):
            self._fill(missing)
        return self._slot_of[rows]

    def among(self, rows, columns):
        """Return some kernel values; nothing of them is kept."""
        return self._block(rows, columns)

    def weighted_sum(self, rows, amounts):
        """Return ``amounts @ K[rows]`` in float64."""
        n = self._store.shape[1]
        total, slots = np.zeros(n), self.slots(rows)
        step = _PIECE * max(1, -(-n // (_PIECE * self._n_workers)))
        self._do(
            lambda k: _add_stored(self._store, slots, amounts, k, k + step, total),
            range(0, n, step),
        )
        return total

    def _do(self, work, starts):
        """Call `work` for every start, in threads if there are any."""
        if self._pool is None or len(starts) == 1:
            for k in starts:
                work(k)
        else:
            list(self._pool.map(work, starts))  # raises what a thread raised

    @property
    def store(self):
        """The cached rows; valid where `slots` says so, until its next call."""
        return self._store

    def _fill(self, missing):
        """Compute `missing` rows over the least recently used ones."""
        slots = np.argpartition(self._last_use, len(missing) - 1)[: len(missing)]
        evicted = self._row_in[slots]
        self._slot_of[evicted[evicted >= 0]] = -1
        step = max(1, _CHUNK_BYTES // (4 * self._store.shape[1]))
        starts = range(0, len(missing), step)

        def compute(k):
            self._store[slots[k : k + step]] = self._block(missing[k : k + step])

        self._do(compute, starts)
        self._slot_of[missing] = slots
        self._row_in[slots] = missing
        self._last_use[slots] = self._clock
        self.n_computed += len(missing)


@compiled
def _add_stored(store, slots, amounts, start, stop, total):
    """Add ``amounts[k] * store[slots[k]]`` to some columns, whole pieces of them."""
    for first in range(start, min(stop, len(total)), _PIECE):
        part = total[first : first + _PIECE]
        for k in range(0, len(slots) - 3, 4):
            a, b, c, d = amounts[k], amounts[k + 1], amounts[k + 2], amounts[k + 3]
            p = store[slots[k], first : first + _PIECE]
            q = store[slots[k + 1], first : first + _PIECE]
            r = store[slots[k + 2], first : first + _PIECE]
            s = store[slots[k + 3], first : first + _PIECE]
            for t in range(part.shape[0]):
                part[t] += (a * p[t] + b * q[t]) + (c * r[t] + d * s[t])
        for k in range(len(slots) - len(slots) % 4, len(slots)):
            amount, row = amounts[k], store[slots[k], first : first + _PIECE]
            for t in range(part.shape[0]):
                part[t] += amount * row[t]
