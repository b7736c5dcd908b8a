"""Dual coordinate descent for the linear SVM with row weights.

Solves, for labels y in {-1, +1}, weights p_i >= 0 and a penalty lambda > 0,

    min_{w, b}  lambda/2 (|w|^2 + b^2) + sum_i p_i max(0, 1 - y_i (w @ x_i + b))

through its dual, with x extended by a constant one for the bias:

    max_a  sum_i a_i - 1/2 |sum_i a_i y_i x_i|^2
    s.t.   0 <= a_i <= u_i = p_i / lambda

Symbols used below: ``alpha`` is a, ``upper`` is u, ``grad`` is y_i (w @ x_i + b) - 1.
One variable at a time is solved exactly; variables that stay at a bound are set aside
("shrinking") and looked at again before the solver stops (Hsieh, Chang, Lin, Keerthi
and Sundararajan, ICML 2008, algorithm 3).
"""

import numpy as np

from treesvm.inputs.row_access import row_add, row_arrays, row_dot, row_norm2
from treesvm.kernels import compiling
from treesvm.kernels.compiling import compiled
from treesvm.solvers import xorshift
from treesvm.solvers.linear_optimality import relative_gap
from treesvm.solvers.solution import Solution


def solve_dual_descent(
    X, y, weight, penalty, *, tol=1e-2, max_iter=1000, seed=0, alpha=None
):
    """Train a linear SVM.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        Sums run in its own type, float32 or float64. With float32, tolerances below
        about 1e-4 are out of reach.
    y : ndarray of shape (n_rows,)
        Labels -1 and +1.
    weight : ndarray of shape (n_rows,)
        The weights p.
    penalty : float
        lambda.
    tol : float
        Stop when all projected gradients lie within an interval of this length. They
        are margins: 0.01 is one hundredth of the distance from hyperplane to margin.
    max_iter : int
        Largest number of passes over the rows.
    seed : int
        Rows are visited in random order.
    alpha : ndarray of shape (n_rows,), optional
        Where to start; clipped to the box.

    Returns
    -------
    Solution
        `coefficients` is w; `gap` is the duality gap relative to the objective.
    """
    rows = row_arrays(X)
    upper = np.asarray(weight, dtype=np.float64) / penalty
    alpha = np.zeros(len(y)) if alpha is None else np.clip(alpha, 0.0, upper)
    y = np.asarray(y, dtype=np.float64)
    w, b = np.zeros(X.shape[1], rows[0].dtype), np.zeros(1)
    violation, n_iter = descend(rows, y, upper, alpha, w, b, tol, max_iter, seed)
    bias = float(b[0])
    gap = relative_gap(X, y, weight, penalty, w, bias, alpha)
    return Solution(w.astype(float), bias, violation, gap, n_iter, violation <= tol)


# How far the passes over the rows are.
N_DONE, N_ACTIVE, LOW_LIMIT, HIGH_LIMIT = range(4)


def descend(rows, y, upper, alpha, w, b, tol, max_iter, seed):
    """Update `alpha`, `w`, `b` in place; return (violation, passes done).

    `w` and `b` are zero on entry; what `alpha` holds is added to them first.
    """
    norm2, order, numbers = np.empty(len(y)), np.arange(len(y)), np.zeros(4)
    random = np.array([seed], np.uint64)
    some = max(1, compiling.SLICE // (rows[0].size + compiling.VISIT * len(y)))
    is_done = False
    while not is_done:
        is_done, violation = _go_on(
            rows,
            y,
            upper,
            alpha,
            w,
            b,
            tol,
            max_iter,
            norm2,
            order,
            numbers,
            random,
            some,
        )
    return violation, int(numbers[N_DONE])


@compiled
def _go_on(
    rows, y, upper, alpha, w, b, tol, max_iter, norm2, order, numbers, random, some
):
    """Do up to `some` passes; return (whether it was the last one, violation).

    `norm2` gets the squared length of each row with the constant, `order` that of the
    visits, rows set aside last; `numbers` and `random` say how far the passes are.
    """
    n, first = len(y), int(numbers[N_DONE])
    if first == 0:
        for i in range(n):
            norm2[i] = row_norm2(rows, i) + 1.0
            if alpha[i] > 0.0:
                row_add(rows, i, alpha[i] * y[i], w)
                b[0] += alpha[i] * y[i]
        random[0] = xorshift.start(random[0])
        numbers[N_ACTIVE], numbers[LOW_LIMIT], numbers[HIGH_LIMIT] = n, -np.inf, np.inf
    for n_iter in range(first + 1, min(first + some, max_iter) + 1):
        random[0] = _shuffle(order, int(numbers[N_ACTIVE]), random[0])
        n_active, low, high = _sweep(
            rows,
            y,
            upper,
            alpha,
            w,
            b,
            norm2,
            order,
            int(numbers[N_ACTIVE]),
            numbers[LOW_LIMIT],
            numbers[HIGH_LIMIT],
        )
        numbers[N_DONE], numbers[N_ACTIVE] = n_iter, n_active
        if high - low > tol:
            numbers[LOW_LIMIT] = low if low < 0.0 else -np.inf
            numbers[HIGH_LIMIT] = high if high > 0.0 else np.inf
        elif n_active == n:
            return True, high - low
        else:
            numbers[N_ACTIVE] = n
            numbers[LOW_LIMIT], numbers[HIGH_LIMIT] = -np.inf, np.inf
    if numbers[N_DONE] < max_iter:
        return False, np.inf
    return True, _final_violation(rows, y, upper, alpha, w, b)


@compiled
def _sweep(rows, y, upper, alpha, w, b, norm2, order, n_active, low_limit, high_limit):
    """Visit the active rows once; return (rows still active, lowest, highest PG)."""
    low, high = 0.0, 0.0
    t = 0
    while t < n_active:
        i = order[t]
        grad = y[i] * (np.float64(row_dot(rows, i, w)) + b[0]) - 1.0
        at_zero, at_upper = alpha[i] <= 0.0, alpha[i] >= upper[i]
        if (at_zero and grad > high_limit) or (at_upper and grad < low_limit):
            n_active -= 1
            order[t], order[n_active] = order[n_active], order[t]
            continue
        projected = _projected(grad, at_zero, at_upper)
        low, high = min(low, projected), max(high, projected)
        if projected != 0.0:
            new = min(max(alpha[i] - grad / norm2[i], 0.0), upper[i])
            step = (new - alpha[i]) * y[i]
            alpha[i] = new
            row_add(rows, i, step, w)
            b[0] += step
        t += 1
    return n_active, low, high


@compiled
def _projected(grad, at_zero, at_upper):
    """Return the gradient, or 0 where the box forbids a step along it."""
    if at_zero and at_upper:
        return 0.0
    if at_zero:
        return min(grad, 0.0)
    if at_upper:
        return max(grad, 0.0)
    return grad


@compiled
def _final_violation(rows, y, upper, alpha, w, b):
    """Return the spread of projected gradients over all rows at the last point."""
    low, high = 0.0, 0.0
    for i in range(len(y)):
        grad = y[i] * (np.float64(row_dot(rows, i, w)) + b[0]) - 1.0
        projected = _projected(grad, alpha[i] <= 0.0, alpha[i] >= upper[i])
        low, high = min(low, projected), max(high, projected)
    return high - low


@compiled
def _shuffle(order, n_active, state):
    """Permute the first `n_active` entries; return the new state."""
    for t in range(n_active - 1, 0, -1):
        state = xorshift.advance(state)
        s = xorshift.integer_below(state, t + 1)
        order[t], order[s] = order[s], order[t]
    return state
