"""Primal and dual objective of a fitted RBF machine, by a float64 kernel.

Reads only the attributes scikit-learn gives an SVC (`support_`, `n_support_`,
`dual_coef_`, `intercept_`), so the same few lines judge LIBSVM and ours, and no solver
judges itself. Kernel columns of support vectors are enough for both objectives:

    f      = K beta + b                      (beta = y alpha, zero off the support)
    primal = 1/2 beta'K beta + C sum max(0, 1 - y f)
    dual   = sum |beta| - 1/2 beta'K beta

A machine solved to a KKT violation of 1e-3 leaves margins of 0.999, and with C = 1e5
those thousandths make up nearly all of its primal objective. Any (w, b) bounds the dual
from above, so the bound is taken at the best scale of the machine's own direction.

Several classes: the sum over the one-against-one machines.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.metrics.pairwise import rbf_kernel

BLOCK_BYTES = 200e6


class Certificate(NamedTuple):
    primal: float
    dual: float

    @property
    def relative_gap(self):
        """Zero at the optimum; the dual is within this share of the best possible."""
        return relative_gap(self.primal, self.dual)


def relative_gap(primal, dual):
    return (primal - dual) / max(abs(primal), np.finfo(float).tiny)


def certify(model, X, y, C, gamma):
    """Sum the objectives of all one-against-one machines of `model` on its rows."""
    code = np.searchsorted(model.classes_, y)
    primal = dual = 0.0
    for rows, sign, support, beta, bias in _machines(model, code):
        f = _kernel_times(X[rows], X[support], beta, gamma) + bias
        norm2 = beta @ _kernel_times(X[support], X[support], beta, gamma)
        primal += _best_scaled_primal(norm2, sign * f, C)
        dual += np.abs(beta).sum() - norm2 / 2
    return Certificate(float(primal), float(dual))


def _best_scaled_primal(norm2, margin, C):
    """The least primal objective of s (w, b) over the scale s, convex in s."""

    def primal(s):
        return s * s * norm2 / 2 + C * np.maximum(0.0, 1.0 - s * margin).sum()

    best = minimize_scalar(primal, bounds=(0.99, 1.02), method="bounded")
    return min(primal(1.0), best.fun)


def _machines(model, code):
    """Yield (rows, sign of each row, support rows, beta, bias) of every pair."""
    coef = model.dual_coef_
    coef = np.asarray(coef.todense() if hasattr(coef, "todense") else coef)
    support_code = np.repeat(np.arange(len(model.classes_)), model.n_support_)
    # With two classes scikit-learn turns the signs: positive means the second class.
    first = -1.0 if len(model.classes_) == 2 else 1.0
    pairs = combinations(range(len(model.classes_)), 2)
    for (i, j), bias in zip(pairs, model.intercept_, strict=True):
        rows = np.flatnonzero((code == i) | (code == j))
        sign = np.where(code[rows] == i, first, -first)
        of_i, of_j = support_code == i, support_code == j
        beta = np.concatenate([coef[j - 1, of_i], coef[i, of_j]])
        support = np.concatenate([model.support_[of_i], model.support_[of_j]])
        used = beta != 0.0
        yield rows, sign, support[used], beta[used], bias


def _kernel_times(A, B, beta, gamma):
    """``rbf_kernel(A, B) @ beta`` in float64, a block of rows at a time."""
    step = max(1, int(BLOCK_BYTES / 8 / max(1, B.shape[0])))
    B = B.astype(np.float64)
    blocks = [
        rbf_kernel(A[start : start + step].astype(np.float64), B, gamma) @ beta
        for start in range(0, A.shape[0], step)
    ]
    return np.concatenate(blocks)
