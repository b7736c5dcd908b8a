"""Slow, obvious twins of kernels, solvers and votes. Imports nothing from treesvm."""

import math
from itertools import combinations

import numpy as np
from scipy.optimize import minimize


def kernel_value(name, a, b, gamma=1.0, degree=3, coef0=0.0):
    """One kernel value from two dense rows."""
    product = sum(float(s) * float(t) for s, t in zip(a, b, strict=True))
    if name == "linear":
        return product
    if name == "polynomial":
        return (gamma * product + coef0) ** degree
    if name == "sigmoid":
        return math.tanh(gamma * product + coef0)
    if name == "laplacian":
        return math.exp(-gamma * manhattan_distance(a, b))
    return math.exp(-gamma * squared_distance(a, b))


def squared_distance(a, b):
    return sum((float(s) - float(t)) ** 2 for s, t in zip(a, b, strict=True))


def manhattan_distance(a, b):
    return sum(abs(float(s) - float(t)) for s, t in zip(a, b, strict=True))


def gradient(name, x, vectors, coefficients, gamma):
    """The gradient by x of sum_s c_s k(x, z_s), for the kernels of distances."""
    out = np.zeros(len(x))
    for z, c in zip(vectors, coefficients, strict=True):
        k = kernel_value(name, x, z, gamma=gamma)
        for j in range(len(x)):
            d = float(x[j]) - float(z[j])
            sign = (d > 0) - (d < 0)
            out[j] -= c * k * gamma * (2 * d if name == "rbf" else sign)
    return out


def kernel_block(name, A, B, **parameters):
    return np.array([[kernel_value(name, a, b, **parameters) for b in B] for a in A])


def svm_dual(K, p, lower, upper):
    """Minimise 1/2 v'Kv - p'v with sum(v) = 0 in the box, by a general solver."""
    answer = minimize(
        lambda v: v @ K @ v / 2 - p @ v,
        np.zeros(len(p)),
        jac=lambda v: K @ v - p,
        bounds=list(zip(lower, upper, strict=True)),
        constraints={"type": "eq", "fun": np.sum, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    return answer.x


def least_squares(K, y, ridge):
    """Least squares machine from its equations; return coefficients and bias."""
    n = len(y)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n], system[n, :n], system[:n, n] = K + np.diag(ridge), 1.0, 1.0
    found = np.linalg.solve(system, np.append(y, 0.0))
    return found[:n], found[n]


def svr_dual(K, y, epsilon, C):
    """Minimise 1/2 v'Kv - y'v + epsilon |v|_1 with sum(v) = 0, |v| <= C.

    `C` is one number, or one for each row. The parts a, b >= 0 of v = a - b make it
    smooth.
    """
    n = len(y)
    joined = np.block([[K, -K], [-K, K]])
    linear = np.concatenate([epsilon - y, epsilon + y])
    signs = np.repeat([1.0, -1.0], n)
    answer = minimize(
        lambda v: v @ joined @ v / 2 + linear @ v,
        np.zeros(2 * n),
        jac=lambda v: joined @ v + linear,
        bounds=[(0.0, c) for c in np.tile(np.broadcast_to(C, n), 2)],
        constraints={"type": "eq", "fun": lambda v: signs @ v, "jac": lambda v: signs},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    return answer.x[:n] - answer.x[n:]


def svr_objective(K, y, epsilon, v):
    return v @ K @ v / 2 - y @ v + epsilon * np.abs(v).sum()


def dual_objective(K, p, v):
    """p'v - 1/2 v'Kv, to be maximised."""
    return sum(p[i] * v[i] for i in range(len(p))) - v @ K @ v / 2


def primal_objective(K, y, sizes, v, b):
    """1/2 |w|^2 plus the weighted hinge losses of a C-SVC."""
    total = v @ K @ v / 2
    for i in range(len(y)):
        f = sum(v[j] * K[i, j] for j in range(len(y))) + b
        total += sizes[i] * max(0.0, 1.0 - y[i] * f)
    return total


def best_primal(K, y, sizes, v):
    """The primal objective at the best bias: one that puts a row on its margin."""
    candidates = y - K @ v
    return min(primal_objective(K, y, sizes, v, b) for b in candidates)


def largest_violation(K, p, v, lower, upper):
    """Over all pairs: how much a rise of i and a fall of j would gain per unit."""
    F = K @ v - p
    worst = 0.0
    for i in range(len(p)):
        for j in range(len(p)):
            if v[i] < upper[i] and v[j] > lower[j]:
                worst = max(worst, F[j] - F[i])
    return worst


def machine_rows(codes, n_classes, multi_class):
    """List (positive class, negative class or -1, {row: sign}) for every machine."""
    present = [c for c in range(n_classes) if c in codes]
    if len(present) == 2:
        pairs = [(present[1], present[0])]
    elif multi_class == "ovo":
        pairs = list(combinations(present, 2))
    else:
        pairs = [(c, -1) for c in present]
    machines = []
    for positive, negative in pairs:
        signs = {}
        for i, c in enumerate(codes):
            if c == positive:
                signs[i] = 1.0
            elif negative in (-1, c):
                signs[i] = -1.0
        machines.append((positive, negative, signs))
    return machines


def vote(decisions, pairs, n_classes):
    """Winner of one row: most votes, then the largest sum of decision values."""
    tallies = {c: [0, 0.0] for c in range(n_classes) if c in np.asarray(pairs)}
    for value, (positive, negative) in zip(decisions, pairs, strict=True):
        tallies[positive if value > 0 else negative][0] += 1
        tallies[positive][1] += value
        tallies[negative][1] -= value
    return max(tallies, key=lambda c: tuple(tallies[c]))
