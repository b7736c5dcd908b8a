"""Slow, obvious twins of the selectors. Imports nothing from treesvm."""

import math

import numpy as np


def boxes(feature, threshold, left, right, n_features):
    """(lower, upper) of every leaf by recursion, in the order of node numbers."""
    found = {}

    def descend(node, lower, upper):
        if left[node] == -1:
            found[node] = (lower, upper)
            return
        j, cut = feature[node], threshold[node]
        descend(left[node], lower, {**upper, j: cut})
        descend(right[node], {**lower, j: cut}, upper)

    descend(0, {}, {})
    lows, highs = [], []
    for node in sorted(found):
        lower, upper = found[node]
        lows.append([lower.get(j, -math.inf) for j in range(n_features)])
        highs.append([upper.get(j, math.inf) for j in range(n_features)])
    return np.array(lows), np.array(highs)


def adjacent(lower, upper):
    """Pairs of boxes that touch in one feature and overlap in all others."""
    pairs = set()
    n, d = lower.shape
    for a in range(n):
        for b in range(n):
            if a == b:
                continue
            touching = overlapping = 0
            for j in range(d):
                if min(upper[a, j], upper[b, j]) > max(lower[a, j], lower[b, j]):
                    overlapping += 1
                elif upper[a, j] == lower[b, j] or upper[b, j] == lower[a, j]:
                    touching += 1
            if touching == 1 and overlapping == d - 1:
                pairs.add((a, b))
    return pairs


def support_scores(X, y, leaf, majority, pairs, floor=1e-12):
    """Relative support distances, row by row and pair by pair."""
    n, d = X.shape
    scores = [-math.inf] * n
    members = {}
    for i in range(n):
        if y[i] == majority[leaf[i]]:
            members.setdefault(int(leaf[i]), []).append(i)
    centre = {k: _mean_row(X, rows) for k, rows in members.items()}
    for a, rows in members.items():
        r = _scaled([_length(X[i], centre[a]) for i in rows])
        nearest = [math.inf] * len(rows)
        for b in sorted(members):
            if (a, b) not in pairs or majority[a] == majority[b]:
                continue
            w = [centre[a][j] - centre[b][j] for j in range(d)]
            square = 0.0
            for value in w:
                square += value * value
            if square == 0.0:
                continue
            h = []
            for i in rows:
                side = 0.0
                for j in range(d):
                    side += w[j] * (X[i, j] - centre[a][j])
                h.append(abs(side + 0.5 * square) / math.sqrt(square))
            nearest = [min(p, q) for p, q in zip(nearest, _scaled(h), strict=True)]
        for t, i in enumerate(rows):
            if nearest[t] < math.inf:
                scores[i] = 1.0 / (
                    (1.0 + float(np.exp(-r[t]))) * max(nearest[t], floor)
                )
    return np.array(scores)


def paper_distance(x, own, other):
    """h as the paper writes it: |W (x - M)| / |W|."""
    W, M = own - other, (own + other) / 2
    return abs(W @ (x - M)) / np.linalg.norm(W)


def _mean_row(X, rows):
    total = [0.0] * X.shape[1]
    for i in rows:
        for j in range(X.shape[1]):
            total[j] += X[i, j]
    return [value / len(rows) for value in total]


def _length(x, m):
    total = 0.0
    for a, b in zip(x, m, strict=True):
        total += (a - b) * (a - b)
    return math.sqrt(total)


def _scaled(values):
    low, high = min(values), max(values)
    return [(v - low) / (high - low) if high > low else 0.0 for v in values]


def candidate_scores(X, y):
    """CVS: nearness of the nearest other row, one more where both name each other."""
    nearness, named = [], []
    for i in range(len(y)):
        others = [
            (np.linalg.norm(X[i] - X[t]), t) for t in range(len(y)) if y[t] != y[i]
        ]
        distance, nearest = min(others)
        nearness.append(1.0 / (1.0 + distance))
        named.append(nearest)
    return np.array(
        [value + (named[named[i]] == i) for i, value in enumerate(nearness)]
    )


def neighbours(X, k):
    """Nearest other rows by sorting all distances."""
    found = []
    for i in range(len(X)):
        far = [(np.linalg.norm(X[i] - X[t]), t) for t in range(len(X)) if t != i]
        found.append(sorted(far)[:k])
    return found


def boundary_rows(X, y, k, n_kept):
    """CBD: draw from the largest score down, each draw lowering its neighbours."""
    near = neighbours(X, k)
    mean = sum(d for row in near for d, _ in row) / (k * len(near))
    weight = []
    for i, row in enumerate(near):
        first = min((d for d, t in row if y[t] != y[i]), default=math.inf)
        weight.append(
            [
                math.exp(-max(d * d - first * first, 0.0) / mean**2)
                if first < math.inf
                else 0.0
                for d, _ in row
            ]
        )
    scores = [
        sum(w for w, (_, t) in zip(weight[i], near[i], strict=True) if y[t] != y[i])
        for i in range(len(y))
    ]
    drawn = []
    while len(drawn) < n_kept:
        i = max(range(len(y)), key=lambda t: -1.0 if t in drawn else scores[t])
        if scores[i] <= 0.0 or i in drawn:
            break
        drawn.append(i)
        for w, (_, t) in zip(weight[i], near[i], strict=True):
            scores[t] *= 1.0 - w
    return drawn


def spread_rows(order, is_clean, near, y, quotas, reach):
    """CleanSpread: clean rows first, each drawn row bars neighbours of its class."""
    drawn, left = [], dict(enumerate(quotas))
    for wanted in (True, False):
        width = reach
        while True:
            for i in order:
                barred = any(y[i] == y[t] and i in near[t][:width] for t in drawn)
                if is_clean[i] != wanted or i in drawn or barred or left[y[i]] == 0:
                    continue
                drawn.append(int(i))
                left[y[i]] -= 1
            if width == 0:
                break
            width //= 2
    return drawn


def apportioned(total, weights, caps):
    """Largest remainders with caps, one round after the other."""
    given = [0] * len(weights)
    while total > 0:
        groups = [g for g, w in enumerate(weights) if w > 0 and given[g] < caps[g]]
        if not groups:
            break
        weight = sum(weights[g] for g in groups)
        ideal = {g: total * (weights[g] / weight) for g in groups}
        part = {g: math.floor(ideal[g]) for g in groups}
        rest = total - sum(part.values())
        by_remainder = sorted(groups, key=lambda g: (part[g] - ideal[g], g))
        for g in by_remainder[:rest]:
            part[g] += 1
        for g in groups:
            taken = min(part[g], caps[g] - given[g])
            given[g] += taken
            total -= taken
    return given


def fisher_direction(A, B, ridge):
    """S⁻¹ (mean difference) with the pooled scatter, by a plain inverse."""
    z = np.vstack([A - A.mean(axis=0), B - B.mean(axis=0)])
    S = z.T @ z
    S = S + ridge * np.trace(S) / len(S) * np.eye(len(S))
    w = np.linalg.inv(S) @ (A.mean(axis=0) - B.mean(axis=0))
    return w / np.linalg.norm(w)
