"""Loss, dual objective and gap of any answer to a linear SVM with a hinge error.

The problem is that of `treesvm.solvers.majorization`, with an intercept that is not
penalised. With -h*(-u) = u - bend u^2 (see `hinges`) its dual is

    max_u  sum_i p_i (u_i - bend u_i^2) - |X'(p y u)|^2 / (4 lambda)
    s.t.   0 <= u_i <= top,   sum_i p_i y_i u_i = 0 (only with an intercept)

and at the optimum 2 lambda w = X'(p y u). A small lambda magnifies every error of u, so
the given u is first moved, as little as possible and mainly where it is free (away from
its bounds), to satisfy both equations. Then it is made feasible: clipped to its box,
and the side of the labels that weighs more scaled down to the other.
"""

from typing import NamedTuple

import numpy as np

from treesvm.solvers.hinges import total_error
from treesvm.solvers.majorized_rows import weighted_gram

_CORRECTIONS = 3  # clipping spoils the equations a little: repeat


class HingeCertificate(NamedTuple):
    """How far an answer can be from the optimum."""

    loss: float
    bound: float  # no answer has a smaller loss
    gap: float  # (loss - bound) / loss, 0 exactly at the optimum
    violation: float  # largest entry of 2 lambda w - X'(p y u), per unit of weight


def hinge_loss(X, y, weight, penalty, hinge, w, bias):
    """Return ``sum p_i h(y_i q_i) + penalty w'w`` with ``q = X @ w + bias``.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,), labels -1 and +1
    weight : ndarray of shape (n_rows,)
    penalty : float
    hinge : Hinge
    w : ndarray of shape (n_features,)
    bias : float
    """
    q = np.asarray(X @ w, dtype=np.float64) + bias
    error = total_error(q, np.asarray(y, np.float64), weight, hinge.knee)
    return float(error + penalty * (w @ w))


def certify_hinge(rows, y, penalty, hinge, w, bias, dual):
    """Certify (w, bias) given in the coordinates of prepared rows.

    Parameters
    ----------
    rows : MajorizedRows
    y : ndarray of shape (n_rows,), labels -1 and +1
    penalty : float
    hinge : Hinge
    w : ndarray of shape (r,)
    bias : float
    dual : ndarray of shape (n_rows,)
        A guess of u, however bad: it makes the bound loose, never wrong.

    Returns
    -------
    HingeCertificate
        With the best of the bounds before and after each correction of u.
    """
    q = np.asarray(rows.Z @ w) + (bias - rows.shift @ w)
    loss = total_error(q, y, rows.weight, hinge.knee) + penalty * float(w @ w)
    u = feasible_dual(dual, y, rows.weight, hinge, rows.has_bias)
    normal = _normal(rows, y, u)
    violation = np.abs(2.0 * penalty * w - normal).max(initial=0.0) / rows.weight.sum()
    bound = dual_value(rows.weight, u, normal, penalty, hinge)
    for _ in range(_CORRECTIONS):
        u = _corrected(rows, y, penalty, hinge, w, u)
        u = feasible_dual(u, y, rows.weight, hinge, rows.has_bias)
        value = dual_value(rows.weight, u, _normal(rows, y, u), penalty, hinge)
        bound = max(bound, value)
    gap = (loss - bound) / loss if loss > 0.0 else 0.0
    return HingeCertificate(loss, bound, gap, float(violation))


def feasible_dual(dual, y, weight, hinge, has_bias):
    """Return `dual` clipped to its box and balanced between the two labels."""
    u = np.clip(dual, 0.0, hinge.top)
    if not has_bias:
        return u
    above, below = weight[y > 0] @ u[y > 0], weight[y < 0] @ u[y < 0]
    smaller = min(above, below)
    if smaller <= 0.0:
        return np.zeros_like(u)
    return u * (smaller / np.where(y > 0, above, below))


def dual_value(weight, u, normal, penalty, hinge):
    """Return the dual objective at the best multiple of feasible u that is feasible.

    Parameters
    ----------
    normal : ndarray of shape (r,)
        ``X'(p y u)``.
    """
    if u.max(initial=0.0) == 0.0:
        return 0.0
    gain = weight @ u
    cost = hinge.bend * (weight @ u**2) + normal @ normal / (4.0 * penalty)
    limit = hinge.top / u.max()
    scale = min(0.5 * gain / cost, limit) if cost > 0.0 else limit
    return float(scale * gain - scale**2 * cost)


def _normal(rows, y, u):
    """Return ``X'(p y u)`` of the centred rows."""
    force = rows.weight * y * u
    return np.asarray(rows.Z.T @ force) - rows.shift * force.sum()


def _corrected(rows, y, penalty, hinge, w, u):
    """Return u after the weighted least squares step to the optimality equations."""
    freedom = u if np.isinf(hinge.top) else u * (1.0 - u / hinge.top)
    share, r = rows.weight * freedom, len(w)
    gram = np.empty((r + 1, r + 1))
    cross = np.asarray(rows.Z.T @ share) - rows.shift * share.sum()
    gram[:r, :r] = _centred_gram(rows, share, cross)
    gram[:r, r] = gram[r, :r] = cross
    gram[r, r] = share.sum()
    lack = np.append(2.0 * penalty * w - _normal(rows, y, u), -(rows.weight * y) @ u)
    size = r + rows.has_bias
    turn = np.zeros(r + 1)
    turn[:size] = np.linalg.lstsq(gram[:size, :size], lack[:size], rcond=1e-13)[0]
    change = np.asarray(rows.Z @ turn[:r]) + (turn[r] - rows.shift @ turn[:r])
    return u + freedom * y * change


def _centred_gram(rows, share, cross):
    """Return the second moments of rows with weights `share`, about `rows.mean`."""
    gram, shift = weighted_gram(rows.Z, share), rows.shift
    if not shift.any():
        return gram
    gram -= np.outer(cross, shift) + np.outer(shift, cross)
    return gram - share.sum() * np.outer(shift, shift)
