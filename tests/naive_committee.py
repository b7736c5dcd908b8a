"""Slow twins of evidence, committees and the weights of their members."""

import numpy as np
from scipy.optimize import minimize


def class_evidence(decisions, pairs, n_classes):
    """Evidence of one-against-one machines, one row, class and pair at a time."""
    out = np.zeros((len(decisions), n_classes))
    for i, row in enumerate(decisions):
        for c in range(n_classes):
            logs = []
            for value, (positive, negative) in zip(row, pairs, strict=True):
                if c in (positive, negative):
                    side = value if c == positive else -value
                    logs.append(np.log(1.0 / (1.0 + np.exp(-5.0 * side))))
            out[i, c] = np.mean(logs)
    return out


def probabilities(evidence, shares, is_certain, weights, slopes, offset):
    """Committee probabilities of one row.

    ``evidence[m]`` and ``shares[m]`` belong to the part that the row is in, of member
    m; ``is_certain[m]`` says whether that part has one class.
    """
    total = 1.0
    for e, share, certain, w, a in zip(
        evidence, shares, is_certain, weights, slopes, strict=True
    ):
        own = share if certain else np.exp(a * e) * share**offset
        total = total * (own / own.sum()) ** w
    return total / total.sum()


def class_weights(evidence, codes, weight, ridge):
    """Non-negative weights of the least log loss, by a solver for any function."""

    def loss(w):
        scores = sum(a * e for a, e in zip(w, evidence, strict=True))
        p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        logs = np.log([p[i, c] for i, c in enumerate(codes)])
        return -np.average(logs, weights=weight) + ridge * sum(w**2) / 2

    n = len(evidence)
    found = minimize(
        loss, np.full(n, 0.5), bounds=[(0, None)] * n, method="SLSQP", tol=1e-12
    )
    return found.x


def number_weights(predicted, target, weight, ridge):
    """Non-negative weights of the least squares, drawn to equal ones."""
    n = len(predicted)

    def loss(w):
        gap = target - sum(a * f for a, f in zip(w, predicted, strict=True))
        return np.average(gap**2, weights=weight) + ridge * sum((w - 1.0 / n) ** 2)

    found = minimize(
        loss, np.full(n, 0.5), bounds=[(0, None)] * n, method="SLSQP", tol=1e-14
    )
    return found.x
