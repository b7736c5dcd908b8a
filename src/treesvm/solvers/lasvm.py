"""LASVM: an online kernel machine (Bordes, Ertekin, Weston and Bottou, JMLR 6, 2005).

Rows are shown one after the other. PROCESS takes a row into the expansion if it
violates the optimality conditions and makes a first step with it; REPROCESS makes one
more step on the most violating pair and throws out rows that have become idle. One pass
over the data is usually near the optimum; a finishing pass repeats REPROCESS until the
kept rows are solved.

Kernel rows are computed as they are needed: those of a block of new rows against the
expansion by one matrix product, those of old members when a step asks for them and the
cache has lost them. Nothing grows like n^2: the cache has a budget, and the pool holds
the expansion only.
"""

from typing import NamedTuple

import numpy as np

from treesvm.kernels import compiling
from treesvm.solvers import lasvm_steps as steps
from treesvm.solvers import smo
from treesvm.solvers.conditions import bias_of, relative_gap, violation_of
from treesvm.solvers.lasvm_steps import Pool

_FIRST_CAPACITY = 1024
_BLOCK_ROWS = 256  # rows shown together
_LEAST_BLOCK = 16
_BLOCK_BYTES = 32 * 2**20  # of kernel values between a block and the pool
_LEAST_CACHED = 64
_AHEAD = 8  # rows of either kind that are computed ahead


class Expansion(NamedTuple):
    """The rows that a machine consists of, and how well they are solved."""

    rows: np.ndarray  # row numbers; without any coefficient, the first rows seen
    coefficients: np.ndarray  # signed
    bias: float
    violation: float  # over the rows in the pool
    gap: float  # relative, over the rows in the pool
    norm: float  # length of the coefficients
    n_steps: int
    converged: bool


class OnlineMachine:
    """One binary machine that learns row by row.

    Parameters
    ----------
    block : callable
        ``block(rows, columns)`` returns the kernel values of rows with other rows, by
        their numbers, in float32.
    n_rows : int
        Row numbers lie below this.
    tol : float
        Violation that a step has to exceed.
    max_bytes : int
        Budget of cached kernel rows.
    """

    def __init__(self, block, n_rows, *, tol=1e-3, max_bytes=500 * 2**20):
        self._block, self._tol = block, tol
        # While the cache is copied to a larger one, both are there.
        self._max_bytes = max_bytes // 2
        self._slot_of = np.full(n_rows, -1, np.int32)
        self._pool = _new_pool(_FIRST_CAPACITY, self._max_bytes)
        self._seen = [False, False]  # negative, positive

    @property
    def n_members(self):
        """Rows in the pool, with a coefficient or not."""
        return int(self._pool.counters[steps.N_MEMBERS])

    @property
    def n_inserted(self):
        """Rows taken in so far, some of them several times."""
        return int(self._pool.counters[steps.N_INSERTED])

    def resume(self, rows, coefficients, signs, sizes):
        """Start from an expansion that is already there."""
        n = len(rows)
        self._note_signs(signs)
        self._reserve(n)
        pool = self._pool
        pool.owner[:n], pool.beta[:n] = rows, coefficients
        pool.lower[:n] = np.where(signs > 0, 0.0, -sizes)
        pool.upper[:n] = np.where(signs > 0, sizes, 0.0)
        self._slot_of[rows] = np.arange(n)
        for start in range(0, n, _BLOCK_ROWS):
            part = slice(start, min(start + _BLOCK_ROWS, n))
            K = self._block(rows[part], rows)
            pool.F[part] = K.astype(np.float64) @ coefficients - signs[part]
            pool.diagonal[part] = K[np.arange(len(K)), np.arange(n)[part]]
        pool.counters[[steps.N_SLOTS, steps.N_MEMBERS]] = n

    def learn(self, rows, signs, sizes, on_block=None):
        """Show rows to the machine, once and in this order.

        Parameters
        ----------
        rows : ndarray of int
        signs : ndarray of float
            -1 and +1.
        sizes : ndarray of float
            Largest size of each row's coefficient, C * weight.
        on_block : callable, optional
            Called with the number of rows after each block.
        """
        self._note_signs(signs)
        start = 0
        while start < len(rows):
            n_slots = len(self._pool.beta)
            n_block = int(
                np.clip(_BLOCK_BYTES // (4 * n_slots), _LEAST_BLOCK, _BLOCK_ROWS)
            )
            part = slice(start, start + n_block)
            self._learn_block(rows[part], signs[part], sizes[part])
            if on_block is not None:
                on_block(len(rows[part]))
            start += n_block

    def finish(self, max_steps=None):
        """REPROCESS until the rows in the pool are solved, or `max_steps` are done."""
        pool = self._pool
        done = pool.counters[steps.N_STEPS]
        most = done + (smo.STALL_CAP if max_steps is None else max_steps)
        some = max(1, compiling.SLICE // int(pool.counters[steps.N_SLOTS] + 1))
        while True:
            until = min(most, pool.counters[steps.N_STEPS] + some)
            missing = steps.finish_steps(pool, self._tol, until)
            if missing != steps.READY:
                self._fetch(missing)
            elif pool.counters[steps.N_STEPS] < until or until == most:
                return

    def expansion(self):
        """Return what the machine consists of now."""
        pool = self._pool
        used = np.flatnonzero(pool.owner >= 0)
        F, beta = pool.F[used], pool.beta[used]
        lower, upper = pool.lower[used], pool.upper[used]
        p = np.where(upper > 0, 1.0, -1.0)
        n_steps = int(pool.counters[steps.N_STEPS])
        if not beta.any():
            # One class was seen, or none. Its first rows stay: the other class needs
            # them to make a pair when it comes.
            bias = float(self._seen[1]) - float(self._seen[0])
            rows = pool.owner[used]
            return Expansion(rows, beta, bias, 0.0, 0.0, 0.0, n_steps, True)
        violation = float(violation_of(F, beta, lower, upper))
        is_support = beta != 0.0
        return Expansion(
            pool.owner[used][is_support],
            beta[is_support],
            float(bias_of(F, lower, upper)),
            violation,
            float(relative_gap(F, beta, p, lower, upper)),
            float(np.linalg.norm(beta)),
            n_steps,
            violation <= self._tol,
        )

    def _note_signs(self, signs):
        self._seen[0] |= bool((signs < 0).any())
        self._seen[1] |= bool((signs > 0).any())

    def _learn_block(self, rows, signs, sizes):
        """PROCESS and REPROCESS for each row of a block."""
        self._reserve(len(rows))
        pool = self._pool
        n_slots = int(pool.counters[steps.N_SLOTS])
        K = np.zeros((len(rows), len(pool.beta)), np.float32)
        # A free slot has no row: any column will do, as its coefficient is zero.
        K[:, :n_slots] = self._block(rows, np.maximum(pool.owner[:n_slots], 0))
        own = self._block(rows, rows)
        t, is_processed = 0, False
        while True:
            t, is_processed, missing = steps.learn_block(
                pool, K, own, rows, signs, sizes, self._slot_of, t, is_processed,
                self._tol,
            )  # fmt: skip
            if missing == steps.READY:
                return
            self._fetch(missing)

    def _fetch(self, slot):
        """Compute the kernel row of a member and put it into the cache.

        In a pool that has outgrown its cache the rows that are likely to be asked for
        next, those that violate most, are computed with it: gathering the columns costs
        more than the products of a few more rows.
        """
        pool = self._pool
        columns = np.maximum(pool.owner[: pool.counters[steps.N_SLOTS]], 0)
        slots = [slot]
        if len(pool.slot_in) < len(pool.beta):
            slots = np.append(self._next_slots(slot), slot)  # the one asked for last
        K = self._block(pool.owner[slots], columns)
        for number, row in zip(slots, K, strict=True):
            steps.put_row(pool, number, row)

    def _next_slots(self, slot):
        """Slots of the most violating rows that are not cached."""
        pool = self._pool
        n_ahead = min(_AHEAD, len(pool.slot_in) // 8)
        n = int(pool.counters[steps.N_SLOTS])
        F, beta, is_absent = pool.F[:n], pool.beta[:n], pool.place_of[:n] < 0
        found = []
        for values, can_move in (
            (F, beta < pool.upper[:n]),
            (-F, beta > pool.lower[:n]),
        ):
            able = np.flatnonzero(can_move & is_absent)
            if len(able) > n_ahead:
                able = able[np.argpartition(values[able], n_ahead)[:n_ahead]]
            found.append(able)
        found = np.unique(np.concatenate(found))
        return found[found != slot]

    def _reserve(self, n_more):
        """Make room for so many new members."""
        pool = self._pool
        spare = len(pool.beta) - pool.counters[steps.N_SLOTS]
        if spare + pool.counters[steps.N_FREE] >= n_more:
            return
        capacity = len(pool.beta)
        while capacity < pool.counters[steps.N_SLOTS] + n_more:
            capacity *= 2
        self._pool = _enlarged(pool, capacity, self._max_bytes)


def _new_pool(capacity, max_bytes):
    """Return an empty pool; at least a few kernel rows are cached."""
    n_cached = int(np.clip(max_bytes // (4 * capacity), _LEAST_CACHED, capacity))
    return Pool(
        beta=np.zeros(capacity),
        F=np.zeros(capacity),
        lower=np.zeros(capacity),
        upper=np.zeros(capacity),
        diagonal=np.zeros(capacity),
        owner=np.full(capacity, -1, np.int64),
        free=np.zeros(capacity, np.int64),
        store=np.zeros((n_cached, capacity), np.float32),
        slot_in=np.full(n_cached, -1, np.int64),
        place_of=np.full(capacity, -1, np.int64),
        last_use=np.zeros(n_cached, np.int64),
        counters=np.zeros(7, np.int64),
    )


def _enlarged(pool, capacity, max_bytes):
    """Return a pool with more slots that holds the same members."""
    larger = _new_pool(capacity, max_bytes)
    n = len(pool.beta)
    for name in ("beta", "F", "lower", "upper", "diagonal", "owner", "free"):
        getattr(larger, name)[:n] = getattr(pool, name)
    larger.counters[:] = pool.counters
    newest = np.argsort(-pool.last_use, kind="stable")
    newest = newest[pool.slot_in[newest] >= 0][: len(larger.slot_in)]
    for place in newest[::-1]:  # the newest last, so that it stays longest
        steps.put_row(larger, pool.slot_in[place], pool.store[place])
    return larger
