"""Cutting-plane subspace pursuit: a kernel machine with a fixed budget of vectors.

Joachims and Yu (2009) train a machine whose w lies in a span that grows,

    min_w  1/2 |w|^2 + sum_i u_i max(0, 1 - y_i f(x_i)),   w in span{phi(b_j)}

The machine is solved in the span it has. Its dual variables a make up the cutting plane
Psi = sum_i a_i y_i phi(x_i), whose projection onto the span is w, and the next vector b
is the one that captures most of what is left,

    <phi(b), Psi - w>^2 / |phi(b) - its projection onto the span|^2 ,

among the training rows ("training", CPSP(tr)), or anywhere ("free", CPSP), where a
fixed-point iteration for RBF kernels looks for it from the best training rows. Several
machines (one for each class against the rest) share the vectors: gains are summed.

The span is kept as an orthonormal basis: row x has features F(x) with F(x)'F(z) = the
kernel within the span, made one vector at a time by a partial Cholesky factorisation.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from treesvm.solvers.low_rank_machine import solve_low_rank

_INDEPENDENT = 1e-9  # least share of |phi(b)|^2 outside the span for a new vector
_FIXED_POINT_STEPS = 50
_FIXED_POINT_STARTS = 5


class Subspace(NamedTuple):
    """A budgeted machine: f(x) = sum_j coefficients_j k(b_j, x) + biases."""

    vectors: np.ndarray  # (k, n_features)
    rows: np.ndarray  # (k,) training rows they are, -1 for free vectors
    coefficients: np.ndarray  # (k, n_machines)
    biases: np.ndarray  # (n_machines,)
    gaps: np.ndarray  # (n_solves, n_machines) relative duality gap of every solve
    converged: np.ndarray  # (n_solves, n_machines)


class PursuitOptions(NamedTuple):
    """How vectors are searched and machines solved."""

    budget: int
    is_free: bool
    tol: float
    max_iter: int
    n_candidates: int


def pursue(kernel, X, Y, upper, options, *, rng, tell=None):
    """Train machines in a span that grows to the budget.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray of shape (n, n_features)
    Y : ndarray of shape (n, n_machines)
        Labels -1 and +1.
    upper : ndarray of shape (n,)
        Weight of each row's hinge loss.
    options : PursuitOptions
    rng : numpy Generator
        Draws the candidates, where there are more rows than `n_candidates`.
    tell : callable, optional
        Called without arguments after every vector.

    Returns
    -------
    Subspace
    """
    span = _Span(kernel, X, options.budget)
    solver = _SpanSolver(Y, upper, options)
    chosen = np.arange(len(X))
    if len(X) > options.n_candidates:
        chosen = np.sort(rng.choice(len(X), options.n_candidates, replace=False))
    search = _VectorSearch(span, chosen, options.is_free)
    solver.solve(span.features())
    while span.size < options.budget:
        vector, row = search.best(solver.dual(), solver.weights)
        if not span.add(vector, row):
            break
        search.follow_span()
        solver.solve(span.features())
        if tell is not None:
            tell()
    return Subspace(
        np.array(span.vectors).reshape(span.size, X.shape[1]),
        np.array(span.rows, np.int64),
        span.kernel_coefficients(solver.weights),
        solver.biases,
        np.array(solver.gaps),
        np.array(solver.converged),
    )


class _Span:
    """Vectors and the orthonormal features of the training rows."""

    def __init__(self, kernel, X, budget):
        self.kernel, self.X = kernel, X
        self.vectors, self.rows = [], []
        self._F = np.zeros((len(X), budget))
        self._factor = np.zeros((budget, budget))  # features of the vectors, lower

    @property
    def size(self):
        return len(self.vectors)

    def features(self):
        return self._F[:, : self.size]

    def features_of(self, points):
        """Features of any points, shape (n, size)."""
        if self.size == 0:
            return np.zeros((len(points), 0))
        K = self.kernel.block(np.array(self.vectors), points, np.float64)
        factor = self._factor[: self.size, : self.size]
        return solve_triangular(factor, K, lower=True).T

    def add(self, vector, row):
        """Add a vector; False if it lies in the span already."""
        k = self.size
        own = self.features_of(vector[None])[0]
        norm2 = self.kernel.diagonal(vector[None])[0]
        outside = norm2 - own @ own
        if outside <= _INDEPENDENT * norm2:
            return False
        column = self.kernel.block(self.X, vector[None], np.float64)[:, 0]
        self._F[:, k] = (column - self._F[:, :k] @ own) / np.sqrt(outside)
        self._factor[k, :k], self._factor[k, k] = own, np.sqrt(outside)
        self.vectors.append(vector)
        self.rows.append(row)
        return True

    def kernel_coefficients(self, weights):
        """Coefficients of the kernel values, from weights of the features."""
        factor = self._factor[: self.size, : self.size]
        return solve_triangular(factor, weights, lower=True, trans=1)


class _SpanSolver:
    """The machines in the span: weights, biases and dual variables."""

    def __init__(self, Y, upper, options):
        self._Y, self._upper, self._options = Y, upper, options
        self._alpha = np.zeros_like(Y)
        self.weights, self.biases = np.zeros((0, Y.shape[1])), np.zeros(Y.shape[1])
        self.gaps, self.converged = [], []

    def dual(self):
        """Signed dual variables, shape (n, n_machines)."""
        return self._alpha * self._Y

    def solve(self, F):
        self.weights = np.zeros((F.shape[1], self._Y.shape[1]))
        gaps, converged = [], []
        for m in range(self._Y.shape[1]):
            solution, self._alpha[:, m] = solve_low_rank(
                F,
                self._Y[:, m],
                self._upper,
                tol=self._options.tol,
                max_iter=self._options.max_iter,
            )
            self.weights[:, m] = solution.coefficients
            self.biases[m] = solution.bias
            gaps.append(solution.gap)
            converged.append(solution.converged)
        self.gaps.append(gaps)
        self.converged.append(converged)


class _VectorSearch:
    """Finds the vector that captures most of what the span does not hold."""

    def __init__(self, span, chosen, is_free):
        self._span, self._chosen, self._is_free = span, chosen, is_free
        self._points = span.X[chosen]
        self._norms = span.kernel.diagonal(self._points)
        self._K = span.kernel.block(span.X, self._points, np.float64)
        self._F = np.zeros((len(chosen), 0))

    def follow_span(self):
        """Take over the features of the candidates; they are training rows."""
        self._F = self._span.features()[self._chosen]

    def best(self, dual, weights):
        """Return (vector, its row or -1)."""
        gains = self._gains(self._K.T @ dual, self._F, self._norms, weights)
        order = np.argsort(-gains, kind="stable")
        best = self._points[order[0]], int(self._chosen[order[0]])
        if not self._is_free:
            return best
        most = gains[order[0]]
        for k in order[:_FIXED_POINT_STARTS]:
            vector, gain = self._climb(self._points[k], dual, weights)
            if gain > most:
                best, most = (vector, -1), gain
        return best

    @staticmethod
    def _gains(projections, F, norms, weights):
        left = projections - F @ weights  # <phi(b), Psi - w> for each machine
        outside = norms - np.einsum("ij,ij->i", F, F)
        gains = (left**2).sum(axis=1) / np.maximum(outside, 1e-300)
        gains[outside <= _INDEPENDENT * norms] = -1.0
        return gains

    def _climb(self, vector, dual, weights):
        """Fixed-point iteration for a pre-image of Psi - w under an RBF kernel."""
        span, gain = self._span, -np.inf
        points, pulls = span.X, dual
        if span.size:
            points = np.vstack([points, np.array(span.vectors)])
            pulls = np.vstack([dual, -span.kernel_coefficients(weights)])
        best = vector
        for _ in range(_FIXED_POINT_STEPS):
            K = span.kernel.block(points, vector[None], np.float64)[:, 0]
            left = K @ pulls
            F = span.features_of(vector[None])
            found = self._gains((K[: len(dual)] @ dual)[None], F, np.ones(1), weights)
            if found[0] <= gain * (1 + 1e-6):
                break
            best, gain = vector, found[0]
            mass = (pulls @ left) * K
            if not abs(mass.sum()) > 1e-12 * np.abs(mass).sum():
                break
            vector = mass @ points / mass.sum()
        return best, gain
