"""What the gradient alone tells about an answer: bias, violation, gap, settled rows.

Everything here is a function of the problem of `smo` (linear term p and box), its
coefficients beta and their gradient F = K beta - p, in one or two passes over the rows.
"""

import numpy as np

from treesvm.kernels.compiling import compiled, inner


def is_solved(violation, gap, tol, gap_tol):
    """The one stopping rule: a small gap, or a small violation with a fair gap.

    The violation alone says little at C = 10^5, where it is multiplied by C.
    """
    return gap <= gap_tol or (violation <= tol and gap <= 10.0 * gap_tol)


@compiled
def bias_of(F, lower, upper):
    """Return the b that minimises the primal objective for the given gradient.

    The loss sum_t max_{lower <= v <= upper} -v (F_t + b) is convex and piecewise linear
    in b with kinks at -F_t.  An interval around the kink where its slope turns positive
    is split at the mean of the kinks inside it until none is left.  (Sorting the kinks
    is no faster, and takes seconds to compile.)
    """
    low, high, total = np.inf, -np.inf, 0.0
    for t in range(F.shape[0]):
        low, high = min(low, -F[t]), max(high, -F[t])
        total += upper[t]
    flat = 1e-9 * total
    if _slope_after(low, F, lower, upper) > flat:
        return low
    while True:
        middle = _mean_between(low, high, F)
        if not low < middle < high:
            break
        if _slope_after(middle, F, lower, upper) > flat:
            high = middle
        else:
            low = middle
    kink, previous = _kinks_around(low, F)
    if _slope_after(previous, F, lower, upper) >= -flat:
        return (previous + kink) / 2.0  # flat between two kinks: its middle
    return kink


@inner
def _slope_after(b, F, lower, upper):
    """Slope of the loss just right of b."""
    slope = 0.0
    for t in range(F.shape[0]):
        slope -= upper[t] if -F[t] > b else lower[t]
    return slope


@inner
def _mean_between(low, high, F):
    """Mean of the kinks strictly between two values, NaN if there is none."""
    total, n_inside = 0.0, 0
    for t in range(F.shape[0]):
        if low < -F[t] < high:
            total -= F[t]
            n_inside += 1
    return total / n_inside if n_inside > 0 else np.nan


@inner
def _kinks_around(b, F):
    """Return the smallest kink above b and the largest one up to b."""
    above, below = np.inf, -np.inf
    for t in range(F.shape[0]):
        if -F[t] > b:
            above = min(above, -F[t])
        else:
            below = max(below, -F[t])
    if above == np.inf:
        above = below
    return above, below


@compiled
def extremes(F, beta, lower, upper):
    """Return the smallest F that can rise and the largest F that can fall."""
    least_rising, most_falling = np.inf, -np.inf
    for t in range(F.shape[0]):
        if beta[t] < upper[t]:
            least_rising = min(least_rising, F[t])
        if beta[t] > lower[t]:
            most_falling = max(most_falling, F[t])
    return least_rising, most_falling


@compiled
def violation_of(F, beta, lower, upper):
    """Largest amount by which some falling row's F exceeds some rising row's F."""
    least_rising, most_falling = extremes(F, beta, lower, upper)
    return max(0.0, most_falling - least_rising)


@compiled
def state_of(F, beta, p, lower, upper):
    """Return the violation, the relative gap and the bias.

    The relative gap is the duality gap over the objective.  With r = -(F + b), the gap
    is the sum of max_{lower <= v <= upper} v r - beta r; every term is >= 0.
    """
    b = bias_of(F, lower, upper)
    gap, norm2, linear = 0.0, 0.0, 0.0
    for t in range(F.shape[0]):
        r = -(F[t] + b)
        gap += (upper[t] if r > 0.0 else lower[t]) * r - beta[t] * r
        norm2 += beta[t] * (F[t] + p[t])
        linear += beta[t] * p[t]
    dual = linear - norm2 / 2.0
    relative = gap / max(abs(dual), abs(dual + gap), 1e-300)
    return violation_of(F, beta, lower, upper), relative, b


def relative_gap(F, beta, p, lower, upper):
    """Return the relative gap alone."""
    return state_of(F, beta, p, lower, upper)[1]


@compiled
def dual_objective(F, beta, p):
    """Return p'beta - 1/2 beta'K beta, from the gradient."""
    total = 0.0
    for t in range(F.shape[0]):
        total += beta[t] * (p[t] - F[t])
    return total / 2.0


@compiled
def stretch(F, beta, p, lower, upper):
    """Scale `beta` and update `F` so that no margin falls short of one.

    Only for classifiers (p = ±1) in which no row is held by its far bound (a hard
    margin): there the slack that a small violation leaves is multiplied by a large C,
    while the scaling costs the dual objective only its square.
    """
    least_rising, most_falling = extremes(F, beta, lower, upper)
    b = -(least_rising + most_falling) / 2.0
    short, room = 0.0, np.inf
    for t in range(F.shape[0]):
        if beta[t] > 0.0:
            room = min(room, upper[t] / beta[t])
        elif beta[t] < 0.0:
            room = min(room, lower[t] / beta[t])
        if abs(p[t]) != 1.0:
            return
        r = -(F[t] + b)
        if upper[t] > 0.0:
            short = max(short, r)
        if lower[t] < 0.0:
            short = max(short, -r)
    if room <= 1.0 or short <= 0.0 or short > 0.5:
        return
    scale = 1.0 / (1.0 - short)
    if scale >= room:
        return
    for t in range(F.shape[0]):
        F[t] = (F[t] + p[t]) * scale - p[t]
        beta[t] *= scale


def unsettled(F, beta, lower, upper):
    """Return the rows that are free, or at a bound they might still leave."""
    rows = np.empty(len(F), np.int64)
    return rows[: write_unsettled(F, beta, lower, upper, rows)]


@compiled
def write_unsettled(F, beta, lower, upper, rows):
    """Write the unsettled rows to the front of `rows`; return how many they are."""
    least_rising, most_falling = extremes(F, beta, lower, upper)
    n = 0
    for t in range(F.shape[0]):
        can_rise = beta[t] < upper[t]
        can_fall = beta[t] > lower[t]
        settled_low = not can_fall and F[t] > most_falling
        settled_high = not can_rise and F[t] < least_rising
        if not (settled_low or settled_high):
            rows[n] = t
            n += 1
    return n
