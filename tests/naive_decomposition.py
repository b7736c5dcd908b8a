"""Slow, obvious twins of decomposed machines. Imports nothing from treesvm."""

import math

import numpy as np
from sklearn.svm import SVC

from tests import naive


def search(parts_at, X, y, train, val, thetas, ceiling, *, top_k, growth, min_gain):
    """The paper's search as a plain double loop with SVC.

    `parts_at(ceiling)` returns the part of every training row and of every validation
    row. Returns (C, gamma, ceiling, score).
    """

    def score(theta, size):
        own, met = parts_at(size)
        right = 0
        for part in set(own.tolist()):
            answers = _answers(X, y, train[own == part], val[met == part], theta)
            right += np.sum(answers == y[val[met == part]])
        return right / len(val)

    first = {theta: score(theta, ceiling) for theta in thetas}
    best = sorted(thetas, key=lambda theta: (-first[theta], theta))[:top_k]
    reached = []
    for theta in best:
        size, value = ceiling, first[theta]
        while size < len(train):
            larger = score(theta, size * growth)
            if larger - value < min_gain:
                break
            size, value = size * growth, larger
        reached.append((-value, theta, size))
    value, theta, size = min(reached)
    return theta[0], theta[1], size, -value


def _answers(X, y, rows, wanted, theta):
    """What one part's machine says about the rows `wanted`."""
    if len(wanted) == 0:
        return y[:0]
    if len(set(y[rows].tolist())) == 1:
        return np.full(len(wanted), y[rows[0]])
    machine = SVC(C=theta[0], gamma=theta[1], tol=1e-6).fit(X[rows], y[rows])
    return machine.predict(X[wanted])


def vectors_met(part_of_row, coefficients):
    """Mean of summed and of distinct support vectors that rows meet, row by row.

    `coefficients[k]` is None in a one-class part, else an array with one row for each
    training row of the part and one column for each machine.
    """
    summed = distinct = 0
    for part in part_of_row:
        table = coefficients[part]
        if table is None:
            continue
        for row in table:
            used = sum(1 for value in row if value != 0.0)
            summed += used
            distinct += used > 0
    return summed / len(part_of_row), distinct / len(part_of_row)


def squared_norm_and_slack(X, signs, alpha, bias, gamma):
    """alpha'Q alpha and the sum of squared slacks of one machine."""
    K = naive.kernel_block("rbf", X, X, gamma=gamma)
    n, norm, slack = len(signs), 0.0, 0.0
    for i in range(n):
        value = bias
        for j in range(n):
            value += alpha[j] * signs[j] * K[i, j]
            norm += alpha[i] * alpha[j] * signs[i] * signs[j] * K[i, j]
        slack += max(0.0, 1.0 - signs[i] * value) ** 2
    return norm, slack


def tree_term(n_leaves, n_rows, n_features):
    """T2 of Theorem 10."""
    return n_leaves * math.log(n_features * n_rows * n_leaves**2)
