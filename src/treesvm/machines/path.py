"""A whole grid of (gamma, C) on one leaf, for the price of a few fits.

Sharing is the order of the loops: distances serve every gamma, a Gram matrix serves
every C and every machine, and each C starts from the solution of the smaller one.  A
machine whose coefficients all stay inside the box has the same solution for every
larger C: from there on only its certificate is renewed.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from treesvm.kernels import compiling
from treesvm.kernels.compiling import compiled, inner
from treesvm.solvers import conditions, interior_point, smo

# Pair steps per row before interior points take over: on 1,500-row leaves the crossing
# of the two costs lies between 30 and 60.
PATIENCE = 40
_FLOAT32_NOISE = 3e-8  # typical rounding of a float32 kernel value near one


# What is known of each machine after a solve.  `held`: no coefficient touches its
# bound, so that the solution stays the same for every larger C.
RECORD = np.dtype(
    [
        ("bias", np.float64),
        ("violation", np.float64),
        ("gap", np.float64),
        ("norm", np.float64),
        ("n_iter", np.int64),
        ("converged", np.bool_),
        ("held", np.bool_),
    ]
)


def solution_record(solution):
    """Return the one-entry record of a `Solution`."""
    record = np.zeros(1, RECORD)
    for name in ("bias", "violation", "gap", "n_iter", "converged"):
        record[name] = getattr(solution, name)
    return record


class PathPoint(NamedTuple):
    """All machines of a leaf, solved at one (gamma, C)."""

    gamma: float
    C: float
    coefficients: np.ndarray  # of all machines, joined: see Machines
    records: np.ndarray  # bias, violation, gap, n_iter, converged of each machine


class GramChain:
    """The machines of one Gram matrix, solved for ascending C.

    Parameters
    ----------
    K : ndarray of shape (n, n), float32
        Gram matrix of the rows sorted by class, up to an additive constant.
    machines : Machines
    weight : ndarray of shape (n,)
        Weight of each sorted row; its box is C * weight.
    exact : callable, optional
        ``exact(rows, columns)``: float64 block of the kernel behind `K`.
    tol : float
    max_iter : int or None
        Cap on the pair steps of each machine.  With a cap, interior points do not step
        in: what is not solved by then says so.
    """

    def __init__(self, K, machines, weight, *, exact=None, tol=1e-3, max_iter=None):
        self.K, self.machines, self.exact = K, machines, exact
        self.weight = weight[machines.rows]
        self.tol, self.gap_tol, self.max_iter = tol, tol / 10, max_iter
        self.beta = np.zeros(len(machines.rows))
        self.F = -machines.signs.copy()
        self.records = np.zeros(machines.n_machines, RECORD)
        self._refreshed = np.zeros(machines.n_machines, bool)  # F is from float64
        self._noise = _FLOAT32_NOISE * (float(np.abs(K).max()) if K.size else 0.0)

    def solve(self, C):
        """Solve every machine at `C`, not below the last one; return their records."""
        signs = self.machines.signs
        upper = np.where(signs > 0, C * self.weight, 0.0)
        lower = np.where(signs > 0, 0.0, -C * self.weight)
        self.records["n_iter"] = 0
        arrays = (self.machines.starts, signs, lower, upper, self.beta, self.F)
        tolerances = (self.tol, self.gap_tol)
        capped = self.max_iter is not None
        memory, cut_memory = self._memory()
        m = 0
        while m < self.machines.n_machines:
            memory.progress[smo.OPERATIONS] = compiling.SLICE
            m = solve_all(
                self.K,
                self.machines.rows,
                arrays,
                tolerances,
                -1 if capped else PATIENCE,
                self.max_iter if capped else -1,
                self.records,
                memory,
                cut_memory,
                m,
            )
        self._finish(lower, upper, by_interior_points=not capped)
        return self.records

    def _memory(self):
        """Memory for the largest machine, and for the largest Gram matrix cut out."""
        sizes = np.diff(self.machines.starts)
        cut = sizes[sizes < len(self.K)].max(initial=0)
        memory = smo.descent_memory(sizes.max(initial=0), np.float32)
        return memory, np.empty(cut * cut, np.float32)

    def _finish(self, lower, upper, by_interior_points):
        """Settle in float64 what float32 cannot, and finish what pair steps did not."""
        records = self.records
        noisy = self._noise * records["norm"] > 0.1 * self.tol
        starts = self.machines.starts
        state = (self.beta, self.F)
        weights = _slack_weights(starts, self.machines.signs, upper - lower, *state)
        doubt = self._noise * records["norm"] * weights
        noisy |= records["gap"] + doubt > 10.0 * self.gap_tol
        self._refreshed &= records["n_iter"] == 0
        noisy &= ~self._refreshed
        unsolved = ~records["converged"] if by_interior_points else False
        for m in np.flatnonzero(noisy | unsolved):
            own = slice(starts[m], starts[m + 1])
            problem = (self.machines.signs[own], lower[own], upper[own])
            state = (self.beta[own], self.F[own])
            rows = self.machines.rows[own]
            exact = self._exact_block(rows)
            if noisy[m]:
                interior_point.refresh(exact, problem[0], *state)
                self._refreshed[m] = True
                _certify(*problem, *state, self.tol, self.gap_tol, records[m : m + 1])
            if records["converged"][m]:
                continue
            K = self.K if len(rows) == len(self.K) else self.K[np.ix_(rows, rows)]
            if by_interior_points:
                records["n_iter"][m] += interior_point.finish(
                    K, *problem, *state, tol=self.tol, gap_tol=self.gap_tol, exact=exact
                )
            else:
                records["n_iter"][m] += self._go_on(K, problem, state, exact, m)
            _certify(*problem, *state, self.tol, self.gap_tol, records[m : m + 1])

    def _go_on(self, K, problem, state, exact, m):
        """Pair steps from the float64 gradient, with what is left under the cap."""
        left = self.max_iter - int(self.records["n_iter"][m])
        if left <= 0:
            return 0
        n_iter, _, _ = smo.descend(
            K,
            *problem,
            *state,
            self.tol,
            self.gap_tol,
            left,
            smo.descent_memory(len(problem[0]), K.dtype),
        )
        interior_point.refresh(exact, problem[0], *state)
        return n_iter

    def _exact_block(self, rows):
        """Float64 kernel blocks among the rows of one machine."""
        if self.exact is None:
            K = self.K
            return lambda a, b: K[np.ix_(rows[a], rows[b])].astype(np.float64)
        return lambda a, b: self.exact(rows[a], rows[b])


def leaf_path(gram, kernel, machines, weight, gammas, Cs, *, tol=1e-3, max_iter=None):
    """Yield a `PathPoint` for every gamma and, ascending, every C.

    Parameters
    ----------
    gram : Gram
        Of the rows sorted by class.
    kernel : Kernel
        Its gamma comes from `gammas`.
    machines : Machines
    weight : ndarray of shape (n,)
        Weight of every sorted row.
    gammas, Cs : sequence of float
    """
    for gamma in gammas:
        own = kernel.with_gamma(gamma)
        chain = GramChain(
            gram.matrix(own),
            machines,
            weight,
            exact=partial(gram.exact, own),
            tol=tol,
            max_iter=max_iter,
        )
        for C in sorted(Cs):
            records = chain.solve(C)
            yield PathPoint(gamma, C, chain.beta.copy(), records.copy())


def _slack_weights(starts, p, box, beta, F):
    """How much a slack of one in every support vector adds to each relative gap."""
    firsts = starts[:-1]
    boxes = np.add.reduceat(np.where(beta != 0.0, box, 0.0), firsts)
    dual_objective = np.add.reduceat(beta * (p - F), firsts) / 2.0
    with np.errstate(over="ignore"):  # an infinite weight is a fair answer
        return boxes / np.maximum(dual_objective, 1e-300)


@compiled
def solve_all(
    K, rows, arrays, tolerances, patience, max_iter, records, memory, cut_memory, first
):
    """Solve every machine that is not held; update arrays and records in place.

    Begins with machine `first`, and returns the one to go on with when the operations
    in the memory's progress are used up.
    """
    starts, p, lower, upper, beta, F = arrays
    tol, gap_tol = tolerances
    for m in range(first, len(starts) - 1):
        a, b = starts[m], starts[m + 1]
        size = b - a
        own_p, own_lower, own_upper = p[a:b], lower[a:b], upper[a:b]
        own_beta, own_F = beta[a:b], F[a:b]
        record = records[m : m + 1]
        is_begun = memory.progress[smo.BUDGET] > 0
        if record[0].held and not is_begun:
            # The slack that tol leaves is multiplied by the larger C: look again.
            _certify(own_p, own_lower, own_upper, own_beta, own_F, tol, gap_tol, record)
            if record[0].converged:
                continue
        if size == len(K):
            sub = K
        else:
            sub = smo.gathered(K, rows[a:b], cut_memory)
        if not is_begun:
            _stretch_along_ray(own_p, own_lower, own_upper, own_beta, own_F)
        cap = patience * size if max_iter < 0 else max_iter
        is_done, _, _ = smo.descend_on(
            sub,
            own_p,
            own_lower,
            own_upper,
            own_beta,
            own_F,
            tol,
            gap_tol,
            cap,
            memory,
        )
        if not is_done:
            return m
        record[0].n_iter = int(memory.progress[smo.N_ITER])
        _certify(own_p, own_lower, own_upper, own_beta, own_F, tol, gap_tol, record)
    return len(starts) - 1


@compiled
def _certify(p, lower, upper, beta, F, tol, gap_tol, record):
    """Fill one machine's record from its coefficients and gradient."""
    violation = conditions.violation_of(F, beta, lower, upper)
    bias = conditions.bias_of(F, lower, upper)
    gap = conditions.gap_at(bias, F, beta, p, lower, upper)
    norm2, inside = 0.0, True
    for t in range(len(p)):
        norm2 += beta[t] * beta[t]
        if upper[t] > 0.0 and beta[t] >= upper[t]:
            inside = False
        if lower[t] < 0.0 and beta[t] <= lower[t]:
            inside = False
    converged = conditions.is_solved(violation, gap, tol, gap_tol)
    record[0].bias = bias
    record[0].violation = violation
    record[0].gap = gap
    record[0].norm = np.sqrt(norm2)
    record[0].converged = converged
    record[0].held = converged and inside


@inner
def _stretch_along_ray(p, lower, upper, beta, F):
    """Scale the warm start to the best multiple of it that the larger box holds."""
    quadratic, linear, room = 0.0, 0.0, np.inf
    for t in range(len(p)):
        quadratic += beta[t] * (F[t] + p[t])
        linear += beta[t] * p[t]
        if beta[t] > 0.0:
            room = min(room, upper[t] / beta[t])
        elif beta[t] < 0.0:
            room = min(room, lower[t] / beta[t])
    if room == np.inf or room <= 1.0:
        return
    scale = room if quadratic <= 0.0 else min(room, linear / quadratic)
    if scale <= 1.0:
        return
    for t in range(len(p)):
        F[t] = (F[t] + p[t]) * scale - p[t]
        beta[t] = min(max(beta[t] * scale, lower[t]), upper[t])
