"""Working sets for problems whose Gram matrix does not fit the memory budget.

Each round takes the few hundred rows that violate optimality most, solves the problem
among them by pair steps on their own small Gram matrix, and brings the gradient of all
rows up to date from the cached kernel rows.  Only kernel rows that once entered a
working set are ever computed, in blocks, by BLAS.

When most rows are settled at a bound the rounds go on among the others; the gradient of
all rows is recomputed before anything is called solved.  With a working set of all rows
this is `smo`.
"""

from itertools import count

import numpy as np

from treesvm.kernels.block_cache import RowCache
from treesvm.solvers import conditions, smo
from treesvm.solvers.pair_steps import pair_steps, step_memory
from treesvm.solvers.solution import Solution

# Rows that move in one round: more of them for more rows, whose rounds cost more.
_FEWEST, _MOST, _WORKING_SHARE = 512, 1024, 1 / 16
_INNER_SHARE = 0.1  # inner problems are solved to this share of the outer violation
_STEPS_PER_ROW = 60  # cap of the inner pair steps
_LOOK_EVERY = 8  # rounds between looks at how many rows are settled
_SHRINK_SHARE = 0.6  # go on with the unsettled rows alone when they are fewer than this
_FLOAT32_NOISE = 6e-8
_FLOAT32_FLOOR = 1e-3  # finer than this the rounding of kernel rows decides


def solve_blocked(
    kernel,
    X,
    p,
    lower,
    upper,
    *,
    max_bytes,
    tol=1e-3,
    max_iter=smo.STALL_CAP,
    working_set=None,
    beta=None,
    twin=None,
    n_jobs=None,
):
    """Solve the problem of `smo.solve_smo` without holding its Gram matrix.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    p, lower, upper : ndarray of shape (n,)
        Linear term and box.
    max_bytes : int
        Budget for cached kernel rows.
    tol : float
    max_iter : int
        Cap on pair steps.
    working_set : int, optional
        Rows that move in one round.
    beta : ndarray of shape (n,), optional
        Feasible start.
    twin : ndarray of shape (n,), optional
        Row of `X` behind each variable, when several variables share rows.
    n_jobs : int, optional
        Threads that compute kernel rows and update the gradient.

    Returns
    -------
    Solution
    """
    twin = np.arange(len(p)) if twin is None else twin
    if working_set is None:
        working_set = min(max(_FEWEST, int(_WORKING_SHARE * len(p))), _MOST)
    beta = np.zeros(len(p)) if beta is None else np.array(beta, dtype=np.float64)
    F = -np.asarray(p, dtype=np.float64)
    problem = _Problem(kernel, X, twin, max_bytes, working_set, n_jobs)
    everything = np.arange(len(p))
    problem.add_change(everything, beta, F, everything)
    n_iter, rows = 0, everything
    goal = tol  # tightened when a violation of tol is not yet a fair gap
    while True:
        n_iter += problem.rounds(rows, lower, upper, beta, F, goal, max_iter - n_iter)
        violation = conditions.violation_of(F, beta, lower, upper)
        if violation <= goal:
            gap = conditions.relative_gap(F, beta, p, lower, upper)
            if gap + problem.doubt(beta, F, p, upper - lower) > tol:
                problem.refresh(beta, F, p)
                violation = conditions.violation_of(F, beta, lower, upper)
                gap = conditions.relative_gap(F, beta, p, lower, upper)
            if conditions.is_solved(violation, gap, tol, tol / 10):
                break
            goal = 0.3 * goal
        if n_iter >= max_iter or problem.stuck or goal < _FLOAT32_FLOOR * tol:
            break
        few = conditions.unsettled(F, beta, lower, upper)
        rows = few if len(few) < _SHRINK_SHARE * len(p) else everything
    gap = conditions.relative_gap(F, beta, p, lower, upper)
    converged = bool(conditions.is_solved(violation, gap, tol, tol / 10))
    bias = conditions.bias_of(F, lower, upper)
    return Solution(beta, bias, float(violation), float(gap), n_iter, converged)


class _Problem:
    """Kernel rows of one problem, and the rounds over parts of it."""

    def __init__(self, kernel, X, twin, max_bytes, working_set, n_jobs):
        self.kernel, self.X, self.twin, self.n_jobs = kernel, X, twin, n_jobs
        self.max_bytes, self.working_set = max_bytes, working_set
        self.stuck, self._memory = False, None
        self.reach = kernel.row_reach(X)

    def rounds(self, rows, lower, upper, beta, F, tol, max_iter):
        """Work on `rows` until they are solved, or few enough of them are left.

        Updates `beta` and `F` of all rows; returns the pair steps done.
        """
        whole = len(rows) == len(F)
        own_rows, own_twin = np.unique(self.twin[rows], return_inverse=True)
        if whole:
            X, own_twin = self.X, self.twin
        else:
            X = self.kernel.take(self.X, own_rows)
        size = min(self.working_set, len(rows))
        least = min(size, len(own_rows))
        budget = self.max_bytes, least, self.n_jobs, self._memory
        cache = RowCache(self.kernel, X, *budget)
        self._memory = cache.memory
        state = (lower[rows], upper[rows], beta[rows], F[rows])
        n_iter, previous = 0, np.zeros(0, np.int64)
        for k in count(1):
            violation = conditions.violation_of(state[3], state[2], *state[:2])
            if violation <= tol * (1.0 if whole else 0.5) or n_iter >= max_iter:
                break
            if whole and k % _LOOK_EVERY == 0 and self._may_shrink(state):
                break
            chosen = _choose(state, size, previous)
            goal = max(0.3 * tol, _INNER_SHARE * violation)
            cap = min(_STEPS_PER_ROW * len(chosen), max_iter - n_iter)
            done = _solve_chosen(cache, own_twin, chosen, state, goal, cap)
            if done == 0 and len(previous) == 0:
                self.stuck = True  # no pair can move any further in floating point
                break
            previous = chosen if done else np.zeros(0, np.int64)
            n_iter += done
        change = state[2] - beta[rows]
        if whole:
            F[:] = state[3]
        else:
            F[rows] = state[3]
            others = np.setdiff1d(np.arange(len(F)), rows, assume_unique=True)
            self.add_change(rows, change, F, others)
        beta[rows] = state[2]
        return n_iter

    def _may_shrink(self, state):
        lower, upper, beta, F = state
        left = len(conditions.unsettled(F, beta, lower, upper))
        return left < _SHRINK_SHARE * len(F)

    def doubt(self, beta, F, p, box):
        """How much the rounding of float32 kernel values may add to the gap."""
        counts = beta != 0
        own, reach = beta[counts], self.reach[self.twin[counts]]
        noise = (reach * np.linalg.norm(own) + np.linalg.norm(own * reach)) / 2
        dual = abs(conditions.dual_objective(F, beta, p))
        return _FLOAT32_NOISE * (noise @ box[counts]) / max(dual, 1e-300)

    def refresh(self, beta, F, p):
        """Recompute `F` from the kernel in float64."""
        everything = np.arange(self.X.shape[0])
        active = np.flatnonzero(beta)
        sums = self._sums(self.twin[active], beta[active], everything, np.float64)
        F[:] = sums[self.twin] - p

    def add_change(self, rows, change, F, targets):
        """Add ``K[targets][:, rows] @ change`` to ``F[targets]``."""
        moved = np.flatnonzero(change)
        if len(moved) == 0 or len(targets) == 0:
            return
        wanted, back = np.unique(self.twin[targets], return_inverse=True)
        own = self.twin[rows[moved]]
        F[targets] += self._sums(own, change[moved], wanted, np.float32)[back]

    def _sums(self, rows, amounts, wanted, dtype):
        """Return ``K[wanted][:, rows] @ amounts``, block by block."""
        columns, place = np.unique(rows, return_inverse=True)
        weights = np.bincount(place, amounts, minlength=len(columns)).astype(dtype)
        X = self.X if len(wanted) == self.X.shape[0] else self.X[wanted]
        sums = np.zeros(len(wanted))
        vectors = self.kernel.vectors(self.X, columns)
        if len(columns):
            for part, K in self.kernel.blocks(X, vectors, columns, dtype):
                sums[part] = K @ weights
        return sums


def _choose(state, size, previous):
    """The rows that violate most on either side, half of them from the last round."""
    lower, upper, beta, F = state
    n = len(F)
    if size >= n:
        return np.arange(n)
    taken = np.zeros(n, bool)
    kept = previous[_may_move(F, beta, lower, upper, previous)]
    if len(kept) > size // 2:
        order = np.argsort(-np.abs(F[kept] - np.median(F[kept])), kind="stable")
        kept = kept[order[: size // 2]]
    taken[kept] = True
    room = size - len(kept)
    rising = np.where((beta < upper) & ~taken, F, np.inf)
    falling = np.where((beta > lower) & ~taken, -F, np.inf)
    for key, share in ((rising, room // 2), (falling, room - room // 2)):
        key[taken] = np.inf
        best = np.argpartition(key, share)[:share]
        taken[best[np.isfinite(key[best])]] = True
    return np.flatnonzero(taken)


def _may_move(F, beta, lower, upper, rows):
    """Rows of the last working set that are free or violate optimality."""
    least_rising, most_falling = conditions.extremes(F, beta, lower, upper)
    can_rise, can_fall = beta[rows] < upper[rows], beta[rows] > lower[rows]
    return (can_rise & (F[rows] < most_falling)) | (can_fall & (F[rows] > least_rising))


def _solve_chosen(cache, twin, chosen, state, tol, max_iter):
    """Pair steps among the chosen rows; update beta and F of the state in place.

    Their own Gram matrix is computed anew: that takes less time than to collect it from
    cached rows, and rows that did not move are never needed as a whole.
    """
    lower, upper, beta, F = state
    own = twin[chosen]
    rows, place = np.unique(own, return_inverse=True)
    sub = cache.among(rows)
    if not np.array_equal(rows, own):
        sub = sub[np.ix_(place, place)]
    before = beta[chosen]
    own_beta, own_F = before.copy(), F[chosen]
    done = pair_steps(
        sub,
        lower[chosen],
        upper[chosen],
        own_beta,
        own_F,
        tol,
        max_iter,
        *step_memory(len(chosen)),
    )
    change = np.bincount(place, own_beta - before, minlength=len(rows))
    moved = np.flatnonzero(change)
    F += cache.weighted_sum(rows[moved], change[moved])[twin]
    beta[chosen] = own_beta
    return done
