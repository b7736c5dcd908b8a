"""Loss, dual objective and gap of any answer to a linear SVM with a hinge error.

The problem is that of `treesvm.solvers.majorization`, with an intercept that is not
penalised. With -h*(-u) = u - bend u^2 (see `hinges`) its dual is

    max_u  sum_i p_i (u_i - bend u_i^2) - |X'(p y u)|^2 / (4 lambda)
    s.t.   0 <= u_i <= top,   sum_i p_i y_i u_i = 0 (only with an intercept)

and at the optimum 2 lambda w = X'(p y u). A small lambda magnifies every error of u, so
the u that the margins suggest is moved, as little as possible and where it is free
(away from its bounds), to satisfy both equations. Then it is made feasible: clipped to
its box, and the side of the labels that weighs more scaled down to the other.
"""

from typing import NamedTuple

import numpy as np

from treesvm.solvers.hinges import slopes_of, total_error

_CORRECTIONS = 10  # rows that meet their bound leave the others to correct the rest
_RIDGE = 1e-14  # fewer free rows than equations leave the system singular
_TIGHT = 1e-6  # a relative gap that needs no correction
_ON, _NEAR = 1e-5, 0.1  # distances at which a row is on, or may be on, the kink


class HingeCertificate(NamedTuple):
    """How far an answer can be from the optimum."""

    loss: float
    bound: float  # no answer has a smaller loss
    gap: float  # (loss - bound) / loss, 0 exactly at the optimum
    violation: float  # largest entry of the gradient, for each unit of weight


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
    error = total_error(q, np.asarray(y, np.float64), weight, *hinge)
    return float(error + penalty * (w @ w))


def certify_hinge(rows, y, penalty, hinge, w, bias):
    """Certify (w, bias), given in the coordinates of prepared rows.

    Parameters
    ----------
    rows : MajorizedRows
    y : ndarray of shape (n_rows,), labels -1 and +1
    penalty : float
    hinge : Hinge
    w : ndarray of shape (r,)
    bias : float

    Returns
    -------
    HingeCertificate
        With the best bound that was found.
    """
    q = np.asarray(rows.Z @ w) + (bias - rows.shift @ w)
    loss = total_error(q, y, rows.weight, *hinge) + penalty * float(w @ w)
    u, freedom = slopes_of(y * q, *hinge), _freedom(y * q, hinge)
    bound, violation = 0.0, None
    for _ in range(1 + _CORRECTIONS):
        feasible = feasible_dual(u, y, rows.weight, hinge, rows.has_bias)
        normal = _normal(rows, y, feasible)
        bound = max(bound, dual_value(rows.weight, feasible, normal, penalty, hinge))
        lack = np.append(
            2.0 * penalty * w - _normal(rows, y, u), -(rows.weight * y) @ u
        )
        if violation is None:
            violation = np.abs(lack[: len(w) + rows.has_bias]).max(initial=0.0)
        if bound >= loss * (1.0 - _TIGHT):
            break
        moved = _corrected(rows, y, lack, freedom, u)
        u = np.clip(moved, 0.0, hinge.top)
        freedom[moved != u] = 0.0  # what has met its bound stays there
    gap = (loss - bound) / loss if loss > 0.0 else 0.0
    return HingeCertificate(loss, bound, gap, float(violation / rows.weight.sum()))


def _freedom(margin, hinge):
    """Return how easily each u may move without leaving what its margin says.

    At the kink of the absolute hinge the slope says nothing and u is free; a row at the
    distance d from it costs d times the move.
    """
    if not hinge.is_smooth:
        distance = np.abs(1.0 - margin)
        near = 1.0 / np.maximum(distance, _ON)
        return np.where(distance < _NEAR, near, 0.0)
    u = slopes_of(margin, *hinge)
    return u if np.isinf(hinge.top) else u * (1.0 - u / hinge.top)


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


def _corrected(rows, y, lack, freedom, u):
    """Return u after the weighted least squares step to the optimality equations.

    `lack` is what the equations miss.
    """
    free = np.flatnonzero(freedom > 0.0)
    if len(free) == 0:
        return u
    part, r, size = rows.take(free), len(rows.shift), len(lack) - 1 + rows.has_bias
    system = part.bordered_gram(part.weight * freedom[free])[:size, :size]
    diagonal = np.einsum("jj->j", system)
    diagonal += _RIDGE * diagonal.max() + np.finfo(float).tiny
    turn = np.zeros(r + 1)
    turn[:size] = np.linalg.solve(system, lack[:size])
    change = np.asarray(part.Z @ turn[:r]) + (turn[r] - rows.shift @ turn[:r])
    moved = u.copy()
    moved[free] += freedom[free] * y[free] * change
    return moved
