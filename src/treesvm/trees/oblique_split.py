"""Split a node by a linear SVM with balanced weights.

In a node with the rows S, each side of the classes gets half of the weight, so that the
weights p sum to one, and the SVM minimises

    lambda_S/2 (|w|^2 + b^2) + sum_i p_i max(0, 1 - y_i (w @ z_i + b))

over the node's own standardised features z = (x - mean) / deviation; (w, b) is folded
back to x afterwards. ``standardize=False`` takes z = x. ``regularization="paper"``
takes lambda_S = lambda * |S|, which is equation (8) of Rodriguez-Lujan, Santa Cruz and
Huerta (Pattern Recognition 45, 2012) with weights that sum to one; "mean" takes
lambda_S = lambda in every node. The paper's own node has its features as they are, its
regularisation and its Pegasos.

Sparse rows are divided by the deviation only: to centre them would fill them, and the
bias takes up the shift.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from treesvm.inputs.row_access import row_arrays, row_dot
from treesvm.kernels.compiling import compiled
from treesvm.solvers.dual_descent import descend
from treesvm.solvers.pegasos import solve_pegasos
from treesvm.trees.class_sides import centroid_sides, majority_sides
from treesvm.trees.growth import Split

_FLAT = 1e-9  # a feature whose deviation is smaller, relative to its mean, is constant
_DENSE_ENTRIES = 20_000_000  # a node of sparse rows is made dense up to this size
_BATCH = 32  # k of Pegasos
_BIAS_RATE = 0.01  # tau of the paper
# Margins; duality gap relative to the objective; the paper's epsilon_P.
AUTO_TOL = {"dual": 0.1, "pegasos": 2e-2, "pegasos-paper": 1e-4}
_GAIN = 1e-12  # entropies nearer than this, relatively, are equal up to rounding


class PlaneOptions(NamedTuple):
    """How the hyperplane of a node is found."""

    alpha: float  # lambda
    regularization: str = "paper"  # or "mean"
    solver: str = "dual"  # or "pegasos", "pegasos-paper"
    standardize: bool = True
    tol: float | str = "auto"  # `AUTO_TOL` of the solver
    max_passes: int = 20  # passes over the node's rows
    max_steps: int | None = None  # T of Pegasos, instead of the passes
    batch_size: int | None = None  # k of Pegasos, 32 by default
    bias_rate: float | None = None  # tau of the paper's Pegasos, 0.01 by default
    # A node with more rows trains on a random sample of so many; None: on all.
    max_node_rows: int | None = 20_000
    side_rounds: int = 3  # how often classes may change sides


class NodeRows(NamedTuple):
    """The rows of a node as its SVM sees them: z = (x - mean) * scale."""

    Z: object  # (n_rows, n_features) float32 array, or CSR
    mean: np.ndarray
    scale: np.ndarray  # one over the deviation, 0 for constant features
    mass: float = np.nan  # weight of all rows of the node, also of those not sampled


class ObliqueSplit:
    """The split finder of H-LSVM, to be given to `treesvm.trees.growth.grow`.

    Parameters
    ----------
    X : ndarray or CSR matrix, as `row_matrix` returns it
    y : ndarray of int, shape (n_rows,)
        Class codes.
    n_classes : int
    sample_weight : ndarray of shape (n_rows,), optional
    options : PlaneOptions
    """

    def __init__(self, X, y, *, n_classes, sample_weight=None, options):
        self.X, self.y, self.n_classes, self.options = X, y, n_classes, options
        self.weight = np.ones(len(y)) if sample_weight is None else sample_weight
        self.arrays = row_arrays(X)

    def __call__(self, rows, seed):
        """Return the hyperplane that parts the rows, or None if it gains nothing."""
        sample = sample_rows(rows, self.options.max_node_rows, seed)
        y, weight = self.y[sample], self.weight[sample]
        mass = np.bincount(y, weights=weight, minlength=self.n_classes)
        n_present = np.count_nonzero(mass)
        if n_present < 2:  # rare classes may be missing in a sample
            return None
        node = self._prepare(rows, sample)
        centroids = _centroids(node.Z, y, weight, mass) if n_present > 2 else None
        sides = centroid_sides(centroids, mass)
        best, lowest = None, np.inf
        for _ in range(self.options.side_rounds):
            w, b = self._plane(node, sides[y], weight, seed)
            split, parts = self._measure(rows, w, b)
            disorder = _disorder(parts[0]) + _disorder(parts[1])
            if disorder < lowest:
                best, lowest = split, disorder
            if n_present == 2:
                break
            former, sides = sides, majority_sides(sides, *parts)
            if np.array_equal(former, sides):
                break
        before = _disorder(parts[0] + parts[1])
        return best if self._is_worth_it(best, lowest, before) else None

    def _prepare(self, rows, sample):
        """Return what all hyperplanes of the node share; `Z` places its classes."""
        if self.options.standardize:
            node = standardise(self.X, sample, self.weight[sample])
        else:
            node = as_they_are(self.X, sample)
        return node._replace(mass=self.weight[rows].sum())

    def _plane(self, node, y, weight, seed):
        """Return (w, b) in X's features for labels -1, +1 of the sampled rows."""
        options, penalty = self.options, self.options.alpha
        if options.regularization == "paper":
            penalty *= node.mass
        w, b = _SOLVERS[options.solver](node.Z, y, weight, penalty, options, seed)
        w = w.astype(np.float64) * node.scale
        # Sparse rows were not centred: their mean is folded into nothing.
        return w, b if sparse.issparse(node.Z) else b - w @ node.mean

    def _is_worth_it(self, split, disorder, before):
        """Whether the split lowers the entropy."""
        return disorder < before * (1.0 - _GAIN)

    def _measure(self, rows, w, b):
        """Return the split of all rows of the node and the class weights per side."""
        goes_left = np.empty(len(rows), np.bool_)
        parts = np.zeros((2, self.n_classes))
        _part(self.arrays, rows, w, -b, self.y, self.weight, goes_left, parts)
        return Split(w, -b, goes_left, parts), parts


def as_they_are(X, rows):
    """Return the given rows without a scale of their own."""
    n_features = X.shape[1]
    Z = X[rows].astype(np.float32)
    return NodeRows(Z, np.zeros(n_features), np.ones(n_features))


def standardise(X, rows, weight):
    """Return the given rows, each feature with weighted mean 0 and deviation 1.

    Constant features become zero.  Sparse rows of a node that fits in memory as dense
    ones are centred like those; wider ones keep their mean, which is near zero there.
    """
    n_features = X.shape[1]
    if sparse.issparse(X):
        if len(rows) * n_features > _DENSE_ENTRIES:
            return _scale_sparse(X[rows], weight)
        X, rows = X[rows].toarray(), np.arange(len(rows))
    Z = np.empty((len(rows), n_features), np.float32)
    mean, scale = np.zeros(n_features), np.zeros(n_features)
    _gather_standardised(X, rows, weight / weight.sum(), Z, mean, scale)
    return NodeRows(Z, mean, scale)


@compiled
def _gather_standardised(X, rows, share, Z, mean, scale):
    """Copy rows to `Z` relative to the first one, then standardise `Z` in place.

    The first row is taken off before rounding to float32, so that features far from
    zero keep their digits.
    """
    n, d = Z.shape
    for t in range(n):
        for j in range(d):
            Z[t, j] = np.float32(X[rows[t], j] - X[rows[0], j])
            mean[j] += share[t] * Z[t, j]
    for t in range(n):
        for j in range(d):
            scale[j] += share[t] * (Z[t, j] - mean[j]) ** 2
    for j in range(d):
        deviation = np.sqrt(scale[j])
        is_flat = deviation <= _FLAT * abs(mean[j])
        scale[j] = 0.0 if is_flat else 1.0 / deviation
    for t in range(n):
        for j in range(d):
            Z[t, j] = np.float32((Z[t, j] - mean[j]) * scale[j])
    for j in range(d):
        mean[j] += X[rows[0], j]


@compiled
def _halve(y, weight, p):
    """Write to `p` the weights scaled so that each side of y weighs one half."""
    above, below = 0.0, 0.0
    for t in range(len(y)):
        if y[t] > 0.0:
            above += weight[t]
        else:
            below += weight[t]
    for t in range(len(y)):
        p[t] = 0.5 * weight[t] / (above if y[t] > 0.0 else below)


@compiled
def _part(arrays, rows, w, threshold, y, weight, goes_left, parts):
    """Write the side of each row, and add up class weights left and right."""
    for t in range(len(rows)):
        i = rows[t]
        goes_left[t] = row_dot(arrays, i, w) <= threshold
        parts[0 if goes_left[t] else 1, y[i]] += weight[i]


def _scale_sparse(X, weight):
    """Return CSR rows divided by the deviation of each feature."""
    d, data = X.shape[1], X.data.astype(np.float64)
    share = np.repeat(weight / weight.sum(), np.diff(X.indptr))
    mean = np.bincount(X.indices, weights=share * data, minlength=d)
    square = np.bincount(X.indices, weights=share * data**2, minlength=d)
    deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
    is_flat = deviation <= np.sqrt(_FLAT) * np.abs(mean)
    scale = np.where(is_flat, 0.0, 1.0 / np.where(is_flat, 1.0, deviation))
    scaled = (data * scale[X.indices]).astype(np.float32)
    Z = sparse.csr_matrix((scaled, X.indices, X.indptr), shape=X.shape)
    return NodeRows(Z, mean, scale)


def sample_rows(rows, size, seed):
    """Return at most `size` of the rows, drawn without replacement, in order.

    None for `size` returns all of them.
    """
    if size is None or len(rows) <= size:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, size, replace=False))


def _centroids(Z, y, weight, mass):
    """Return the weighted mean of each class; zeros for absent ones."""
    member = sparse.csr_matrix(
        (weight, (y, np.arange(len(y)))), shape=(len(mass), len(y))
    )
    total = member @ Z
    total = total.toarray() if sparse.issparse(total) else np.asarray(total)
    return total / np.maximum(mass, np.finfo(float).tiny)[:, None]


@compiled
def _disorder(mass):
    """Return the entropy of the class weights times their sum."""
    total, inner = 0.0, 0.0
    for value in mass:
        if value > 0.0:
            total += value
            inner += value * np.log(value)
    return total * np.log(total) - inner if total > 0.0 else 0.0


def _dual_plane(Z, y, weight, penalty, options, seed):
    """Return (w, b) by dual descent, without a certificate: a split needs none."""
    rows = (Z,) if isinstance(Z, np.ndarray) else row_arrays(Z)
    tol, max_passes = _tolerance(options), options.max_passes
    upper, alpha = np.empty(len(y)), np.zeros(len(y))
    w, b = np.zeros(Z.shape[1], np.float32), np.zeros(1)
    _halve(y, weight, upper)
    upper /= penalty
    descend(rows, y, upper, alpha, w, b, tol, max_passes, seed)
    return w, b[0]


def _pegasos_plane(Z, y, weight, penalty, options, seed, rule="mean"):
    """Return (w, b) by Pegasos, `max_passes` times as many draws as there are rows."""
    p = np.empty(len(y))
    _halve(y, weight, p)
    batch = _BATCH if options.batch_size is None else options.batch_size
    steps = options.max_steps
    if steps is None:
        steps = max(8, options.max_passes * len(y) // batch)
    solution = solve_pegasos(
        *(Z, y, p, penalty),
        rule=rule,
        batch=batch,
        tol=_tolerance(options),
        max_iter=steps,
        bias_rate=_BIAS_RATE if options.bias_rate is None else options.bias_rate,
        seed=seed,
    )
    return solution.coefficients, solution.bias


def _tolerance(options):
    """Return the accuracy of a node's SVM, in the measure of its solver."""
    return AUTO_TOL[options.solver] if options.tol == "auto" else float(options.tol)


_SOLVERS = {
    "dual": _dual_plane,
    "pegasos": _pegasos_plane,
    "pegasos-paper": partial(_pegasos_plane, rule="paper"),
}
