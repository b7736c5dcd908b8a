"""A whole grid of (gamma, C) on one leaf, for the price of a few fits.

Sharing is the order of the loops: distances serve every gamma, a Gram matrix serves
every C and every machine, and each C starts from the solution of the smaller one.  A
machine whose coefficients all stay inside the box has the same solution for every
larger C: from there on only its certificate is renewed.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from treesvm.solvers import conditions, interior_point, smo

# Pair steps per row before interior points take over: on 1,500-row leaves the crossing
# of the two costs lies between 50 and 80.
PATIENCE = 60
_KEPT_ROWS = 2000  # whose Gram matrix is kept in float64 and, cut, for each machine
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
        Cap on the steps of each machine.  Interior points step in where a cap is worth
        their time; what is not solved otherwise says so.
    """

    def __init__(self, K, machines, weight, *, exact=None, tol=1e-3, max_iter=None):
        self.K, self.machines, self.exact = K, machines, exact
        self.weight = weight[machines.rows]
        self.tol, self.gap_tol, self.max_iter = tol, tol / 10, max_iter
        self.beta = np.zeros(len(machines.rows))
        self.F = -machines.signs.copy()
        self.records = np.zeros(machines.n_machines, RECORD)
        self._starts = machines.starts.tolist()
        sizes = np.diff(machines.starts)  # which machines interior points may finish
        paid = np.inf if max_iter is None else max_iter
        self._has_newton = paid >= PATIENCE * sizes + _newton_price(sizes)
        self._whole = None  # float64 kernel of all rows
        self._is_warm = False
        self._cuts = {}  # Gram matrices of machines, see `_cut`
        self._refreshed = np.zeros(machines.n_machines, bool)  # F is from float64
        largest = max(float(K.max(initial=0.0)), -float(K.min(initial=0.0)))
        self._noise = _FLOAT32_NOISE * largest

    def solve(self, C):
        """Solve every machine at `C`, not below the last one; return their records."""
        signs = self.machines.signs
        upper = np.where(signs > 0, C * self.weight, 0.0)
        lower = np.where(signs > 0, 0.0, -C * self.weight)
        self.records["n_iter"] = 0
        if self._is_warm:
            self._stretch_along_rays(lower, upper)
        memory = self._memory()
        for m, is_held in enumerate(self.records["held"].tolist()):
            problem, state = self._own(m, lower, upper)
            if is_held:
                # The slack that tol leaves is multiplied by the larger C: look again.
                self._look(m, problem, state)
            if not (is_held and self.records["converged"][m]):
                self._descend(m, problem, state, *memory)
        self._note_bounds(lower, upper)
        self._finish(lower, upper)
        self._is_warm = True
        return self.records

    def _own(self, m, lower, upper):
        """Linear term and box of one machine; its coefficients and gradient."""
        own = slice(self._starts[m], self._starts[m + 1])
        problem = (self.machines.signs[own], lower[own], upper[own])
        return problem, (self.beta[own], self.F[own])

    def _rows(self, m):
        """Sorted rows of one machine."""
        return self.machines.rows[self._starts[m] : self._starts[m + 1]]

    def _descend(self, m, problem, state, memory, cut_memory):
        """Pair steps of one machine, from the solution of the last C."""
        K = self._cut(m, cut_memory)
        cap = PATIENCE * len(K) if self._has_newton[m] else self.max_iter
        tolerances = (self.tol, self.gap_tol)
        n_iter, found = smo.descend(K, *problem, *state, *tolerances, cap, memory)
        self.records["n_iter"][m] = n_iter
        self._certify(m, found)

    def _cut(self, m, memory):
        """Return the Gram matrix of one machine; a path of several Cs keeps it."""
        rows = self._rows(m)
        if len(rows) == len(self.K):
            return self.K
        if not self._keeps_cuts:
            return smo.gathered(self.K, rows, memory)
        if m not in self._cuts:
            own = np.empty(len(rows) ** 2, self.K.dtype)
            self._cuts[m] = smo.gathered(self.K, rows, own)
        return self._cuts[m]

    def _stretch_along_rays(self, lower, upper):
        """Scale each warm start to the best multiple that the larger box holds."""
        p, beta, firsts = self.machines.signs, self.beta, self.machines.starts[:-1]
        box = np.where(beta > 0.0, upper, lower)
        share = np.divide(box, beta, out=np.full(len(beta), np.inf), where=beta != 0.0)
        room = np.minimum.reduceat(share, firsts)
        linear = np.add.reduceat(beta * p, firsts)
        quadratic = np.add.reduceat(beta * self.F, firsts) + linear
        best = np.divide(
            linear, quadratic, out=np.full(len(room), np.inf), where=quadratic > 0.0
        )
        factor = np.where(np.isfinite(room), np.minimum(room, best), 1.0)
        factor[self.records["held"]] = 1.0
        factor = np.repeat(np.maximum(factor, 1.0), np.diff(self.machines.starts))
        conditions.scale(self.F, beta, p, factor)
        np.clip(beta, lower, upper, out=beta)

    def _look(self, m, problem, state):
        """Certify one machine as it is now."""
        beta, F = state
        self._certify(m, conditions.state_of(F, beta, *problem))

    def _certify(self, m, found):
        """Note the `conditions.state_of` one machine."""
        violation, gap, bias = found
        record = self.records[m]
        record["violation"], record["gap"], record["bias"] = violation, gap, bias
        record["converged"] = conditions.is_solved(
            violation, gap, self.tol, self.gap_tol
        )

    @property
    def _keeps_cuts(self):
        """Whether this is a path, of rows so few that copies of them may stay."""
        return self._is_warm and len(self.K) <= _KEPT_ROWS

    def _memory(self):
        """Memory for the largest machine, and for the largest Gram matrix cut out."""
        sizes = np.diff(self.machines.starts)
        cut = sizes[sizes < len(self.K)].max(initial=0)
        memory = smo.descent_memory(sizes.max(initial=0), np.float32)
        return memory, np.empty(cut * cut, np.float32)

    def _note_bounds(self, lower, upper):
        """Note each machine's norm, and whether it stays the same for larger C."""
        firsts = self.machines.starts[:-1]
        at_bound = (upper > 0.0) & (self.beta >= upper)
        at_bound |= (lower < 0.0) & (self.beta <= lower)
        inside = ~np.logical_or.reduceat(at_bound, firsts)
        self.records["norm"] = np.sqrt(np.add.reduceat(self.beta**2, firsts))
        self.records["held"] = self.records["converged"] & inside

    def _finish(self, lower, upper):
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
        unsolved = ~records["converged"] & self._has_newton
        for m in np.flatnonzero(noisy | unsolved):
            problem, state = self._own(m, lower, upper)
            rows = self._rows(m)
            exact = self._exact_block(rows)
            if noisy[m]:
                interior_point.refresh(exact, problem[0], *state)
                self._refreshed[m] = True
                self._look(m, problem, state)
            if records["converged"][m]:
                continue
            K = self.K if len(rows) == len(self.K) else self.K[np.ix_(rows, rows)]
            if self._has_newton[m]:
                records["n_iter"][m] += interior_point.finish(
                    K, *problem, *state, tol=self.tol, gap_tol=self.gap_tol, exact=exact
                )
            else:
                records["n_iter"][m] += self._go_on(K, problem, state, exact, m)
            self._look(m, problem, state)
        self._note_bounds(lower, upper)

    def _go_on(self, K, problem, state, exact, m):
        """Pair steps from the float64 gradient, with what is left under the cap."""
        left = self.max_iter - int(self.records["n_iter"][m])
        if left <= 0:
            return 0
        memory = smo.descent_memory(len(problem[0]), K.dtype)
        tolerances = (self.tol, self.gap_tol)
        n_iter, _ = smo.descend(K, *problem, *state, *tolerances, left, memory)
        interior_point.refresh(exact, problem[0], *state)
        return n_iter

    def _exact_block(self, rows):
        """Float64 kernel blocks among the rows of one machine."""
        if self.exact is None:
            K = self.K
            return lambda a, b: K[np.ix_(rows[a], rows[b])].astype(np.float64)
        if len(rows) < len(self.K) and not self._keeps_cuts:
            return lambda a, b: self.exact(rows[a], rows[b])
        if self._whole is None:  # every C asks for it several times
            everything = np.arange(len(self.K))
            self._whole = self.exact(everything, everything)
        return lambda a, b: _block(self._whole, rows[a], rows[b])


def _block(K, rows, columns):
    """Return ``K[rows][:, columns]``, without copies of what is taken whole."""
    K = K if len(rows) == len(K) else K[rows]
    return K if len(columns) == K.shape[1] else K.take(columns, axis=1)


def leaf_path(
    gram,
    kernel,
    machines,
    weight,
    gammas,
    Cs,
    *,
    chain_of=GramChain,
    tol=1e-3,
    max_iter=None,
):
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
    chain_of : class
        `GramChain`, or that of another loss, see `losses`.
    """
    for gamma in gammas:
        own = kernel.with_gamma(gamma)
        chain = chain_of(
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


def _newton_price(n):
    """How many pair steps take as long as interior points on n rows.

    Fifteen Newton steps of two thirds of the rows; at least as many as they may do.
    """
    return np.maximum(n * n / 15, 4 * n + 200)


def _slack_weights(starts, p, box, beta, F):
    """How much a slack of one in every support vector adds to each relative gap."""
    firsts = starts[:-1]
    boxes = np.add.reduceat(np.where(beta != 0.0, box, 0.0), firsts)
    dual_objective = np.add.reduceat(beta * (p - F), firsts) / 2.0
    with np.errstate(over="ignore"):  # an infinite weight is a fair answer
        return boxes / np.maximum(dual_objective, 1e-300)
