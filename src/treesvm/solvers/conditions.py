"""What the gradient alone tells about an answer: bias, violation, gap, settled rows.

Everything here is a function of the problem of `smo` (linear term p and box), its
coefficients beta and their gradient F = K beta - p, in one or two passes over the rows.
"""

import numpy as np

from treesvm.kernels.compiling import compiled


def is_solved(violation, gap, tol, gap_tol):
    """The one stopping rule: a small gap, or a small violation with a fair gap.

    The violation alone says little at C = 10^5, where it is multiplied by C.
    """
    return gap <= gap_tol or (violation <= tol and gap <= 10.0 * gap_tol)


# Plain comparisons below where `min` and `max` would do: each of those is one more
# function to compile.
@compiled(error_model="numpy")
def bias_of(F, lower, upper):
    """Return the b that minimises the primal objective for the given gradient.

    The loss sum_t max_{lower <= v <= upper} -v (F_t + b) is convex and piecewise linear
    in b with kinks at -F_t.  An interval around the kink where its slope turns positive
    is split at the mean of the kinks inside it until none is left.  (Sorting the kinks
    is no faster, and takes seconds to compile.)
    """
    n, total, flat = F.shape[0], 0.0, 0.0
    for t in range(n):
        total -= F[t]
        flat += 1e-9 * upper[t]
    low, high, slope_after_low, middle = -np.inf, np.inf, -np.inf, total / n
    while low < middle < high:
        slope, below, n_below, above, n_above = 0.0, 0.0, 0, 0.0, 0
        for t in range(n):
            kink = -F[t]
            if kink > middle:
                slope -= upper[t]
                if kink < high:
                    above += kink
                    n_above += 1
            else:
                slope -= lower[t]
                if low < kink < middle:
                    below += kink
                    n_below += 1
        if slope > flat:
            high, middle = middle, below / n_below  # NaN if there is none
        else:
            low, slope_after_low, middle = middle, slope, above / n_above
    turn, previous = np.inf, -np.inf  # the first kink above `low`, the last up to it
    for t in range(n):
        kink = -F[t]
        if kink > low:
            turn = kink if kink < turn else turn
        else:
            previous = kink if kink > previous else previous
    if turn == np.inf:
        return previous
    if slope_after_low >= -flat:
        return (previous + turn) / 2.0  # flat between two kinks: its middle
    return turn


def extremes(F, beta, lower, upper):
    """Return the smallest F that can rise and the largest F that can fall."""
    rising = np.where(beta < upper, F, np.inf)
    falling = np.where(beta > lower, F, -np.inf)
    return rising.min(initial=np.inf), falling.max(initial=-np.inf)


def violation_of(F, beta, lower, upper):
    """Largest amount by which some falling row's F exceeds some rising row's F."""
    least_rising, most_falling = extremes(F, beta, lower, upper)
    return max(0.0, most_falling - least_rising)


@compiled(error_model="numpy")
def state_of(F, beta, p, lower, upper):
    """Return the violation, the relative gap and the bias.

    The relative gap is the duality gap over the objective.  With r = -(F + b), the gap
    is the sum of max_{lower <= v <= upper} v r - beta r; every term is >= 0.
    """
    b = bias_of(F, lower, upper)
    gap, norm2, linear, least_rising, most_falling = 0.0, 0.0, 0.0, np.inf, -np.inf
    for t in range(F.shape[0]):
        r = -(F[t] + b)
        if beta[t] < upper[t] and F[t] < least_rising:
            least_rising = F[t]
        if beta[t] > lower[t] and F[t] > most_falling:
            most_falling = F[t]
        gap += (upper[t] if r > 0.0 else lower[t]) * r - beta[t] * r
        norm2 += beta[t] * (F[t] + p[t])
        linear += beta[t] * p[t]
    dual = abs(linear - norm2 / 2.0)
    primal = abs(linear - norm2 / 2.0 + gap)
    violation = most_falling - least_rising
    size = (primal if primal > dual else dual) + 1e-300
    return violation if violation > 0.0 else 0.0, gap / size, b


def relative_gap(F, beta, p, lower, upper):
    """Return the relative gap alone."""
    return state_of(F, beta, p, lower, upper)[1]


def dual_objective(F, beta, p):
    """Return p'beta - 1/2 beta'K beta, from the gradient."""
    return float(beta @ (p - F)) / 2.0


def stretch(F, beta, p, lower, upper):
    """Scale `beta` and update `F` so that no margin falls short of one.

    Only for classifiers (p = ±1) in which no row is held by its far bound (a hard
    margin): there the slack that a small violation leaves is multiplied by a large C,
    while the scaling costs the dual objective only its square.
    """
    if (np.abs(p) != 1.0).any():
        return
    least_rising, most_falling = extremes(F, beta, lower, upper)
    lack = (least_rising + most_falling) / 2.0 - F
    short = max(
        lack.max(where=upper > 0.0, initial=0.0),
        -lack.min(where=lower < 0.0, initial=0.0),
    )
    if 0.0 < short <= 0.5 and 1.0 / (1.0 - short) < room(beta, lower, upper):
        scale(F, beta, p, 1.0 / (1.0 - short))


def room(beta, lower, upper):
    """Return the largest multiple of `beta` that the box holds."""
    used = np.flatnonzero(beta)
    own = beta[used]
    return (np.where(own > 0.0, upper[used], lower[used]) / own).min(initial=np.inf)


def scale(F, beta, p, factor):
    """Multiply `beta`, and update `F`."""
    beta *= factor
    F += p
    F *= factor
    F -= p


def unsettled(F, beta, lower, upper):
    """Return the rows that are free, or at a bound they might still leave."""
    least_rising, most_falling = extremes(F, beta, lower, upper)
    is_settled = np.greater(F, most_falling) & (beta <= lower)
    is_settled |= np.less(F, least_rising) & (beta >= upper)
    return np.flatnonzero(~is_settled)
