"""Two-variable descent (SMO) for the kernel SVM dual on a Gram matrix.

Solves, for a linear term p and a box [lower, upper] that holds 0,

    min_beta  1/2 beta'K beta - p'beta     s.t.  sum(beta) = 0,  lower <= beta <= upper

A C-SVC is the case p = y with box [0, u_i] for class +1 and [-u_i, 0] for class -1;
beta is then y * alpha.  An epsilon-SVR is the case of doubled rows (see `regression`).

Symbols used below: ``F`` is the gradient K beta - p.  A row *can rise* while
beta < upper and *can fall* while beta > lower; beta is optimal when no row that can
rise has a smaller F than a row that can fall.  The pair to move is chosen by the second
order rule of Fan, Chen and Lin (JMLR 6, 2005).

Because sum(beta) = 0, a constant added to all of K changes nothing.  Callers use that:
exp(-gamma d) - 1 keeps its digits in float32 where exp(-gamma d) near one has none.

K is float32, beta and F are float64: a float32 gradient is off by 0.1 at C = 10^4.
"""

from typing import NamedTuple

import numpy as np

from treesvm.kernels.compiling import compiled, inner
from treesvm.solvers.conditions import (
    bias_of,
    is_solved,
    relative_gap,
    stretch,
    violation_of,
    write_unsettled,
)
from treesvm.solvers.solution import Solution

# Rows are compared in blocks of this many: long enough for vector instructions, short
# enough that looking up the winner's index inside its block costs nothing.
_BLOCK = 64
_LAST = np.int32(2147483647)
_BARRED = np.float32(1e30)  # added to the F of a row that cannot rise
_ZERO = np.float32(0.0)
_TWO = np.float32(2.0)
_FLAT = np.float32(1e-12)  # curvature floor: K is only positive semi-definite

STALL_CAP = 10_000_000  # "no cap": LIBSVM's own limit
_FINEST_GOAL = 1e-12  # share of tol: no float64 gradient is as good as that


def solve_smo(
    K, p, lower, upper, *, tol=1e-3, gap_tol=None, max_iter=STALL_CAP, beta=None
):
    """Minimise ``1/2 beta'K beta - p'beta`` over the box with ``sum(beta) = 0``.

    Parameters
    ----------
    K : ndarray of shape (n, n), float32, C-contiguous
        Gram matrix, up to an additive constant.
    p, lower, upper : ndarray of shape (n,)
        Linear term and box; ``lower <= 0 <= upper``.
    tol : float
        Largest KKT violation that counts as solved.
    gap_tol : float, default=tol / 10
        Relative duality gap that counts as solved whatever the violation; a gap above
        ten times this never counts as solved.
    max_iter : int
        Cap on pair steps; an answer that meets it says ``converged=False``.
    beta : ndarray of shape (n,), optional
        Feasible start; the gradient is recomputed from it.

    Returns
    -------
    Solution
    """
    beta = np.zeros(len(p)) if beta is None else np.array(beta, dtype=np.float64)
    F = gradient(K, beta, p)
    gap_tol = tol / 10 if gap_tol is None else gap_tol
    n_iter, violation, gap = descend(
        K,
        p,
        lower,
        upper,
        beta,
        F,
        tol,
        gap_tol,
        max_iter,
        descent_memory(len(p), K.dtype),
    )
    converged = is_solved(violation, gap, tol, gap_tol)
    return Solution(beta, bias_of(F, lower, upper), violation, gap, n_iter, converged)


def gradient(K, beta, p):
    """Return ``K beta - p`` in float64, reading only the rows of K that count."""
    F = -np.asarray(p, dtype=np.float64)
    active = np.flatnonzero(beta)
    add_rows(K, active, beta[active], F)
    return F


# Memory comes from Python: each NumPy call in a compiled function is compiled too.
class DescentMemory(NamedTuple):
    """What `descend` writes to, for a number of rows and all smaller ones."""

    gram: np.ndarray  # flat: the Gram matrix of the rows left by shrinking
    rows: np.ndarray  # these rows
    own: np.ndarray  # (4, n): their bounds, coefficients and gradient
    values: np.ndarray  # see `step_memory`
    bits: np.ndarray


def descent_memory(n, dtype):
    """Allocate memory for `descend` on up to n rows; untouched parts cost nothing."""
    gram = np.empty(n * n // 2, dtype)  # shrinking leaves at most 0.7 n rows
    return DescentMemory(gram, np.empty(n, np.int64), np.empty((4, n)), *step_memory(n))


def step_memory(n):
    """Allocate six float32 arrays for `pair_steps`; return them with their bits."""
    values = np.empty((6, -(-n // _BLOCK) * _BLOCK), np.float32)
    return values, values.view(np.int32)


@compiled
def add_rows(K, rows, amounts, F):
    """Add ``amounts[k] * K[rows[k]]`` to `F` in place, for symmetric K."""
    for k in range(len(rows)):
        row = K[rows[k]]
        amount = amounts[k]
        for t in range(F.shape[0]):
            F[t] += amount * row[t]


@compiled
def descend(K, p, lower, upper, beta, F, tol, gap_tol, max_iter, memory):
    """Update `beta` and `F` in place; return (n_iter, violation, relative gap).

    Rows that are settled at a bound leave the problem after a while (shrinking): the
    rest is copied into a smaller Gram matrix, solved there, and the gradient of all
    rows is brought up to date before anything is called solved.  `memory` is a
    `DescentMemory` for at least as many rows.
    """
    n = F.shape[0]
    period = max(n, 1000)
    goal = tol  # tightened when a violation of tol is not yet a fair gap
    n_iter, n_left, rows, own = 0, n, memory.rows, memory.own
    budget = min(period, max_iter)
    while True:
        # One call of the pair steps for both cases: each further one is compiled again.
        sub, own_lower, own_upper, own_beta, own_F = K, lower, upper, beta, F
        own_goal = goal
        if n_left < n:
            rows = memory.rows[:n_left]
            sub = gathered(K, rows, memory.gram)
            own_lower = _take(lower, rows, own[0])
            own_upper = _take(upper, rows, own[1])
            own_beta = _take(beta, rows, own[2])
            own_F = _take(F, rows, own[3])
            own_goal = 0.5 * goal
        done = pair_steps(
            sub,
            own_lower,
            own_upper,
            own_beta,
            own_F,
            own_goal,
            budget,
            memory.values,
            memory.bits,
        )
        if n_left < n:
            _write_back(K, rows, own_beta, beta, F)
        n_iter += done
        violation = violation_of(F, beta, lower, upper)
        gap = relative_gap(F, beta, p, lower, upper)
        if violation <= goal and gap > 10.0 * gap_tol:
            stretch(F, beta, p, lower, upper)
            violation = violation_of(F, beta, lower, upper)
            gap = relative_gap(F, beta, p, lower, upper)
            goal *= 0.3
            if goal < _FINEST_GOAL * tol:  # the gap is what rounding leaves of it
                return n_iter, violation, gap
        elif done == 0:  # no pair can move any further in floating point
            return n_iter, violation, gap
        if is_solved(violation, gap, tol, gap_tol) or n_iter >= max_iter:
            return n_iter, violation, gap
        n_left = write_unsettled(F, beta, lower, upper, memory.rows)
        budget = min(period, max_iter - n_iter)
        if n_left > 0.7 * n:
            n_left = n
        else:
            # The smaller problem is cheaper by the square: let it run longer, and to a
            # finer point, or the first violator of the full set undoes it.
            budget = min(4 * budget, max_iter - n_iter)


@inner
def _write_back(K, rows, own_beta, beta, F):
    """Take over the coefficients of `rows`, and bring `F` of all rows up to date."""
    for k in range(len(rows)):
        change = own_beta[k] - beta[rows[k]]
        if change != 0.0:
            row = K[rows[k]]
            for t in range(F.shape[0]):
                F[t] += change * row[t]
            beta[rows[k]] = own_beta[k]


# Explicit loops where fancy indexing would do: it takes seconds to compile.
@inner
def _take(values, rows, memory):
    """Return ``values[rows]``, held in `memory`."""
    out = memory[: len(rows)]
    for k in range(len(rows)):
        out[k] = values[rows[k]]
    return out


@inner
def gathered(K, rows, memory):
    """Return ``K[rows][:, rows]``, held in the flat `memory`."""
    n = len(rows)
    out = memory[: n * n].reshape(n, n)
    for a in range(n):
        source = K[rows[a]]
        target = out[a]
        for b in range(n):
            target[b] = source[rows[b]]
    return out


@compiled(error_model="numpy")
def pair_steps(K, lower, upper, beta, F, tol, max_iter, values, bits):
    """Move pairs until the violation is at most `tol`; update `beta` and `F`.

    `values` and `bits` are the `step_memory` of at least as many rows.  The loops over
    t are written one operation each, without reductions, because that is the form the
    compiler turns into vector instructions.  A step that is not finite, or too small to
    change anything, is the last one: whatever the numbers, no index leaves the rows.
    """
    n = F.shape[0]
    if n == 0:
        return 0
    n_blocks = -(-n // _BLOCK)
    rising = values[0]  # F where it can rise
    drop = values[1]  # F_t - F_i where t can fall
    gain = values[2]
    rising_bits, drop_bits, gain_bits = bits[0], bits[1], bits[2]
    bar, fall, diag = values[3], values[4], values[5]
    # Rows beyond the last one: a comparison with NaN may find them.
    for t in range(n, n_blocks * _BLOCK):
        rising[t] = _BARRED
        bar[t] = _BARRED
        drop[t] = _ZERO
        gain[t] = _ZERO
    for t in range(n):
        bar[t] = _ZERO if beta[t] < upper[t] else _BARRED
        fall[t] = 1.0 if beta[t] > lower[t] else 0.0
        diag[t] = K[t, t]
    for n_iter in range(max_iter):
        for t in range(n):
            rising[t] = np.float32(F[t]) + bar[t]
        i = _argmin(rising_bits, n_blocks)
        if bar[i] > _ZERO:  # no row can rise: one side has no weight
            return n_iter
        K_i, F_i, k_ii = K[i], F[i], diag[i]
        for t in range(n):
            drop[t] = np.float32(F[t] - F_i) * fall[t]
        for t in range(n):
            d = max(drop[t], _ZERO)
            gain[t] = d * d / max(k_ii + diag[t] - _TWO * K_i[t], _FLAT)
        j = _argmax(gain_bits, n_blocks)
        if (drop[j] <= tol and drop[_argmax(drop_bits, n_blocks)] <= tol) or j >= n:
            return n_iter
        K_j = K[j]
        curvature = max(np.float64(k_ii) + diag[j] - 2.0 * K_i[j], 1e-12)
        step = (F[j] - F_i) / curvature
        step = min(step, upper[i] - beta[i], beta[j] - lower[j])
        rest_i, rest_j = beta[i], beta[j]
        beta[i] = min(rest_i + step, upper[i])
        beta[j] = max(rest_j - step, lower[j])
        if (beta[i] == rest_i and beta[j] == rest_j) or not 0.0 < step < np.inf:
            beta[i], beta[j] = rest_i, rest_j
            return n_iter
        bar[i] = _ZERO if beta[i] < upper[i] else _BARRED
        fall[i] = 1.0 if beta[i] > lower[i] else 0.0
        bar[j] = _ZERO if beta[j] < upper[j] else _BARRED
        fall[j] = 1.0 if beta[j] > lower[j] else 0.0
        for t in range(n):
            F[t] += step * (K_i[t] - K_j[t])
    return max_iter


@inner
def _argmax(bits, n_blocks):
    """Index of the largest value; non-negative floats are ordered like their bits."""
    best, where = np.int32(-1), 0
    for s in range(n_blocks):
        block = bits[s * _BLOCK : (s + 1) * _BLOCK]
        m = np.int32(0)
        for t in range(_BLOCK):
            v = block[t]
            m = v if v > m else m
        if m > best:
            best, where = m, s
    block = bits[where * _BLOCK : (where + 1) * _BLOCK]
    for t in range(_BLOCK):
        if block[t] >= best:
            return where * _BLOCK + t
    return 0


@inner
def _argmin(bits, n_blocks):
    """Index of the smallest float of any sign, by its order-preserving integer."""
    best, where = _LAST, 0
    for s in range(n_blocks):
        block = bits[s * _BLOCK : (s + 1) * _BLOCK]
        m = _LAST
        for t in range(_BLOCK):
            m = np.int32(min(m, _ordered(block[t])))
        if m < best:
            best, where = m, s
    block = bits[where * _BLOCK : (where + 1) * _BLOCK]
    for t in range(_BLOCK):
        if _ordered(block[t]) == best:
            return where * _BLOCK + t
    return 0


@inner
def _ordered(b):
    """Map float32 bits to an int32 with the order of the floats."""
    return np.int32(b ^ np.int32(np.int32(b >> np.int32(31)) & _LAST))
