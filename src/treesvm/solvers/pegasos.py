"""Pegasos: projected stochastic subgradient steps for the weighted linear SVM.

Minimises the objective of `treesvm.solvers.dual_descent`,

    f(w, b) = lambda/2 (|w|^2 + b^2) + sum_i p_i max(0, 1 - y_i (w @ x_i + b)).

Step t draws a batch of k rows with probabilities p_i / sum(p), steps by 1/(lambda t)
against the batch's subgradient and projects onto the ball that holds the optimum,
|(w, b)|^2 <= sum(p)/lambda. The answer is the mean of the second half of the steps,
whose error falls like 1/t (Shalev-Shwartz, Singer and Srebro, ICML 2007; Rakhlin,
Shamir and Sridharan, ICML 2012, for the mean).

``rule="paper"`` is the variant of Rodriguez-Lujan et al. (2012), section 2: the bias is
not penalised and moves ``bias_rate`` times slower, w alone is projected, the last point
is the answer, and the solver stops when w moves less than `tol` in one step. A batch as
large as the set is the set itself, each row once with its weight, as the paper takes
the smaller of k and the rows of a node; smaller batches are drawn by weight, where the
paper draws evenly and weighs: both have the same mean.

Symbols used below: ``penalty`` is lambda, ``batch`` is k.
"""

from typing import NamedTuple

import numpy as np

from treesvm.inputs.row_access import row_add, row_arrays, row_dot
from treesvm.kernels.compiling import VISIT, compiled, slices
from treesvm.solvers import xorshift
from treesvm.solvers.linear_optimality import linear_violation, relative_gap
from treesvm.solvers.solution import Solution

_RULES = ("mean", "paper")


class Walk(NamedTuple):
    """How far the steps are; the last three belong to the mean of steps."""

    random: np.ndarray  # state of the generator
    v: np.ndarray  # sum of the rows that were hit
    counts: np.ndarray  # (3, n): hits, hits x the clock at their time, settled shares
    numbers: np.ndarray  # see the names below


_LEAST_SHRUNK = 1e-100  # below this the shares so far are settled; 0 divides nothing
V_BIAS, CLOCK, SHRUNK = range(3)


def _start(seed, n_rows, n_features):
    """Return a `Walk` that has not begun."""
    random = np.array([xorshift.start(seed)], np.uint64)
    numbers = np.array([0.0, 0.0, 1.0])
    return Walk(random, np.zeros(n_features), np.zeros((3, n_rows)), numbers)


def solve_pegasos(
    X,
    y,
    weight,
    penalty,
    *,
    rule="mean",
    batch=32,
    tol=None,
    max_iter=100_000,
    bias_rate=0.01,
    seed=0,
):
    """Train a linear SVM by stochastic subgradient steps.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        Labels -1 and +1.
    weight : ndarray of shape (n_rows,)
        The weights p.
    penalty : float
        lambda.
    rule : {"mean", "paper"}
        Penalised bias and mean of steps, or the paper's own rule.
    batch : int
        Rows in a step, k.
    tol : float, optional
        With "mean": the duality gap, relative to the objective, at which to stop (0.02
        by default); it is measured after 1/8, 1/4, 1/2 and all of the steps. With
        "paper": the length of a step of w at which to stop, epsilon_P (1e-4).
    max_iter : int
        Largest number of steps, T.
    bias_rate : float
        tau of the paper; used by ``rule="paper"`` only.
    seed : int

    Returns
    -------
    Solution
        `coefficients` is w. `gap` and `violation` certify it with the dual variables
        that the steps add up to, clipped to their box: valid, though pessimistic.
    """
    if rule not in _RULES:
        raise ValueError(f"rule={rule!r} is unknown; use one of {_RULES}.")
    y, weight = np.asarray(y, dtype=np.float64), np.asarray(weight, dtype=np.float64)
    rows, mass = row_arrays(X), np.cumsum(weight)
    batch = min(batch, len(y)) if rule == "paper" else batch
    cost = (batch + 4) * (X.shape[1] + VISIT)
    if rule == "paper":
        tol = 1e-4 if tol is None else tol
        w, b, hits = np.zeros(X.shape[1]), np.zeros(1), np.zeros(len(y))
        problem = rows, y, weight, mass, penalty, batch, bias_rate, tol
        random, n_iter = _start(seed, 0, 0).random, 0
        for first, last in slices(max_iter, cost):
            n_iter, is_done = _paper_steps(*problem, first, last, random, w, b, hits)
            if is_done:
                break
        certificate = _certify(X, y, weight, penalty, w, b[0], hits / n_iter)
        return Solution(w, float(b[0]), *certificate, n_iter, n_iter < max_iter)
    tol, problem = 2e-2 if tol is None else tol, (rows, y, mass, penalty, batch)
    for n_iter in (max_iter // 8, max_iter // 4, max_iter // 2, max_iter):
        w, b, hits = np.zeros(X.shape[1]), np.zeros(1), np.zeros(len(y))
        walk = _start(seed, len(y), X.shape[1])
        for first, last in slices(max(2, n_iter), cost):
            _mean_steps(*problem, max(2, n_iter), first, last, walk, w, b)
        count, before, settled = walk.counts
        hits += settled + (walk.numbers[CLOCK] * count - before)
        violation, gap = _certify(X, y, weight, penalty, w, b[0], hits)
        if gap <= tol:
            break
    return Solution(w, float(b[0]), violation, gap, max(2, n_iter), gap <= tol)


def _certify(X, y, weight, penalty, w, b, hits):
    """Return (violation, gap) with alpha from how often each row drew a step."""
    alpha = np.clip(hits * weight.sum() / penalty, 0.0, weight / penalty)
    violation = linear_violation(X, y, weight, penalty, w, b, alpha)
    return violation, relative_gap(X, y, weight, penalty, w, b, alpha)


@compiled
def _mean_steps(rows, y, mass, penalty, batch, n_iter, first, last, walk, w, b):
    """Add the mean of the later half of the steps to `w`, `b`.

    ``counts[2] + clock * counts[0] - counts[1]`` is at the end the share of draws, in
    the same mean, in which each row had a loss. v_t = S_t / (penalty t) with S_t the
    sum of hit rows, so only the sum is updated and its scale is kept apart. `clock` is
    the running sum of the factors with which counts enter the mean: a count made at
    clock c enters with its end minus c.
    """
    random, v, counts, numbers = walk
    count, before, settled = counts[0], counts[1], counts[2]
    state = random[0]
    v_b, clock, shrunk = numbers[V_BIAS], numbers[CLOCK], numbers[SHRUNK]
    total, late = mass[-1], n_iter - n_iter // 2
    for t in range(first, last + 1):
        scale = 1.0 / (penalty * max(t - 1, 1))
        drawn, n_hit, state = _losers(rows, y, mass, batch, v, v_b, scale, state)
        for s in range(n_hit):
            step = y[drawn[s]] * total / batch
            row_add(rows, drawn[s], step, v)
            v_b += step
            count[drawn[s]] += 1.0 / (batch * shrunk)
            before[drawn[s]] += clock / (batch * shrunk)
        scale = 1.0 / (penalty * t)
        norm2 = (v @ v + v_b * v_b) * scale * scale
        if norm2 > total / penalty:
            shrink = np.sqrt(total / (penalty * norm2))
            v *= shrink
            v_b *= shrink
            shrunk *= shrink
            if shrunk < _LEAST_SHRUNK:
                settled += clock * count - before
                count *= shrunk
                before[:] = 0.0
                clock, shrunk = 0.0, 1.0
        if t > n_iter - late:
            w += v * (scale / late)
            b[0] += v_b * (scale / late)
            clock += shrunk / (t * late)
    random[0] = state
    numbers[V_BIAS], numbers[CLOCK], numbers[SHRUNK] = v_b, clock, shrunk


@compiled
def _paper_steps(
    rows,
    y,
    weight,
    mass,
    penalty,
    batch,
    bias_rate,
    tol,
    first,
    last,
    random,
    w,
    b,
    hits,
):
    """Update `w`, `b` in place by the paper's rule; return (steps done, is_done)."""
    state, total, is_whole = random[0], mass[-1], batch == len(y)
    for t in range(first, last + 1):
        rate = 1.0 / (penalty * t)
        if is_whole:
            drawn, n_hit = _all_losers(rows, y, w, b[0])
        else:
            drawn, n_hit, state = _losers(rows, y, mass, batch, w, b[0], 1.0, state)
        before = w.copy()
        w *= 1.0 - 1.0 / t
        for s in range(n_hit):
            i = drawn[s]
            share = weight[i] / total if is_whole else 1.0 / batch
            step = rate * y[i] * total * share
            row_add(rows, i, step, w)
            b[0] += bias_rate * step
            hits[i] += share
        norm2 = w @ w
        if norm2 > total / penalty:
            w *= np.sqrt(total / (penalty * norm2))
        before -= w
        if t > 1 and before @ before < tol * tol:
            return t, True
    random[0] = state
    return last, False


@compiled
def _all_losers(rows, y, v, v_b):
    """Return the rows of the set that have a loss, and their number."""
    found = np.empty(len(y), np.int64)
    n_hit = 0
    for i in range(len(y)):
        if y[i] * (row_dot(rows, i, v) + v_b) < 1.0:
            found[n_hit] = i
            n_hit += 1
    return found, n_hit


@compiled
def _losers(rows, y, mass, batch, v, v_b, scale, state):
    """Draw a batch by weight; return its rows with a loss, their number, the state."""
    drawn = np.empty(batch, np.int64)
    n_hit = 0
    for _ in range(batch):
        state = xorshift.advance(state)
        place = xorshift.unit(state) * mass[-1]
        i = min(np.searchsorted(mass, place, side="right"), len(y) - 1)
        if y[i] * (row_dot(rows, i, v) + v_b) * scale < 1.0:
            drawn[n_hit] = i
            n_hit += 1
    return drawn, n_hit, state
