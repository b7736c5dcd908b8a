"""Split a node by a linear SVM with balanced weights.

In a node with the rows S, each side of the classes gets half of the weight, so that the
weights p sum to one, and the SVM minimises

    lambda_S/2 (|w|^2 + b^2) + sum_i p_i max(0, 1 - y_i (w @ z_i + b))

over the node's own standardised features z = (x - mean) / deviation; (w, b) is folded
back to x afterwards. ``regularization="paper"`` takes lambda_S = lambda * |S|, which is
equation (8) of Rodriguez-Lujan, Santa Cruz and Huerta (Pattern Recognition 45, 2012)
with weights that sum to one; "mean" takes lambda_S = lambda in every node.

Sparse rows are divided by the deviation only: to centre them would fill them, and the
bias takes up the shift.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from treesvm.solvers.dual_descent import descend
from treesvm.solvers.pegasos import solve_pegasos
from treesvm.solvers.row_access import row_arrays
from treesvm.trees.class_sides import centroid_sides, majority_sides
from treesvm.trees.growth import Split
from treesvm.trees.routing import projections_of

_FLAT = 1e-9  # a feature whose deviation is smaller, relative to its mean, is constant
_GAIN = 1e-12  # entropies nearer than this, relatively, are equal up to rounding


class PlaneOptions(NamedTuple):
    """How the hyperplane of a node is found."""

    alpha: float  # lambda
    regularization: str = "paper"  # or "mean"
    solver: str = "dual"  # or "pegasos", "pegasos-paper"
    tol: float = 0.1
    max_passes: int = 20  # passes over the node's rows
    max_node_rows: int = 20_000  # a node with more trains on a random sample of so many
    side_rounds: int = 3  # how often classes may change sides


class NodeRows(NamedTuple):
    """The standardised rows of a node."""

    Z: object  # (n_rows, n_features) float32 array, or CSR
    mean: np.ndarray
    scale: np.ndarray  # one over the deviation, 0 for constant features


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
        self.X, self.y, self.n_classes = X, y, n_classes
        self.sample_weight, self.options = sample_weight, options
        self.arrays = row_arrays(X)

    def __call__(self, rows, seed):
        """Return the hyperplane that parts the rows, or None if it gains nothing."""
        sample = sample_rows(rows, self.options.max_node_rows, seed)
        y, weight = self.y[sample], self._weight(sample)
        mass = np.bincount(y, weights=weight, minlength=self.n_classes)
        if np.count_nonzero(mass) < 2:  # rare classes may be missing in a sample
            return None
        node = standardise(self.X, sample, weight)
        penalty = self.options.alpha
        if self.options.regularization == "paper":
            penalty *= self._weight(rows).sum()
        best, lowest = None, np.inf
        sides = centroid_sides(_centroids(node.Z, y, weight, mass), mass)
        for _ in range(self.options.side_rounds if np.sum(mass > 0) > 2 else 1):
            w, b = find_plane(node, sides[y], weight, penalty, self.options, seed)
            split, left, right = self._measure(rows, w, b)
            disorder = _disorder(left) + _disorder(right)
            if disorder < lowest:
                best, lowest = split, disorder
            moved = majority_sides(sides, left, right)
            if np.array_equal(moved, sides):
                break
            sides = moved
        gains = lowest < _disorder(left + right) * (1.0 - _GAIN)
        return best if gains and 0 < best.goes_left.sum() < len(rows) else None

    def _weight(self, rows):
        """Return the weights of rows."""
        weight = self.sample_weight
        return np.ones(len(rows)) if weight is None else weight[rows]

    def _measure(self, rows, w, b):
        """Return the split of all rows of the node and the class weights per side."""
        values = np.empty(len(rows))
        projections_of(self.arrays, rows, w, values)
        goes_left = values <= -b
        y, weight = self.y[rows], self._weight(rows)
        both = np.bincount(
            y + self.n_classes * goes_left,
            weights=weight,
            minlength=2 * self.n_classes,
        )
        right, left = both.reshape(2, self.n_classes)
        return Split(w, -b, goes_left), left, right


def find_plane(node, y, weight, penalty, options, seed):
    """Return (w, b) in the original features for labels -1, +1 of a node's rows."""
    p = np.where(y > 0, weight / weight[y > 0].sum(), weight / weight[y < 0].sum()) / 2
    w, b = _SOLVERS[options.solver](node.Z, y, p, penalty, options, seed)
    w = w.astype(np.float64) * node.scale
    # Sparse rows were not centred: their mean is folded into nothing.
    return w, b if sparse.issparse(node.Z) else b - w @ node.mean


def standardise(X, rows, weight):
    """Return the given rows, each feature with weighted mean 0 and deviation 1.

    Constant features become zero; sparse rows keep their mean.
    """
    n_features = X.shape[1]
    if sparse.issparse(X):
        return _scale_sparse(X[rows], weight)
    Z = np.empty((len(rows), n_features), np.float32)
    mean, scale = np.zeros(n_features), np.zeros(n_features)
    _gather_standardised(X, rows, weight / weight.sum(), Z, mean, scale)
    return NodeRows(Z, mean, scale)


@njit(cache=True, nogil=True)
def _gather_standardised(X, rows, share, Z, mean, scale):
    """Copy rows to `Z` in three passes: mean, deviation, standardised values."""
    n, d = Z.shape
    for t in range(n):
        for j in range(d):
            mean[j] += share[t] * X[rows[t], j]
    for t in range(n):
        for j in range(d):
            scale[j] += share[t] * (X[rows[t], j] - mean[j]) ** 2
    for j in range(d):
        deviation = np.sqrt(scale[j])
        is_flat = deviation <= _FLAT * abs(mean[j])
        scale[j] = 0.0 if is_flat else 1.0 / deviation
    for t in range(n):
        for j in range(d):
            Z[t, j] = np.float32((X[rows[t], j] - mean[j]) * scale[j])


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
    """Return at most `size` of the rows, drawn without replacement, in order."""
    if len(rows) <= size:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, size, replace=False))


def _centroids(Z, y, weight, mass):
    """Return the weighted mean of each class; zeros for absent ones."""
    if np.count_nonzero(mass) <= 2:
        return np.zeros((len(mass), 0))  # two classes need no places
    member = sparse.csr_matrix(
        (weight, (y, np.arange(len(y)))), shape=(len(mass), len(y))
    )
    total = member @ Z
    total = total.toarray() if sparse.issparse(total) else np.asarray(total)
    return total / np.maximum(mass, np.finfo(float).tiny)[:, None]


def _disorder(mass):
    """Return the entropy of the class weights times their sum."""
    mass = mass[mass > 0.0]
    if len(mass) == 0:
        return 0.0
    return float(mass.sum() * np.log(mass.sum()) - mass @ np.log(mass))


def _dual_plane(Z, y, p, penalty, options, seed):
    """Return (w, b) by dual descent, without a certificate: a split needs none."""
    w, b, alpha = np.zeros(Z.shape[1], np.float32), np.zeros(1), np.zeros(len(y))
    descend(
        row_arrays(Z),
        y,
        p / penalty,
        alpha,
        w,
        b,
        options.tol,
        options.max_passes,
        seed,
    )
    return w, float(b[0])


def _pegasos_plane(Z, y, p, penalty, options, seed):
    """Return (w, b) by Pegasos, `max_passes` times as many draws as there are rows."""
    steps = max(8, options.max_passes * len(y) // 32)
    solution = solve_pegasos(Z, y, p, penalty, max_iter=steps, seed=seed)
    return solution.coefficients, solution.bias


def _paper_plane(Z, y, p, penalty, options, seed):
    """Return (w, b) by the paper's own Pegasos."""
    steps = max(8, options.max_passes * len(y) // 32)
    solution = solve_pegasos(Z, y, p, penalty, rule="paper", max_iter=steps, seed=seed)
    return solution.coefficients, solution.bias


_SOLVERS = {
    "dual": _dual_plane,
    "pegasos": _pegasos_plane,
    "pegasos-paper": _paper_plane,
}
