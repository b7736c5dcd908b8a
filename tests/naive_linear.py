"""Slow, obvious twins of the linear solvers and of pruning. No import from treesvm."""

import itertools

import numpy as np
from scipy.optimize import minimize


def linear_svm_dual(X, y, weight, penalty):
    """Optimal dual variables of the weighted linear SVM with penalised bias."""
    Z = np.column_stack([X, np.ones(len(y))]) * y[:, None]
    Q = Z @ Z.T
    upper = weight / penalty
    result = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        0.5 * upper,
        jac=lambda a: Q @ a - 1.0,
        bounds=[(0.0, u) for u in upper],
        method="L-BFGS-B",
        options={"maxiter": 20_000, "ftol": 1e-15, "gtol": 1e-10},
    )
    return result.x


def linear_svm_objective(X, y, weight, penalty, w, b):
    """The primal objective, row by row."""
    value = 0.5 * penalty * (sum(v * v for v in w) + b * b)
    for x, label, p in zip(X, y, weight, strict=True):
        value += p * max(0.0, 1.0 - label * (sum(x * w) + b))
    return value


def paper_pegasos(X, y, weight, penalty, bias_rate, tol, max_steps):
    """Section 2 of the H-LSVM paper with all rows in each step; (w, b, steps)."""
    w, b = np.zeros(X.shape[1]), 0.0
    for t in range(1, max_steps + 1):
        loses = y * (X @ w + b) < 1.0
        pull = weight[loses] * y[loses]
        moved = w - (penalty * w - pull @ X[loses]) / (penalty * t)
        radius = np.sqrt(weight.sum() / penalty)
        moved *= min(1.0, radius / np.linalg.norm(moved))
        b += bias_rate * pull.sum() / (penalty * t)
        length, w = np.linalg.norm(moved - w), moved
        if t > 1 and length < tol:
            return w, b, t
    return w, b, max_steps


def subtrees(left, right, node=0):
    """Every set of leaves that cutting the tree below `node` can give."""
    if left[node] == -1:
        return [{node}]
    below = itertools.product(
        subtrees(left, right, left[node]), subtrees(left, right, right[node])
    )
    return [{node}, *(a | b for a, b in below)]


def cheapest_leaves(left, right, risk, price):
    """Leaves of the subtree with the least risk + price * leaves, smallest if equal."""
    candidates = subtrees(left, right)
    cost = [sum(risk[k] for k in leaves) + price * len(leaves) for leaves in candidates]
    best = min(cost)
    return min(
        (c for c, value in zip(candidates, cost, strict=True) if value <= best + 1e-12),
        key=len,
    )


def entropy(y):
    """Entropy of labels in nats."""
    counts = np.unique(y, return_counts=True)[1] / len(y)
    return -sum(p * np.log(p) for p in counts)
