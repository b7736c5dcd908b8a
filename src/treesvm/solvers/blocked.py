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

# Rows that move in one round.  No power of two: columns of their Gram matrix would then
# share the same few lines of the processor's cache.
_WORKING_ROWS = 1000
_KEPT_SHARE = 0.6  # of them, for the next round
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
    working_set=_WORKING_ROWS,
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
    working_set : int
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
        working = _WorkingSet(cache, own_twin, size)
        n_iter = 0
        for k in count(1):
            violation = conditions.violation_of(state[3], state[2], *state[:2])
            if violation <= tol * (1.0 if whole else 0.5) or n_iter >= max_iter:
                break
            if whole and k % _LOOK_EVERY == 0 and self._may_shrink(state):
                break
            was_fresh = working.is_fresh
            working.choose(state)
            goal = max(0.3 * tol, _INNER_SHARE * violation)
            done = working.solve(state, goal, max_iter - n_iter)
            if done == 0 and was_fresh:
                self.stuck = True  # no pair can move any further in floating point
                break
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
        noise = np.linalg.norm(beta) * (self.reach[self.twin[counts]] @ box[counts])
        dual = abs(conditions.dual_objective(F, beta, p))
        return _FLOAT32_NOISE * noise / max(dual, 1e-300)

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


class _WorkingSet:
    """The rows that move in a round, with their own Gram matrix.

    It is computed anew where rows have changed: that takes less time than to collect it
    from cached rows, and rows that did not move are never needed as a whole.
    """

    def __init__(self, cache, twin, size):
        self.cache, self.twin, self.size = cache, twin, size
        self.rows, self.gram = np.zeros(0, np.int64), np.zeros((0, 0), np.float32)
        self.is_fresh = True  # no row is to stay

    def choose(self, state):
        """Take the rows that violate most on either side; some of the last set stay."""
        lower, upper, beta, F = state
        rising = np.where(beta < upper, F, np.inf)
        falling = np.where(beta > lower, -F, np.inf)
        stays = np.zeros(len(self.rows), bool)
        if not self.is_fresh:
            stays = self._stay(rising, falling)
        kept = self.rows[stays]
        rising[kept] = falling[kept] = np.inf
        room = min(self.size, len(F)) - len(kept)
        first = _smallest(rising, room // 2)
        falling[first] = np.inf
        self._exchange(stays, np.append(first, _smallest(falling, room - len(first))))

    def _stay(self, rising, falling):
        """Whether rows are free or violate optimality, the worst of them."""
        up, down = rising[self.rows], falling[self.rows]
        stays = (up < -falling.min()) | (down < -rising.min())
        most = int(_KEPT_SHARE * self.size)
        if np.count_nonzero(stays) > most:
            slopes = np.where(np.isfinite(up), up, -down)
            off = np.abs(slopes - np.median(slopes[stays]))
            off[~stays] = -1.0
            stays[np.argpartition(off, -most)[:-most]] = False
        return stays

    def _exchange(self, stays, fresh):
        """Put `fresh` rows in the place of those that do not stay."""
        places = np.flatnonzero(~stays)
        if len(places) != len(fresh):
            self.rows = np.append(self.rows[stays], fresh)
            own = self.twin[self.rows]
            self.gram = self.cache.among(own, own)
            return
        self.rows[places] = fresh
        own = self.twin[self.rows]
        block = self.cache.among(own[places], own)
        self.gram[places] = block
        self.gram[:, places] = block.T

    def solve(self, state, tol, most_steps):
        """Pair steps; update beta and F of the state in place, return how many."""
        lower, upper, beta, F = state
        rows = self.rows
        before = beta[rows]
        own_beta, own_F = before.copy(), F[rows]
        cap = min(_STEPS_PER_ROW * len(rows), most_steps)
        box, memory = (lower[rows], upper[rows]), step_memory(len(rows))
        done = pair_steps(self.gram, *box, own_beta, own_F, tol, cap, *memory)
        self.is_fresh = done == 0
        beta[rows] = own_beta
        own, place = np.unique(self.twin[rows], return_inverse=True)
        change = np.bincount(place, own_beta - before, minlength=len(own))
        moved = np.flatnonzero(change)
        F += self.cache.weighted_sum(own[moved], change[moved])[self.twin]
        return done


def _smallest(keys, count):
    """Return where the smallest finite numbers are, up to `count` of them."""
    if count < len(keys):
        found = np.argpartition(keys, count)[:count]
    else:
        found = np.arange(len(keys))
    return found[np.isfinite(keys[found])]
