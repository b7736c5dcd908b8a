"""Slow, obvious twins of SVM-Maj and of its trees. No import from treesvm."""

import numpy as np
from scipy.optimize import minimize


def hinge(name, margin, k=0.0):
    """One hinge error of one margin, as the thesis writes it for class +1."""
    if name == "absolute":
        return max(0.0, 1.0 - margin)
    if name == "quadratic":
        return max(0.0, 1.0 - margin) ** 2
    if margin <= -k:
        return 1.0 - margin - (k + 1.0) / 2.0
    return max(0.0, 1.0 - margin) ** 2 / (2.0 * (k + 1.0))


def loss(X, y, weight, penalty, name, w, c, k=0.0):
    """The SVM loss, row by row."""
    total = penalty * sum(value * value for value in w)
    for x, label, p in zip(X, y, weight, strict=True):
        total += p * hinge(name, label * (c + sum(x * w)), k)
    return total


def parabola(name, margin, k=0.0):
    """(a, b) of the parabola a m^2 - 2 b m + const that touches at a margin."""
    if name == "absolute":
        a = 1.0 / (4.0 * max(abs(1.0 - margin), 1e-8))
        return a, a + 0.25
    if name == "quadratic":
        return 1.0, (1.0 if margin <= 1.0 else margin)
    a = 1.0 / (2.0 * (k + 1.0))
    if margin <= -k:
        return a, a * margin + 0.5
    return a, (a if margin <= 1.0 else a * margin)


def majorization_step(X, y, weight, penalty, name, w, c, k=0.0):
    """(X'AX + lambda P) v = X'b, equation (10), with a column of ones."""
    ones = np.column_stack([np.ones(len(y)), X])
    pairs = [parabola(name, y[i] * (c + X[i] @ w), k) for i in range(len(y))]
    a = weight * np.array([pair[0] for pair in pairs])
    b = weight * y * np.array([pair[1] for pair in pairs])
    P = np.eye(X.shape[1] + 1)
    P[0, 0] = 0.0
    v = np.linalg.solve(ones.T @ np.diag(a) @ ones + penalty * P, ones.T @ b)
    return v[1:], v[0]


def smooth_svm(X, y, weight, penalty, name, k=0.0):
    """(w, c) of the quadratic or Huber hinge by a general convex solver."""

    def value(v):
        return loss(X, y, weight, penalty, name, v[1:], v[0], k)

    def gradient(v):
        margin = y * (v[0] + X @ v[1:])
        short = np.maximum(0.0, 1.0 - margin)
        slope = 2.0 * short if name == "quadratic" else np.minimum(short / (k + 1), 1.0)
        force = -weight * y * slope
        return np.append(force.sum(), X.T @ force + 2.0 * penalty * v[1:])

    options = {"maxiter": 20_000, "ftol": 1e-16, "gtol": 1e-10}
    start = np.zeros(X.shape[1] + 1)
    result = minimize(value, start, jac=gradient, method="L-BFGS-B", options=options)
    return result.x[1:], result.x[0]


def absolute_svm(X, y, weight, penalty):
    """(w, c) of the absolute hinge as a quadratic program with slack variables."""
    n, p = X.shape

    def value(v):
        return weight @ v[p + 1 :] + penalty * v[1 : p + 1] @ v[1 : p + 1]

    def gradient(v):
        return np.concatenate([[0.0], 2.0 * penalty * v[1 : p + 1], weight])

    signed = y[:, None] * np.column_stack([np.ones(n), X])
    slack = np.column_stack([signed, np.eye(n)])
    constraint = {
        "type": "ineq",
        "fun": lambda v: slack @ v - 1.0,
        "jac": lambda v: slack,
    }
    bounds = [(None, None)] * (p + 1) + [(0.0, None)] * n
    start = np.concatenate([np.zeros(p + 1), np.ones(n)])
    result = minimize(
        value,
        start,
        jac=gradient,
        bounds=bounds,
        constraints=constraint,
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return result.x[1 : p + 1], result.x[0]


def choose_penalty(fit, X, y, splits, penalties):
    """The largest of the penalties that answer most held-out rows correctly."""
    correct = []
    for penalty in penalties:
        hits = 0
        for train, test in splits:
            w, c = fit(X[train], y[train], penalty)
            hits += np.sum(np.where(X[test] @ w + c > 0, 1, -1) == y[test])
        correct.append(hits)
    return max(
        p for p, hits in zip(penalties, correct, strict=True) if hits == max(correct)
    )


def predict_by_path(x, tree):
    """Algorithm 1 of the thesis for one row: the last prediction on the path."""
    node, prediction = 0, int(tree["value"][0].argmax())
    while tree["left"][node] != -1:
        plane = tree["feature"][node]
        q = tree["weights"][plane] @ x - tree["threshold"][node]
        prediction = 0 if q <= 0 else 1
        node = tree["left"][node] if prediction == 0 else tree["right"][node]
    return prediction
