"""Linear SVMs in the primal by iterative majorization (SVM-Maj).

Minimises, for labels y in {-1, +1}, row weights p and one of the hinges h,

    L(c, w) = sum_i p_i h(y_i q_i) + lambda w'w,      q_i = c + x_i'w

Each step replaces L by a parabola that touches it at the current q and lies above it
everywhere else; its minimum is the majorization step

    v+ = v + (X'AX + lambda P)^-1 (X'g - lambda P v),     g_i = -y_i p_i h'(y_i q_i) / 2

with v = (c, w) and P the identity with p_11 = 0 (Groenen, Nalbantov and Bioch 2008,
section 4; Fayoyin 2017, (10) and (11)). Since the parabola is symmetric about its
minimum, twice the step does not raise L either ("doubled").

The default steps ("conjugate") of the quadratic and Huber hinge go along conjugate
combinations of majorization steps to the minimum of L on that line, which needs no
further product with X. L never rises, and once the rows beyond the margin are settled
it is a preconditioned conjugate gradient. The absolute hinge starts with such steps of
Huber hinges that come ever nearer to it, and goes on with doubled steps of its own.
"""

import numpy as np

from treesvm.kernels.compiling import slices
from treesvm.solvers.hinge_optimality import certify_hinge
from treesvm.solvers.hinges import Hinge, total_error
from treesvm.solvers.majorization_steps import (
    CHANGE,
    descend_absolute,
    descend_smooth,
    start_travel,
)
from treesvm.solvers.majorized_rows import MajorizedRows, majorized_rows
from treesvm.solvers.solution import Solution

STEPS = {"plain": 0, "doubled": 1, "conjugate": 2}
_KNEES = (1.0, 0.1, 0.01, 0.001)  # Huber hinges on the way to the absolute one
_SEARCH_READS = 50  # of each q, on the way to the best length of a step
_START_TOL = 1e-6  # relative change at which one of them gives way to the next


def solve_majorization(
    X,
    y,
    penalty,
    *,
    hinge,
    weight=None,
    fit_intercept=True,
    steps="conjugate",
    tol=1e-7,
    max_iter=1000,
    start=None,
):
    """Train a linear SVM.

    Parameters
    ----------
    X : ndarray, sparse matrix or MajorizedRows
        Prepared rows are used as they are, with their own weights and intercept.
    y : ndarray of shape (n_rows,)
        Labels -1 and +1.
    penalty : float
        lambda, above zero.
    hinge : Hinge
        From `treesvm.solvers.hinges.find_hinge`.
    weight : ndarray of shape (n_rows,), optional
        Positive row weights; not with prepared rows.
    fit_intercept : bool
    steps : {"plain", "doubled", "conjugate"}
        For the absolute hinge "conjugate" prepares the start with such steps of Huber
        hinges and goes on with doubled ones.
    tol : float
        Stop when a step lowers the loss by no more than this share of it.
    max_iter : int
    start : tuple of (w, bias), optional
        Where to start, in the original features; zero by default.

    Returns
    -------
    Solution
        `coefficients` is w. `gap` is the duality gap relative to the loss and
        `violation` the largest gradient for each unit of weight, see
        `treesvm.solvers.hinge_optimality`.
    """
    rows = X
    if not isinstance(rows, MajorizedRows):
        rows = majorized_rows(X, weight, fit_intercept=fit_intercept)
    y = np.asarray(y, dtype=np.float64)
    state = start_from(rows, start)
    change, n_iter = descend(rows, y, penalty, hinge, state, steps, tol, max_iter)
    w, bias = state[0], float(state[1][0])
    proof = certify_hinge(rows, y, penalty, hinge, w, bias)
    w, bias = rows.unfold(w, bias)
    return Solution(w, bias, proof.violation, proof.gap, n_iter, bool(change <= tol))


def start_from(rows, start=None):
    """Return (w, bias, q) as arrays that `descend` updates."""
    r = len(rows.eigenvalues)
    w, bias = (np.zeros(r), 0.0) if start is None else rows.fold(*start)
    w = np.array(w, dtype=np.float64)
    q = np.asarray(rows.Z @ w) + (bias - rows.shift @ w)
    return w, np.array([bias]), q


def descend(rows, y, penalty, hinge, state, steps, tol, max_iter):
    """Update `state` in place; return (last relative change, steps done)."""
    if hinge.is_smooth:
        return _take_smooth_steps(rows, y, penalty, hinge, state, steps, tol, max_iter)
    n_done = 0
    if steps == "conjugate":
        n_done = _start_near_kink(rows, y, penalty, hinge, state, tol, max_iter)
    problem = (
        rows.arrays,
        y,
        rows.weight,
        rows.shift,
        rows.has_bias,
        penalty,
        *hinge,
        *state,
        1.0 if steps == "plain" else 2.0,
        tol,
    )
    cost = rows.arrays[0].size * len(rows.shift)
    change, n_iter = _in_slices(
        descend_absolute, problem, state, max_iter - n_done, cost
    )
    return change, n_done + n_iter


def _in_slices(descend_some, problem, state, max_iter, cost):
    """Call compiled steps until they are done; return (relative change, steps).

    `cost` is how many numbers a step reads.
    """
    travel, n_iter = start_travel(len(state[2]), len(state[0])), 0
    for first, last in slices(max_iter, cost):
        n_iter, is_done = descend_some(*problem, travel, first, last)
        if is_done:
            break
    return travel.numbers[CHANGE], n_iter


def _start_near_kink(rows, y, penalty, hinge, state, tol, max_iter):
    """Move `state` through Huber hinges towards the absolute one; return the steps.

    Its own parabolas hold a row fast that has come near the kink too early, so that
    majorization all but stops; Huber hinges of falling knee do not, and their steps are
    cheap. The result is taken only if the absolute hinge has a smaller loss there.
    """
    trial, n_done = tuple(part.copy() for part in state), 0
    for knee in _KNEES:
        n_steps = (max_iter - n_done) // 2  # leaves some for the absolute hinge
        if n_steps == 0:
            break
        huber = Hinge(knee, 1.0 / knee)
        n_done += _take_smooth_steps(
            rows, y, penalty, huber, trial, "conjugate", max(tol, _START_TOL), n_steps
        )[1]
    losses = [
        total_error(q, y, rows.weight, *hinge) + penalty * (w @ w)
        for w, _, q in (state, trial)
    ]
    if losses[1] < losses[0]:
        for part, better in zip(state, trial, strict=True):
            part[:] = better
    return n_done


def _take_smooth_steps(rows, y, penalty, hinge, state, steps, tol, max_iter):
    """Update `state` for a smooth hinge; return (relative change, steps)."""
    problem = (
        rows.arrays,
        y,
        rows.weight,
        rows.shift,
        rows.directions,
        1.0 / (hinge.curvature * rows.eigenvalues + penalty),
        hinge.curvature * rows.weight.sum() if rows.has_bias else np.inf,
        penalty,
        *hinge,
        *state,
        STEPS[steps],
        tol,
    )
    cost = 3 * rows.arrays[0].size + _SEARCH_READS * len(y)
    return _in_slices(descend_smooth, problem, state, max_iter, cost)
