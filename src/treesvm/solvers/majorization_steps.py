"""The compiled steps of majorization; `treesvm.solvers.majorization` has the problem.

Symbols used below: ``w``, ``bias`` (c), ``q``, ``pull`` is g, ``move`` is the step in w
and ``shove`` what it adds to q; ``knee`` and ``steep`` are the hinge. ``rows`` is the
tuple of `row_access`, ``shift`` the mean that these rows still have.
"""

from typing import NamedTuple

import numpy as np

from treesvm.inputs.row_access import row_add, row_dot
from treesvm.kernels.compiling import compiled
from treesvm.solvers.hinges import FLOOR, slope_along, slope_of, total_error
from treesvm.solvers.row_moments import bordered_moments, shifted_sum

_LINE_TRIALS = 30  # bisections that end any search on a line
_LINE_SLOPE = 1e-3  # a slope this small, relative to the first, is the minimum


LOSS, CHANGE, BIAS_MOVE, GRAD_BIAS, FALL, SIZE = range(6)


class Travel(NamedTuple):
    """How far a descent is."""

    move: np.ndarray  # last step in w
    grad: np.ndarray  # last half gradient in w
    shove: np.ndarray  # last step in q
    numbers: np.ndarray  # see the names above


def start_travel(n_rows, width):
    """Return the `Travel` before the first step."""
    numbers = np.array([np.nan, np.inf, 0.0, 0.0, 0.0, 1.0])
    return Travel(np.zeros(width), np.zeros(width), np.empty(n_rows), numbers)


@compiled
def descend_smooth(
    rows,
    y,
    weight,
    shift,
    directions,
    inverse,
    bias_curvature,
    penalty,
    knee,
    steep,
    w,
    bias,
    q,
    steps,
    tol,
    travel,
    first,
    last,
):
    """Update `w`, `bias` and `q` by steps first … last; return (steps, is_done)."""
    n = len(q)
    move, grad_old, shove, numbers = travel
    bias_move = numbers[BIAS_MOVE]
    if first == 1:
        numbers[LOSS] = total_error(q, y, weight, knee, steep) + penalty * np.dot(w, w)
    for n_iter in range(first, last + 1):
        grad, grad_bias = _half_gradient(
            rows, y, weight, shift, penalty, knee, steep, w, q
        )
        step = directions @ (inverse * (directions.T @ grad))
        step_bias = grad_bias / bias_curvature
        fall = np.dot(step, grad) + step_bias * grad_bias
        if steps == 2 and n_iter > 1:
            # Polak and Ribière's factor; a negative one starts anew.
            overlap = np.dot(step, grad_old) + step_bias * numbers[GRAD_BIAS]
            gain, before = fall - overlap, numbers[FALL]
            factor = max(0.0, gain / before) if before > 0.0 else 0.0
            move *= factor
            move += step
            bias_move = factor * bias_move + step_bias
            if np.dot(move, grad) + bias_move * grad_bias <= 0.0:
                move[:], bias_move = step, step_bias
        else:
            move[:], bias_move = step, step_bias
        grad_old[:], numbers[GRAD_BIAS], numbers[FALL] = grad, grad_bias, fall
        numbers[BIAS_MOVE] = bias_move
        offset = bias_move - np.dot(shift, move)
        for i in range(n):
            shove[i] = row_dot(rows, i, move) + offset
        if steps == 2:
            length = _best_length(q, shove, y, weight, knee, steep, penalty, w, move)
        else:
            length = 2.0 if steps == 1 and n_iter > 1 else 1.0
        w += length * move
        bias[0] += length * bias_move
        for i in range(n):
            q[i] += length * shove[i]
        after = total_error(q, y, weight, knee, steep) + penalty * np.dot(w, w)
        numbers[CHANGE] = _relative_change(numbers[LOSS], after)
        numbers[LOSS] = after
        if not numbers[CHANGE] > tol:  # small enough, or not a number any more
            return n_iter, True
    return last, False


@compiled
def _relative_change(before, after):
    """Return by which share of itself the loss fell."""
    return (before - after) / after if after > 0.0 else 0.0


@compiled
def _half_gradient(rows, y, weight, shift, penalty, knee, steep, w, q):
    """Return minus half the gradient in (w, bias)."""
    grad, total = -penalty * w, 0.0
    for i in range(len(q)):
        slope = slope_of(y[i] * q[i], knee, steep)
        if slope > 0.0:  # rows beyond the margin cost nothing
            pull = 0.5 * y[i] * weight[i] * slope
            row_add(rows, i, pull, grad)
            total += pull
    return grad - total * shift, total


@compiled
def _best_length(q, shove, y, weight, knee, steep, penalty, w, move):
    """Return the step length with the least loss, by Newton steps in a bracket."""
    linear, square = 2.0 * penalty * np.dot(w, move), 2.0 * penalty * np.dot(move, move)
    low, high, length, first = 0.0, np.inf, 1.0, 0.0
    for trial in range(_LINE_TRIALS):
        slope, curve = slope_along(q, shove, length, y, weight, knee, steep)
        slope += linear + length * square
        curve += square
        if trial == 0:
            first = abs(slope)
        if abs(slope) <= _LINE_SLOPE * first and trial > 0:
            break
        if slope > 0.0:
            high = length
        else:
            low = length
        newton = length - slope / curve if curve > 0.0 else np.inf
        if not low < newton < high:
            newton = 0.5 * (low + high) if high < np.inf else 2.0 * length
        length = newton
    return length


@compiled
def descend_absolute(
    rows,
    y,
    weight,
    shift,
    has_bias,
    penalty,
    knee,
    steep,
    w,
    bias,
    q,
    length,
    tol,
    travel,
    first,
    last,
):
    """Update `w`, `bias` and `q` by steps first … last; return (steps, is_done)."""
    n, r = len(q), len(w)
    shove, numbers = travel.shove, travel.numbers
    curvature, pull = np.empty(n), np.empty(n)
    system, right = np.empty((r + 1, r + 1)), np.empty(r + 1)
    if first == 1:
        numbers[LOSS] = total_error(q, y, weight, knee, steep) + penalty * np.dot(w, w)
    for n_iter in range(first, last + 1):
        size = numbers[SIZE]
        for i in range(n):
            curvature[i] = 0.25 * weight[i] / max(abs(1.0 - y[i] * q[i]), FLOOR)
            pull[i] = y[i] * (curvature[i] + 0.25 * weight[i])
        bordered_moments(rows, curvature, shift, system)
        shifted_sum(rows, pull, shift, right)
        for j in range(r):
            system[j, j] += penalty
        move, bias_move = -w, 0.0
        if has_bias:
            target = np.linalg.solve(system, right)
            bias_move = target[r] - bias[0]
        else:
            target = np.linalg.solve(system[:r, :r].copy(), right[:r])
        move += target[:r]
        offset = bias_move - np.dot(shift, move)
        for i in range(n):
            shove[i] = row_dot(rows, i, move) + offset
            q[i] += size * shove[i]
        w += size * move
        bias[0] += size * bias_move
        after = total_error(q, y, weight, knee, steep) + penalty * np.dot(w, w)
        numbers[CHANGE] = _relative_change(numbers[LOSS], after)
        numbers[LOSS] = after
        if not numbers[CHANGE] > tol and size == 1.0:
            return n_iter, True
        # Doubled steps swing around the optimum: a plain one has the last word.
        numbers[SIZE] = 1.0 if numbers[CHANGE] <= tol else length
    return last, False
