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
from treesvm.kernels.compiling import compiled
from treesvm.solvers.conditions import (
    is_solved,
    state_of,
    stretch,
    unsettled,
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
    n_iter, (violation, gap, bias) = descend(
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
    return Solution(beta, bias, violation, gap, n_iter, converged)


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
    values: np.ndarray  # see `step_memory`
    bits: np.ndarray


def descent_memory(n, dtype):
    """Allocate memory for `descend` on up to n rows; untouched parts cost nothing."""
    gram = np.empty(n * n // 2, dtype)  # shrinking leaves at most 0.7 n rows
    return DescentMemory(gram, *step_memory(n))


@compiled
def add_rows(K, rows, amounts, F):
    """Add ``amounts[k] * K[rows[k]]`` to `F` in place, for symmetric K."""
    for k in range(len(rows)):
        row = K[rows[k]]
        amount = amounts[k]
        for t in range(F.shape[0]):
            F[t] += amount * row[t]


def descend(K, p, lower, upper, beta, F, tol, gap_tol, max_iter, memory):
    """Update `beta` and `F` in place; return the steps and the `state_of` the answer.

    Rows that are settled at a bound leave the problem after a while (shrinking): the
    rest is copied into a smaller Gram matrix, solved there, and the gradient of all
    rows is brought up to date before anything is called solved.  `memory` is a
    `DescentMemory` for at least as many rows.

    This loop is Python's: a round is a thousand steps or more, and a compiled loop
    around them would have them compiled once again.
    """
    n = len(F)
    n_iter, rows, period = 0, None, max(n, 1000)
    budget = min(period, max_iter)
    goal = tol  # tightened when a violation of tol is not yet a fair gap
    while True:
        done = _round(K, lower, upper, beta, F, rows, goal, budget, memory)
        n_iter += done
        is_stuck = done == 0  # no pair can move in floating point
        state = violation, gap, _ = state_of(F, beta, p, lower, upper)
        if violation <= goal and gap > 10.0 * gap_tol:
            stretch(F, beta, p, lower, upper)
            state = violation, gap, _ = state_of(F, beta, p, lower, upper)
            goal *= 0.3
            is_stuck = goal < _FINEST_GOAL * tol  # rounding keeps a gap open
        left = max_iter - n_iter
        if is_stuck or left <= 0 or is_solved(violation, gap, tol, gap_tol):
            return n_iter, state
        rows = unsettled(F, beta, lower, upper)
        budget = min(period, left)
        if len(rows) > 0.7 * n:
            rows = None
        else:
            # The smaller problem is cheaper by the square: let it run longer, and to a
            # finer point, or the first violator of the full set undoes it.
            budget = min(4 * budget, left)


def _round(K, lower, upper, beta, F, rows, goal, budget, memory):
    """Make up to `budget` pair steps among `rows`, or all for None; return how many."""
    if rows is None:
        return _steps(K, lower, upper, beta, F, goal, budget, memory)
    own_beta = beta[rows]
    done = _steps(
        gathered(K, rows, memory.gram),
        lower[rows],
        upper[rows],
        own_beta,
        F[rows],
        0.5 * goal,
        budget,
        memory,
    )
    change = own_beta - beta[rows]
    moved = np.flatnonzero(change)
    add_rows(K, rows[moved], change[moved], F)
    beta[rows] = own_beta
    return done


def _steps(K, lower, upper, beta, F, goal, budget, memory):
    """Make up to `budget` pair steps, in calls after which Ctrl-C is noticed."""
    some, done = max(1, compiling.SLICE // (len(F) + 1)), 0
    while done < budget:
        most = min(some, budget - done)
        made = pair_steps(
            K, lower, upper, beta, F, goal, most, memory.values, memory.bits
        )
        done += made
        if made < most:
            break
    return done


def gathered(K, rows, memory):
    """Return ``K[rows][:, rows]``, held in the flat `memory`."""
    n = len(rows)
    out = memory[: n * n].reshape(n, n)
    _gather(K, rows, out)
    return out


# Explicit loops: NumPy's fancy indexing takes three times as long.
@compiled
def _gather(K, rows, out):
    """Write ``K[rows][:, rows]`` to `out`."""
    n = len(rows)
    for a in range(n):
        source = K[rows[a]]
        target = out[a]
        for b in range(n):
            target[b] = source[rows[b]]
