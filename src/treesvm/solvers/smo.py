"""Two-variable descent (SMO) for the kernel SVM dual on a Gram matrix.

Solves, for a linear term p and a box [lower, upper] that holds 0,

    min_beta  1/2 beta'K beta - p'beta     s.t.  sum(beta) = 0,  lower <= beta <= upper

A C-SVC is the case p = y with box [0, u_i] for class +1 and [-u_i, 0] for class -1;
beta is then y * alpha.  An epsilon-SVR is the case of doubled rows (see `regression`).

Symbols used below: ``F`` is the gradient K beta - p.  A row *can rise* while
beta < upper and *can fall* while beta > lower; beta is optimal when no row that can
rise has a smaller F than a row that can fall.  `pair_steps` chooses the pairs to move.

Because sum(beta) = 0, a constant added to all of K changes nothing.  Callers use that:
exp(-gamma d) - 1 keeps its digits in float32 where exp(-gamma d) near one has none.

K is float32, beta and F are float64: a float32 gradient is off by 0.1 at C = 10^4.
"""

from typing import NamedTuple

import numpy as np

from treesvm.kernels import compiling
from treesvm.kernels.compiling import compiled, inner
from treesvm.solvers.conditions import (
    bias_of,
    is_solved,
    relative_gap,
    stretch,
    violation_of,
    write_unsettled,
)
from treesvm.solvers.pair_steps import pair_steps, step_memory
from treesvm.solvers.solution import Solution

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


N_ITER, N_ROUND, BUDGET, N_LEFT, GOAL, OPERATIONS = range(6)


# Memory comes from Python: each NumPy call in a compiled function is compiled too.
class DescentMemory(NamedTuple):
    """What `descend` writes to, for a number of rows and all smaller ones."""

    gram: np.ndarray  # flat: the Gram matrix of the rows left by shrinking
    rows: np.ndarray  # these rows
    own: np.ndarray  # (4, n): their bounds, coefficients and gradient
    progress: np.ndarray  # how far the descent is; see the names above
    values: np.ndarray  # see `step_memory`
    bits: np.ndarray


def descent_memory(n, dtype):
    """Allocate memory for `descend` on up to n rows; untouched parts cost nothing."""
    gram = np.empty(n * n // 2, dtype)  # shrinking leaves at most 0.7 n rows
    rows, own, progress = np.empty(n, np.int64), np.empty((4, n)), np.zeros(6)
    return DescentMemory(gram, rows, own, progress, *step_memory(n))


@compiled
def add_rows(K, rows, amounts, F):
    """Add ``amounts[k] * K[rows[k]]`` to `F` in place, for symmetric K."""
    for k in range(len(rows)):
        row = K[rows[k]]
        amount = amounts[k]
        for t in range(F.shape[0]):
            F[t] += amount * row[t]


def descend(K, p, lower, upper, beta, F, tol, gap_tol, max_iter, memory):
    """Update `beta` and `F` in place; return (n_iter, violation, relative gap).

    Rows that are settled at a bound leave the problem after a while (shrinking): the
    rest is copied into a smaller Gram matrix, solved there, and the gradient of all
    rows is brought up to date before anything is called solved.  `memory` is a
    `DescentMemory` for at least as many rows.
    """
    while True:
        memory.progress[OPERATIONS] = compiling.SLICE
        is_done, violation, gap = descend_on(
            K, p, lower, upper, beta, F, tol, gap_tol, max_iter, memory
        )
        if is_done:
            return int(memory.progress[N_ITER]), violation, gap


@compiled
def descend_on(K, p, lower, upper, beta, F, tol, gap_tol, max_iter, memory):
    """Begin or go on; return (is_done, violation, relative gap).

    It is not done when the operations in `memory.progress` are used up; what comes next
    does not depend on where that was.
    """
    n, progress = F.shape[0], memory.progress
    period = max(n, 1000)
    if progress[BUDGET] == 0:
        progress[N_ITER], progress[N_ROUND] = 0, 0
        progress[N_LEFT], progress[BUDGET] = n, min(period, max_iter)
        progress[GOAL] = tol  # tightened when a violation of tol is not yet a fair gap
    violation, gap = np.inf, np.inf
    while progress[OPERATIONS] > 0 and _advance(K, lower, upper, beta, F, memory):
        is_stuck = progress[N_ROUND] == 0  # no pair can move in floating point
        progress[N_ITER] += progress[N_ROUND]
        progress[N_ROUND] = 0
        left = max_iter - int(progress[N_ITER])
        violation = violation_of(F, beta, lower, upper)
        gap = relative_gap(F, beta, p, lower, upper)
        if violation <= progress[GOAL] and gap > 10.0 * gap_tol:
            stretch(F, beta, p, lower, upper)
            violation = violation_of(F, beta, lower, upper)
            gap = relative_gap(F, beta, p, lower, upper)
            progress[GOAL] *= 0.3
            is_stuck = progress[GOAL] < _FINEST_GOAL * tol  # rounding keeps a gap open
        if is_stuck or left <= 0 or is_solved(violation, gap, tol, gap_tol):
            progress[BUDGET] = 0
            return True, violation, gap
        n_left = write_unsettled(F, beta, lower, upper, memory.rows)
        progress[BUDGET] = min(period, left)
        if n_left > 0.7 * n:
            n_left = n
        else:
            # The smaller problem is cheaper by the square: let it run longer, and to a
            # finer point, or the first violator of the full set undoes it.
            progress[BUDGET] = min(4 * min(period, left), left)
        progress[N_LEFT] = n_left
    return False, violation, gap


@inner
def _advance(K, lower, upper, beta, F, memory):
    """Make the pair steps of a round, or some; return whether the round is over."""
    progress, own = memory.progress, memory.own
    n, n_left = F.shape[0], int(progress[N_LEFT])
    # One call of the pair steps for both cases: each further one is compiled again.
    sub, own_lower, own_upper, own_beta, own_F = K, lower, upper, beta, F
    goal, rows = progress[GOAL], memory.rows[:n_left]
    if n_left < n:
        if progress[N_ROUND] == 0:
            gathered(K, rows, memory.gram)
            _take(lower, rows, own[0])
            _take(upper, rows, own[1])
            _take(beta, rows, own[2])
            _take(F, rows, own[3])
            progress[OPERATIONS] -= n_left * n_left
        sub = memory.gram[: n_left * n_left].reshape(n_left, n_left)
        own_lower, own_upper = own[0, :n_left], own[1, :n_left]
        own_beta, own_F = own[2, :n_left], own[3, :n_left]
        goal *= 0.5
    most = int(progress[BUDGET] - progress[N_ROUND])
    some = min(most, max(1, int(progress[OPERATIONS]) // (n_left + 1)))
    done = pair_steps(
        sub,
        own_lower,
        own_upper,
        own_beta,
        own_F,
        goal,
        some,
        memory.values,
        memory.bits,
    )
    progress[N_ROUND] += done
    progress[OPERATIONS] -= (done + 1) * (n_left + 1)
    if done == some < most:
        return False
    if n_left < n:
        _write_back(K, rows, own_beta, beta, F)
    return True


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
def _take(values, rows, out):
    """Write ``values[rows]`` to the front of `out`."""
    for k in range(len(rows)):
        out[k] = values[rows[k]]


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
