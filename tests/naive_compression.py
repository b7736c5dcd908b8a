"""Slow, obvious twins of the compression room. Imports nothing from treesvm."""

import itertools
import math

import numpy as np


def column_gain(column, residual):
    """Best scale of one column for one output, and what it takes off the squares."""
    scale = sum(c * e for c, e in zip(column, residual, strict=True))
    scale /= sum(c * c for c in column)
    left = sum((e - scale * c) ** 2 for c, e in zip(column, residual, strict=True))
    return scale, sum(e * e for e in residual) - left


def best_column(K, residual):
    """Try every column."""
    gains = [column_gain(K[:, k], residual)[1] for k in range(K.shape[1])]
    return int(np.argmax(gains)), max(gains)


def best_cut(left_errors, right_errors, cuts):
    """Add up the errors anew for every cut."""
    costs = [sum(left_errors[:cut]) + sum(right_errors[cut:]) for cut in cuts]
    return cuts[int(np.argmin(costs))], min(costs)


def best_split_cost(K, residual, column):
    """The least cost of a greedy split over all thresholds and pairs of columns."""
    best = np.inf
    for threshold in np.unique(K[:, column])[:-1]:
        left = K[:, column] <= threshold
        cost = 0.0
        for side in (left, ~left):
            total = sum(e * e for e in residual[side])
            cost += total - best_column(K[side], residual[side])[1]
        best = min(best, cost)
    return best


def tree_value(tree, terms):
    """Follow the definition: walk, keep the terms, add them up with the leaf's."""
    node, kept = 0, []
    while True:
        term = terms[tree.column[node]]
        kept.append(term)
        if tree.left[node] == -1:
            break
        node = tree.left[node] if term <= tree.threshold[node] else tree.right[node]
    start = tree.start[node]
    value = tree.offsets[node].copy()
    for j, term in enumerate(kept):
        value = value + tree.coefficients[start + j] * term
    return value, kept


def interval_distance(value, low, high):
    """How far a value is from an interval, signed."""
    return low - value if value < low else high - value if value > high else 0.0


def path_loss(A, lower, upper, coefficients, offset, start, start_offset, ridge):
    """The objective of a joint fit for one output, row by row."""
    loss = 0.0
    for i in range(len(A)):
        value = offset + sum(a * c for a, c in zip(A[i], coefficients, strict=True))
        loss += interval_distance(value, lower[i], upper[i]) ** 2
    step = np.append(coefficients - start, offset - start_offset)
    return loss + step @ ridge @ step


def orthogonal_chain(K, targets, length):
    """Add the column whose refit of all columns leaves least, fitting every time."""
    chain, ones = [], np.ones((len(K), 1))
    for _ in range(length):
        left = {}
        for k in range(K.shape[1]):
            if k not in chain:
                A = np.column_stack([ones, K[:, [*chain, k]]])
                fit = np.linalg.lstsq(A, targets, rcond=None)[0]
                left[k] = float(((targets - A @ fit) ** 2).sum())
        chain.append(min(left, key=left.get))
    return chain


def exact_balanced_cost(X, target, height):
    """Try every balanced tree by listing the columns of all its nodes."""
    best = min(((target - X[:, j]) ** 2).sum() for j in range(X.shape[1]))
    if height == 1 or len(X) < 2:
        return best
    for j in range(X.shape[1]):
        threshold = sorted(X[:, j])[(len(X) - 1) // 2]
        left = X[:, j] <= threshold
        if left.all():
            continue
        rest = target - X[:, j]
        cost = exact_balanced_cost(X[left], rest[left], height - 1)
        cost += exact_balanced_cost(X[~left], rest[~left], height - 1)
        best = min(best, cost)
    return best


def greedy_median_cost(X, target, height, column=None):
    """The greedy tree with median thresholds and all scales one: its squared error."""
    if column is None:
        column = _closest(X, target)
    rest = target - X[:, column]
    threshold = np.sort(X[:, column])[(len(X) - 1) // 2]
    left = X[:, column] <= threshold
    unsplit = float((rest**2).sum())
    if height == 1 or len(X) < 2 or left.all():
        return unsplit
    cost = 0.0
    for side in (left, ~left):
        best = _closest(X[side], rest[side])
        cost += greedy_median_cost(X[side], rest[side], height - 1, best)
    return min(cost, unsplit)


def unscaled_tree_cost(X, target, height, min_rows, column=None):
    """Algorithms 2 to 5 of the paper from every threshold: their squared error."""
    column = _closest(X, target) if column is None else column
    rest = target - X[:, column]
    cuts = np.unique(X[:, column])[:-1]
    if height == 1 or len(X) <= min_rows or len(cuts) == 0:
        return float((rest**2).sum())
    splits = [_find_optimal_split(X, rest, column, start, cuts) for start in cuts]
    _, threshold, pair = min(splits)
    left = X[:, column] <= threshold
    return sum(
        unscaled_tree_cost(X[side], rest[side], height - 1, min_rows, j)
        for side, j in zip((left, ~left), pair, strict=True)
    )


def _find_optimal_split(X, r, column, threshold, cuts):
    """Algorithm 3: (cost, threshold, columns of the children)."""
    best = (np.inf, threshold, None)
    while True:
        left = X[:, column] <= best[1]
        pair = _closest(X[left], r[left]), _closest(X[~left], r[~left])
        costs = []
        for cut in cuts:
            left = X[:, column] <= cut
            errors = X[left, pair[0]] - r[left], X[~left, pair[1]] - r[~left]
            costs.append(sum(float(e @ e) for e in errors))
        if min(costs) >= best[0]:
            return best
        best = (min(costs), cuts[int(np.argmin(costs))], pair)


def _closest(X, target):
    errors = [((target - X[:, j]) ** 2).sum() for j in range(X.shape[1])]
    return int(np.argmin(errors))


def spectrum_kernel(a, b, length=3):
    """Number of common substrings, counted by listing all pairs."""
    parts = [
        [text[i : i + length] for i in range(len(text) - length + 1)] for text in (a, b)
    ]
    return sum(x == y for x, y in itertools.product(*parts))


def cheapest_sizes(wrong, costs, rows, allowed):
    """The least cost over all ways to choose a size for each region."""
    best = np.inf
    for chosen in itertools.product(*(range(len(w)) for w in wrong)):
        if sum(w[k] for w, k in zip(wrong, chosen, strict=True)) <= allowed:
            spent = [n * c[k] for n, c, k in zip(rows, costs, chosen, strict=True)]
            best = min(best, sum(spent))
    return best


def linear_svm_objective(X, y, upper, w, b):
    """The primal objective, row by row."""
    loss = 0.5 * (sum(v * v for v in w) + b * b)
    for i in range(len(y)):
        margin = y[i] * (sum(x * v for x, v in zip(X[i], w, strict=True)) + b)
        loss += upper[i] * max(0.0, 1.0 - margin)
    return loss


def network_loss(X, targets, vectors, logs, weights, biases, ridge):
    """Mean loss of a radial network, term by term."""
    total = ridge / 2 * sum(w * w for w in np.ravel(weights))
    for x, shares in zip(X, targets, strict=True):
        scores = [float(b) for b in biases]
        for v, own in zip(vectors, weights, strict=True):
            distance = sum(
                (math.exp(s) * (p - q)) ** 2 for s, p, q in zip(logs, x, v, strict=True)
            )
            for c, w in enumerate(own):
                scores[c] += w * math.exp(-distance)
        total += math.log(sum(math.exp(f) for f in scores))
        total -= sum(t * f for t, f in zip(shares, scores, strict=True))
    return total / len(X)
