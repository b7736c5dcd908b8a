"""Certificates: how far any answer is from the optimum, whoever computed it.

For the problem of `smo`, min 1/2 beta'K beta - p'beta with sum(beta) = 0 in a box, the
Lagrangian dual (the SVM's primal) with bias b is

    1/2 beta'K beta + sum_t max_{lower_t <= v <= upper_t} v (p_t - (K beta)_t - b)

For a C-SVC (p = y) the maximum is C_t max(0, 1 - y_t f(x_t)).
"""

from typing import NamedTuple

import numpy as np

from treesvm.solvers import conditions


class Certificate(NamedTuple):
    """Objective values and optimality of a kernel machine.

    ``relative_gap`` is the gap over the larger of the two objectives' sizes.
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    violation: float


def certificate(K, p, upper, beta, bias=None, *, lower=None):
    """Certify signed dual coefficients with a float64 kernel.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Gram matrix; it is used in float64.
    p : ndarray of shape (n,)
        Labels -1 and +1, or the linear term of another problem of this form.
    upper : ndarray of shape (n,) or float
        With ``lower=None``, the box size C * weight of each row: class +1 has
        [0, upper], class -1 has [-upper, 0].  Otherwise the upper bounds themselves.
    beta : ndarray of shape (n,)
        Coefficients ``y * alpha``.
    bias : float, optional
        The machine's offset; the best one for `beta` when not given.
    lower : ndarray of shape (n,), optional

    Returns
    -------
    Certificate
    """
    K = np.asarray(K, dtype=np.float64)
    p = np.asarray(p, dtype=np.float64)
    beta = np.asarray(beta, dtype=np.float64)
    upper = np.broadcast_to(np.asarray(upper, dtype=np.float64), p.shape)
    if lower is None:
        lower, upper = svc_box(p, upper)
    F = K @ beta - p
    bias = conditions.bias_of(F, lower, upper) if bias is None else bias
    residual = -(F + bias)
    norm2 = float(beta @ (F + p))
    loss = np.where(residual > 0, upper, lower) * residual
    primal = norm2 / 2 + float(loss.sum())
    dual = float(beta @ p) - norm2 / 2
    gap = primal - dual
    return Certificate(
        primal,
        dual,
        gap,
        gap / max(abs(primal), abs(dual), 1e-300),
        float(conditions.violation_of(F, beta, lower, upper)),
    )


def svc_box(y, sizes):
    """Return (lower, upper) of y * alpha for 0 <= alpha <= sizes."""
    return np.where(y > 0, 0.0, -sizes), np.where(y > 0, sizes, 0.0)


def feasibility(beta, lower, upper):
    """Largest amount by which `beta` leaves its box or misses ``sum(beta) = 0``."""
    outside = np.maximum(np.maximum(lower - beta, beta - upper), 0.0)
    return max(float(outside.max(initial=0.0)), abs(float(np.sum(beta))))
