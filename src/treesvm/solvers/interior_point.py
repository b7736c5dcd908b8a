"""Interior point steps for the few problems on which pair steps crawl.

Solves the problem of `smo`,

    min_v  1/2 v'Hv - q'v     s.t.  sum(v) = total,  lower <= v <= upper

by Mehrotra's predictor-corrector method.  With z and w the multipliers of the lower and
the upper bound, x = v - lower and s = upper - v, each Newton system has the matrix
H + diag(z/x + w/s), bordered by the row of ones of the equality.  Where H is close to a
matrix of low rank (an RBF kernel with small gamma), H = GG' + diag(rest) makes a system
cost n r^2 instead of n^3.

Ill-conditioned problems (C >= 10^4, small gamma) take SMO millions of steps, and this
10 to 20 Newton steps.  The rows that SMO has settled at a bound stay there.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lapack

from treesvm.kernels.compiling import compiled, slices
from treesvm.solvers import conditions, smo

_TARGET = 1e-5  # share of the allowed gap that Newton steps leave
# Snap where distance / width < share * multiplier: all, then only the clearest cases.
_SHARES = (1.0, 1e-2, 1e-4, 1e-6, 0.0)
# Slopes that hold a row at its bound, in each round: at least this share of the largest
# violation, between two numbers.  Few rows are quick, and mostly enough; then many.
_FIRM = ((0.5, 0.01, 1.0), (3.0, 1.0, 10.0), (3.0, 10.0, 100.0))
_MARGIN = 3.0  # how much larger than the guess's the gap of the start is
_STEP_BACK = 0.995  # share of the way to the boundary that a step may go
_FEW_AT_BOUND = 0.1  # of the support vectors: the margin is as good as hard
_FLOAT32_GAP = 1e-6  # more is not asked of steps on a float32 kernel
_FLOAT64_NOISE = 1e-14  # share of a sum that is rounding
_RANK_SHARE = 0.35  # above this rank / n the dense factorisation is cheaper


class _Point(NamedTuple):
    """Variables of one interior point iterate."""

    v: np.ndarray
    b: float
    z: np.ndarray
    w: np.ndarray


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # ends, see below
def finish(K, p, lower, upper, beta, F, *, tol, gap_tol, exact=None):
    """Bring an SMO answer to optimality; update `beta` and `F` in place.

    Every round solves the unsettled rows by interior points, moves coefficients that
    ended beside a bound onto it, and lets SMO check all rows.

    Parameters
    ----------
    exact : callable, optional
        ``exact(rows, columns)`` returns a float64 block of the kernel that `K` rounds
        to float32.  With C = 10^5 the rounding of K alone is worth more than `gap_tol`.

    Returns
    -------
    n_iter : int
        Newton steps and pair steps done.
    """
    n_iter, memory = 0, smo.descent_memory(len(p), K.dtype)
    exact = _widened(K) if exact is None else exact
    refresh(exact, p, beta, F)
    start = beta.copy(), F.copy(), conditions.relative_gap(F, beta, p, lower, upper)
    at_bound = np.count_nonzero((beta != 0.0) & ((beta <= lower) | (beta >= upper)))
    if at_bound <= _FEW_AT_BOUND * np.count_nonzero(beta):
        # Pair steps may have found the bounds and crawl among the free rows alone.
        n_iter += minimise_free(exact, p, lower, upper, beta, F)
        violation, gap, _ = conditions.state_of(F, beta, p, lower, upper)
        if conditions.is_solved(violation, gap, tol, gap_tol):
            return n_iter
    for firm in _FIRM:
        rows = np.flatnonzero(_worth_solving(F, beta, lower, upper, *firm))
        if len(rows) < 2:
            break
        allowed = 0.3 * gap_tol * abs(conditions.dual_objective(F, beta, p))
        n_iter += _solve_rows(exact, rows, lower, upper, beta, F, allowed)
        refresh(exact, p, beta, F)
        done, (violation, gap, _) = smo.descend(
            K, p, lower, upper, beta, F, tol, gap_tol, len(p), memory
        )
        n_iter += done
        if conditions.is_solved(violation, gap, tol, gap_tol):
            refresh(exact, p, beta, F)  # pair steps have added up what float32 rounds
            gap = conditions.relative_gap(F, beta, p, lower, upper)
            if gap <= max(10.0 * gap_tol, _FLOAT32_GAP):
                break
    if (
        not conditions.relative_gap(F, beta, p, lower, upper) <= start[2]
    ):  # worse, or NaN
        beta[:], F[:] = start[0], start[1]
    return n_iter


def _widened(K):
    """Blocks of `K` itself in float64, for callers that know no better."""
    return lambda rows, columns: K[np.ix_(rows, columns)].astype(np.float64)


def refresh(exact, p, beta, F):
    """Recompute `F` in place from `beta` and the float64 kernel."""
    active = np.flatnonzero(beta)
    # Rows, not columns, of the symmetric kernel: they are collected in one go.
    F[:] = beta[active] @ exact(active, np.arange(len(p))) - p


def _worth_solving(F, beta, lower, upper, doubt, least, most):
    """Free rows, and rows at a bound whose slope may not hold them there.

    The further `beta` is from optimal, the less a slope says, between two bounds.
    """
    slope = F + conditions.bias_of(F, lower, upper)
    violation = conditions.violation_of(F, beta, lower, upper)
    firm = min(max(doubt * violation, least), most)
    held = (beta <= lower) & (slope > firm) | (beta >= upper) & (slope < -firm)
    return ~held & (upper > lower)


def _solve_rows(exact, rows, lower, upper, beta, F, allowed):
    """Solve the problem in `rows` with the others fixed; update `beta`."""
    before = beta[rows]
    total = before.sum()
    H = _centred(exact(rows, rows))
    q = H @ before - F[rows]  # up to a constant, which changes b alone
    box = lower[rows], upper[rows]
    beta[rows], n_iter = solve_interior_point(
        H, q, *box, total, target=_TARGET * allowed, allowed=allowed, guess=before
    )
    return n_iter


def _centred(K):
    """Return a centred copy of a kernel.

    That changes v'Kv on sum(v) = total by a linear term only, and makes K, which may be
    a kernel minus a constant, positive semi-definite.
    """
    mean = K.mean(axis=0)
    H = K - mean
    H -= (mean - mean.mean())[:, None]
    return H


def minimise_free(exact, p, lower, upper, beta, F):
    """Move the free rows towards their common minimum, as far as the box allows.

    Updates `beta` and, where it moved, `F`; returns the Newton steps done, none or one.
    """
    free = np.flatnonzero((beta > lower) & (beta < upper))
    if len(free) < 2:
        return 0
    H = _centred(exact(free, free))
    v = beta[free]
    _free_step(H, F[free], lower[free], upper[free], v)
    beta[free] = v
    refresh(exact, p, beta, F)
    return 1


def _free_step(H, slope, lower, upper, v):
    """One Newton step of the rows inside the box; whether it stayed there.

    Updates `v`, whose sum stays the same.  The objective never rises.
    """
    free = np.flatnonzero((v > lower) & (v < upper))
    if len(free) < 2:
        return True
    solver = _DenseSolver(H if len(free) == len(v) else H[np.ix_(free, free)])
    try:
        solver.factorise(np.zeros(len(free)))
    except LinAlgError:
        return True
    ones = np.ones(len(free))
    by_slope, by_ones = solver.solve(np.column_stack([slope[free], ones])).T
    step = by_ones * (by_slope.sum() / by_ones.sum()) - by_slope
    step -= step.mean()
    if not (np.isfinite(step).all() and slope[free] @ step < 0.0):
        return True
    reach = _reach(v[free] - lower[free], step, upper[free] - v[free], -step)
    v[free] = np.clip(v[free] + reach * step, lower[free], upper[free])
    return reach >= 1.0


def solve_interior_point(
    H, q, lower, upper, total, *, target, allowed=None, guess=None, max_iter=40
):
    """Minimise ``1/2 v'Hv - q'v`` with ``sum(v) = total`` in the box.

    Starts near `guess`, by default the middle of the box, and stops when the duality
    gap is at most `target`.  Returns ``v`` with coefficients beside a bound moved onto
    it, as many as a gap of `allowed` permits (by default all that seem to belong
    there), and the number of Newton steps.
    """
    allowed = np.inf if allowed is None else allowed
    solver = _newton_solver(H)
    guess = (lower + upper) / 2 if guess is None else guess
    point = _start(H, q, lower, upper, guess)
    n_iter = 0
    for n_iter in range(1, max_iter + 1):  # noqa: B007 (returned below)
        x, s = point.v - lower, upper - point.v
        Hv = solver.product(point.v)
        stationarity = Hv - q + point.b - point.z + point.w
        balance = point.v.sum() - total
        gap = x @ point.z + s @ point.w
        if gap <= target or min(x.min(), s.min(), point.z.min(), point.w.min()) <= 0:
            break  # solved, or as close as float64 gets
        try:
            step = _newton_step(solver, point, x, s, stationarity, balance, gap)
        except LinAlgError:
            break
        if not all(np.isfinite(part).all() for part in step):
            break
        point = step
    return _sparse(H, q, point, lower, upper, total, allowed), n_iter


def _start(H, q, lower, upper, guess):
    """Return a point near `guess` whose products of distance and multiplier are even.

    Rows at a bound move off it until the product is the mean of the guess's gap, times
    a margin: from far too small products Newton steps would be short.
    """
    slope = H @ guess - q
    b = conditions.bias_of(slope, lower, upper)
    slope += b
    rising, falling = np.maximum(slope, 0.0), np.maximum(-slope, 0.0)
    gap = (guess - lower) @ rising + (upper - guess) @ falling
    mu = _MARGIN * gap / (2 * len(q))
    off = np.minimum(mu / np.maximum(np.abs(slope), 1e-300), (upper - lower) / 4)
    v = np.clip(guess, lower + off, upper - off)
    return _Point(v, b, rising + mu / (v - lower), falling + mu / (upper - v))


def _newton_step(solver, point, x, s, stationarity, balance, gap):
    """One predictor-corrector step."""
    n = len(x)
    solver.factorise(point.z / x + point.w / s)
    mu = gap / (2 * n)
    dv, db, dz, dw = _direction(
        solver, point, x, s, stationarity, balance, -x * point.z, -s * point.w
    )
    reach_v = _reach(x, dv, s, -dv)
    reach_m = _reach(point.z, dz, point.w, dw)
    x_after, s_after = x + reach_v * dv, s - reach_v * dv
    z_after, w_after = point.z + reach_m * dz, point.w + reach_m * dw
    mu_after = (x_after @ z_after + s_after @ w_after) / (2 * n)
    target = mu * (mu_after / mu) ** 3
    dv, db, dz, dw = _direction(
        solver,
        point,
        x,
        s,
        stationarity,
        balance,
        target - x * point.z - dv * dz,
        target - s * point.w + dv * dw,
    )
    step_v = min(1.0, _STEP_BACK * _reach(x, dv, s, -dv))
    step_m = min(1.0, _STEP_BACK * _reach(point.z, dz, point.w, dw))
    step = min(step_v, step_m)  # a quadratic objective wants one step for both
    return _Point(
        point.v + step * dv,
        point.b + step * db,
        point.z + step * dz,
        point.w + step * dw,
    )


def _direction(solver, point, x, s, stationarity, balance, on_lower, on_upper):
    """Newton direction for the given right-hand sides of x z and s w."""
    rhs = -stationarity + on_lower / x - on_upper / s
    by_rhs, by_ones = solver.solve(np.column_stack([rhs, np.ones_like(rhs)])).T
    db = (by_rhs.sum() + balance) / by_ones.sum()
    dv = by_rhs - db * by_ones
    dz = (on_lower - point.z * dv) / x
    dw = (on_upper + point.w * dv) / s
    return dv, db, dz, dw


def _reach(a, da, c, dc):
    """Largest step in [0, 1] that keeps a + step da and c + step dc non-negative."""
    reach = 1.0
    for values, change in ((a, da), (c, dc)):
        shrinking = change < 0
        if shrinking.any():
            reach = min(reach, float((-values[shrinking] / change[shrinking]).min()))
    return reach


def _sparse(H, q, point, lower, upper, total, allowed):
    """The answer with the most coefficients on their bounds whose gap is `allowed`."""
    for share in _SHARES:
        v = _snap(point, lower, upper, total, share)
        r = q - H @ v - point.b
        if np.sum(np.maximum(lower * r, upper * r) - v * r) <= allowed:
            break
    return v


def _snap(point, lower, upper, total, share):
    """Move coefficients onto the bound whose multiplier outweighs their distance."""
    width = np.maximum(upper - lower, 1e-300)
    v = np.clip(point.v, lower, upper)
    at_lower = (v - lower) / width < share * point.z
    at_upper = (upper - v) / width < share * point.w
    v = np.where(at_lower, lower, np.where(at_upper, upper, v))
    free = np.flatnonzero(~(at_lower | at_upper))
    return _balanced(v, free, lower, upper, total)


def _balanced(v, free, lower, upper, total):
    """Restore ``sum(v) = total``, first with the free rows, then with all."""
    noise = _FLOAT64_NOISE * np.abs(v).sum()
    for rows in (free, np.arange(len(v))):
        missing = total - v.sum()
        if abs(missing) <= noise:  # not worth moving rows off their bounds
            break
        room = (upper[rows] - v[rows]) if missing > 0 else (v[rows] - lower[rows])
        available = room.sum()
        if available > 0:
            v[rows] += np.sign(missing) * room * min(1.0, abs(missing) / available)
    return v


def _newton_solver(H):
    """The cheaper of the two ways to solve with H + diag(theta)."""
    G, rest = pivoted_cholesky(H, max_rank=int(_RANK_SHARE * len(H)))
    if G is None:
        return _DenseSolver(H)
    return _LowRankSolver(H, G, rest)


class _DenseSolver:
    """Cholesky factor of H + diag(theta)."""

    def __init__(self, H):
        self.H, self._work = H, np.empty_like(H)
        self.size = np.abs(H).max()

    def product(self, v):
        return self.H @ v

    def factorise(self, theta):
        # float32 kernels are positive semi-definite only up to rounding.
        size = self.size
        jitter = 1e-9 * np.abs(self.H.diagonal()).mean()
        while True:
            A = self._work
            np.copyto(A, self.H)
            A[np.diag_indices_from(A)] += theta + jitter
            factor, failed = lapack.dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
            if failed == 0:
                self.factor = factor
                return
            if not jitter < len(self.H) * size:  # would dominate H, or is NaN
                raise LinAlgError("H + diag(theta) has no Cholesky factor")
            jitter = max(100 * jitter, 1e-12 * size)

    def solve(self, rhs):
        return cho_solve((self.factor, True), rhs, check_finite=False)


class _LowRankSolver:
    """Woodbury's identity for GG' + diag(rest + theta)."""

    def __init__(self, H, G, rest):
        self.H, self.G, self.rest = H, G, rest

    def product(self, v):
        return self.H @ v

    def factorise(self, theta):
        self.root = np.sqrt(self.rest + theta)[:, None]
        self.half = self.G / self.root
        inner = self.half.T @ self.half  # BLAS knows that this is symmetric
        inner[np.diag_indices_from(inner)] += 1.0
        self.factor = cho_factor(inner, check_finite=False)

    def solve(self, rhs):
        first = rhs / self.root
        if not self.half.shape[1]:  # SciPy before 1.14 solves no empty system
            return first / self.root
        inner = cho_solve(self.factor, self.half.T @ first, check_finite=False)
        return (first - self.half @ inner) / self.root


def pivoted_cholesky(H, max_rank, rel_tol=1e-7):
    """Return (G, rest) with ``H ~ GG' + diag(rest)``, or (None, None) at high rank."""
    G = np.zeros((max(max_rank, 1), len(H)))
    residual = np.diag(H).copy()
    floor = rel_tol * residual.max()
    for first, last in slices(len(G), G.size):
        rank = _pivot(H, G, residual, floor, first - 1, last)
        if rank < last:
            return np.ascontiguousarray(G[:rank].T), np.maximum(residual, 0.0)
    return None, None


@compiled
def _pivot(H, G, residual, floor, first, last):
    """Fill rows of `G` by pivoted Cholesky; return the rank, `last` if it is more."""
    n = len(residual)
    for k in range(first, last):
        i = np.argmax(residual)
        if residual[i] <= floor:
            return k
        root = np.sqrt(residual[i])
        row = G[k]
        for t in range(n):
            row[t] = H[i, t]
        for a in range(k):
            weight = G[a, i]
            previous = G[a]
            for t in range(n):
                row[t] -= weight * previous[t]
        for t in range(n):
            row[t] /= root
            residual[t] -= row[t] * row[t]
        residual[i] = 0.0
    return last
