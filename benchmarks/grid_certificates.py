"""Judge every point of a grid path anew, with a float64 kernel of scikit-learn's.

The path is solved once more, untimed, keeping all coefficients. `optimality` then works
out primal and dual of each binary machine: nothing the solver said of itself is used.
"""

from typing import NamedTuple

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.certificates import relative_gap
from treesvm.kernels.kernel import Gaussian
from treesvm.machines.grid import grid_points
from treesvm.machines.layout import build_machines
from treesvm.solvers.optimality import certificate


class PointCertificate(NamedTuple):
    primal: float  # both summed over the binary machines
    dual: float
    worst_gap: float  # largest relative gap of a machine

    @property
    def relative_gap(self):
        return relative_gap(self.primal, self.dual)


def certify_grid(X, y, Cs, gammas, tol, max_iter=None):
    """``{(C, gamma): PointCertificate}`` of the one-against-one machines on (X, y)."""
    classes, codes = np.unique(y, return_inverse=True)
    machines = build_machines(codes, len(classes), "ovo")
    problem = X, codes, len(classes), np.ones(len(y)), Gaussian()
    points = grid_points(*problem, gammas, Cs, tol=tol, max_iter=max_iter)
    X = X[machines.order].astype(np.float64)
    found, K, K_gamma = {}, None, None
    for point in points:
        if point.gamma != K_gamma:
            K, K_gamma = rbf_kernel(X, gamma=point.gamma), point.gamma
        found[point.C, point.gamma] = _certify_point(K, machines, point)
    return found


def _certify_point(K, machines, point):
    primal = dual = worst = 0.0
    for m in range(machines.n_machines):
        own = slice(machines.starts[m], machines.starts[m + 1])
        rows = machines.rows[own]
        judged = certificate(
            K[np.ix_(rows, rows)],
            machines.signs[own],
            point.C,
            point.coefficients[own],
            point.records["bias"][m],
        )
        primal, dual = primal + judged.primal, dual + judged.dual
        worst = max(worst, judged.relative_gap)
    return PointCertificate(primal, dual, worst)
