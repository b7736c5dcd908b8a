"""Objective, dual objective and gap of any answer to the weighted linear SVM.

The problem is that of `treesvm.solvers.dual_descent`: hinge loss with row weights p,
penalty lambda, and the bias penalised like a weight of a constant feature.
"""

import numpy as np


def linear_objective(X, y, weight, penalty, w, b):
    """Return ``penalty/2 (|w|^2 + b^2) + sum p_i max(0, 1 - y_i (w @ x_i + b))``.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,), labels -1 and +1
    weight : ndarray of shape (n_rows,)
    penalty : float
    w : ndarray of shape (n_features,)
    b : float
    """
    w = np.asarray(w, dtype=np.float64)
    loss = np.maximum(0.0, 1.0 - y * (X @ w + b))
    return float(0.5 * penalty * (w @ w + b * b) + weight @ loss)


def linear_dual_objective(X, y, penalty, alpha):
    """Return ``penalty (sum a_i - 1/2 |sum a_i y_i (x_i, 1)|^2)``.

    It is never above `linear_objective` of any (w, b), if 0 <= alpha <= weight/penalty.
    """
    beta = np.asarray(alpha, dtype=np.float64) * y
    w, b = X.T @ beta, beta.sum()
    return float(penalty * (np.sum(alpha) - 0.5 * (w @ w + b * b)))


def relative_gap(X, y, weight, penalty, w, b, alpha):
    """Return (primal - dual) / primal: 0 exactly at the optimum, never negative.

    `alpha` is clipped to its box first, so the answer certifies (w, b) whatever the
    solver believed.
    """
    primal = linear_objective(X, y, weight, penalty, w, b)
    alpha = np.clip(alpha, 0.0, np.asarray(weight) / penalty)
    dual = linear_dual_objective(X, y, penalty, alpha)
    return (primal - dual) / primal if primal > 0.0 else 0.0


def linear_violation(X, y, weight, penalty, w, b, alpha):
    """Return the spread of the projected gradients ``y_i (w @ x_i + b) - 1``.

    Zero exactly if (w, b) comes from `alpha` and `alpha` is optimal.
    """
    upper = np.asarray(weight) / penalty
    grad = y * (X @ np.asarray(w, dtype=np.float64) + b) - 1.0
    grad = np.where(alpha <= 0.0, np.minimum(grad, 0.0), grad)
    grad = np.where(alpha >= upper, np.maximum(grad, 0.0), grad)
    return float(max(grad.max(), 0.0) - min(grad.min(), 0.0))
