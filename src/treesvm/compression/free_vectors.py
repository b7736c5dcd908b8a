"""Machines with vectors of their own: a radial network for the rows of one region.

A machine's vectors are training rows, its coefficients are bounded, and all features
count alike. A compressed machine is free of all three. For rows x with shares T of the
classes (a one and zeros, where they are certain), find vectors v_j, factors s of the
features, weights W and constants b that minimise

    sum_i sum_c -T_ic log softmax(f(x_i))_c + r/2 |W|^2
    f_c(x) = sum_j W_jc exp(-gamma |s * (x - v_j)|^2) + b_c

by L-BFGS from vectors of the machine, with rows measured in lengths of the kernel, so
that units of features and gamma cancel. The scores f of all classes share the vectors,
and a machine for classes c and d has the value f_c - f_d: the logarithm of the odds.

Symbols used below: ``terms`` is the matrix of exponentials, ``pull`` the derivative of
the loss by each of them times itself. A step costs four products of rows x vectors, in
single precision: the answers need no more, and a leaf takes half the time. Most leaves
are small, so that a step costs less than the calls of NumPy and SciPy that it would
take: all of it is compiled.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.kernels.compiling import compiled, inner
from treesvm.kernels.row_sums import exponential_tables, exponentials

RIDGE = 0.01  # r: weights of about ten are cheap beside a row's loss
MAX_ITER = 300
_LEAST_GAIN = 1e-7  # of a step, in loss of a row
_LEAST_SLOPE = 1e-5  # by each parameter
_HISTORY = 10  # steps that the next direction is made of
# A step gains this share of what the slope promises, and leaves that share of it; how
# many are tried.
_SUFFICIENT, _FLATTER, _TRIALS = 1e-3, 0.9, 20
_START_RIDGE = 1e-2  # of the first weights, by least squares
_START_SCORE = 4.0  # score of the right class above the others' at the start
_LARGEST_LOG = 5.0  # of a factor, either way: exponentials stay finite


class Network(NamedTuple):
    """Class scores ``exp(-gamma |factor * x - vectors_j|^2) @ weights + biases``."""

    vectors: np.ndarray  # (m, n_features), after the factor
    factor: np.ndarray  # (n_features,)
    weights: np.ndarray  # (m, n_classes)
    biases: np.ndarray  # (n_classes,)


class NetworkProblem(NamedTuple):
    """Rows, measured so that gamma is one, and how likely their classes are."""

    X: np.ndarray  # (n, n_features)
    targets: np.ndarray  # (n, n_classes), rows add up to one
    ridge: float = RIDGE


@one_blas_thread()
def fit_network(X, targets, vectors, gamma, *, max_iter=MAX_ITER):
    """Fit a network to rows and the shares of the classes in them.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    targets : ndarray of shape (n, n_classes)
        Rows add up to one.
    vectors : ndarray of shape (m, n_features)
        Where the vectors start.
    gamma : float
        Of the RBF kernel.
    max_iter : int
        Most steps of L-BFGS.

    Returns
    -------
    Network
    """
    centre, unit = X.mean(axis=0), np.sqrt(gamma)
    rows = np.asarray((X - centre) * unit, np.float32)
    problem = NetworkProblem(rows, np.asarray(targets, np.float32, order="F"))
    start = np.asarray((vectors - centre) * unit, np.float64)
    weights, biases = _first_weights(problem, start)
    logs = np.zeros(start.shape[1])
    theta = np.concatenate([start.ravel(), logs, weights.ravel(), biases])
    work = _memory(problem, len(start))
    history = np.zeros((2, _HISTORY, len(theta)))
    states = np.empty((4, len(theta)))
    bounded = (start.size, start.size + len(logs))
    _descend(theta, work, *bounded, history, states, max_iter)
    moved, logs, weights, biases = _unpacked(theta, problem, len(start))
    factor = np.exp(logs)
    return Network((moved / unit + centre) * factor, factor, weights, biases)


def network_loss(theta, problem, n_vectors):
    """Return the mean loss of the rows and its gradient.

    Parameters
    ----------
    theta : ndarray
        Vectors, logarithms of the factors, weights and constants, one after the other.
    problem : NetworkProblem
        The computation has the precision of its rows.
    n_vectors : int
    """
    gradient = np.empty(len(theta))
    loss = _write_gradient(theta, _memory(problem, n_vectors), gradient)
    return loss, gradient


class _Memory(NamedTuple):
    """What a step reads and writes; rows lie along the last axis where they can.

    Sums over a few classes or vectors are then sums of long arrays, and none runs over
    a handful of numbers a million times.
    """

    X: np.ndarray  # (n, width)
    columns: np.ndarray  # (width, n), the same
    squares: np.ndarray  # (n, width)
    targets: np.ndarray  # (n_classes, n)
    ridge: np.ndarray  # of the rows' type, one number
    series: np.ndarray
    powers: np.ndarray
    vectors: np.ndarray  # (m, width), in units of rows
    scaled: np.ndarray  # (m, width), twice the vectors times squared factors
    moved: np.ndarray  # (m, width)
    factors: np.ndarray  # (width,), squared
    by_factor: np.ndarray  # (width,)
    weights: np.ndarray  # (m, n_classes)
    by_class: np.ndarray  # (n_classes, m), the same
    weight_slopes: np.ndarray  # (m, n_classes)
    terms: np.ndarray  # (m, n)
    pull: np.ndarray  # (m, n)
    scores: np.ndarray  # (n_classes, n)
    slopes: np.ndarray  # (n_classes, n)
    lines: np.ndarray  # (4, n)


def _memory(problem, m):
    """Return the rows as steps read them, and memory for m vectors."""
    X = np.ascontiguousarray(problem.X)
    kind, (n, width) = X.dtype.type, X.shape
    targets = np.ascontiguousarray(problem.targets.T, kind)
    n_classes = len(targets)
    shapes = [(m, width)] * 3 + [(width,)] * 2
    shapes += [(m, n_classes), (n_classes, m), (m, n_classes)]
    shapes += [(m, n)] * 2 + [(n_classes, n)] * 2 + [(4, n)]
    return _Memory(
        X,
        np.ascontiguousarray(X.T),
        X * X,
        targets,
        np.full(1, problem.ridge, kind),
        *exponential_tables(kind),
        *(np.empty(shape, kind) for shape in shapes),
    )


@compiled(error_model="numpy")
def _write_gradient(theta, work, gradient):
    """Return the mean loss of the rows, and write its gradient."""
    m, width = work.vectors.shape
    n_classes, n = work.scores.shape
    logs, first, biases = m * width, (m + 1) * width, len(theta) - n_classes
    vectors, scaled, factors = work.vectors, work.scaled, work.factors
    zero, terms, pull, lines = work.ridge[0] * 0, work.terms, work.pull, work.lines
    ridge, weights, weight_slopes = work.ridge[0], work.weights, work.weight_slopes
    scores, slopes, targets = work.scores, work.slopes, work.targets
    for f in range(width):
        factors[f] = np.exp(2.0 * theta[logs + f])
    for j in range(m):
        for f in range(width):
            vectors[j, f] = theta[j * width + f]
            scaled[j, f] = 2 * vectors[j, f] * factors[f]
        for c in range(n_classes):
            weights[j, c] = theta[first + j * n_classes + c]
            work.by_class[c, j] = weights[j, c]
    # |s (x - v)|^2, from the products of rows and vectors.
    np.dot(scaled, work.columns, terms)
    sizes, row_pull = lines[2], lines[3]
    np.dot(work.squares, factors, sizes)
    for j in range(m):
        own, size = terms[j], zero
        for f in range(width):
            size += scaled[j, f] * vectors[j, f]
        size /= 2
        for i in range(n):
            d = sizes[i] + size - own[i]
            own[i] = d if d > zero else zero
        exponentials(own, 1.0, work.series, work.powers, lines)
    np.dot(work.by_class, terms, scores)
    total = _softmax_loss(scores, theta[biases:], targets, slopes, work)
    np.dot(weights, slopes, pull)
    np.dot(terms, slopes.T, weight_slopes)
    for i in range(n):
        row_pull[i] = zero
    for j in range(m):
        own, term = pull[j], terms[j]
        for i in range(n):
            own[i] *= term[i]
        for i in range(n):
            row_pull[i] += own[i]
    np.dot(pull, work.X, work.moved)
    np.dot(row_pull, work.squares, work.by_factor)
    for j in range(m):
        pulled, own = 0.0, pull[j]
        for i in range(n):
            pulled += own[i]
        for f in range(width):
            v, moved = vectors[j, f], work.moved[j, f]
            gradient[j * width + f] = 2.0 * factors[f] * (moved - pulled * v) / n
            # |s (x - v)|^2 by log s is twice each feature's own square.
            work.by_factor[f] += pulled * v * v - 2.0 * moved * v
        for c in range(n_classes):
            w = weights[j, c]
            total += 0.5 * ridge * w * w
            slope = weight_slopes[j, c] + ridge * w
            gradient[first + j * n_classes + c] = slope / n
    for f in range(width):
        gradient[logs + f] = -2.0 * factors[f] * work.by_factor[f] / n
    for c in range(n_classes):
        slope, own = 0.0, slopes[c]
        for i in range(n):
            slope += own[i]
        gradient[biases + c] = slope / n
    return total / n


@inner
def _softmax_loss(scores, biases, targets, slopes, work):
    """Return the summed loss of the rows; write its derivative by their scores."""
    n_classes, n = scores.shape
    zero, lines = work.ridge[0] * 0, work.lines
    best, sums = work.pull[0], work.lines[3]
    for i in range(n):
        best[i] = scores[0, i] + biases[0]
        sums[i] = zero
    for c in range(n_classes):
        own, bias = scores[c], biases[c]
        for i in range(n):
            own[i] += bias
            best[i] = own[i] if own[i] > best[i] else best[i]
    total = 0.0
    for c in range(n_classes):
        own, slope, target = scores[c], slopes[c], targets[c]
        for i in range(n):
            slope[i] = best[i] - own[i]
        for i in range(n):
            total += slope[i] * target[i]
        exponentials(slope, 1.0, work.series, work.powers, lines)
        for i in range(n):
            sums[i] += slope[i]
    for c in range(n_classes):
        slope, target = slopes[c], targets[c]
        for i in range(n):
            slope[i] = slope[i] / sums[i] - target[i]
    for i in range(n):
        total += np.log(sums[i])
    return total


@compiled(error_model="numpy")
def _descend(theta, work, first, last, history, states, max_iter):
    """Minimise the loss from `theta` on, in place; return the steps made.

    L-BFGS (Nocedal and Wright, Numerical Optimization, algorithm 7.4); a step's length
    is bracketed until it meets Wolfe's conditions.  The entries from `first` to `last`
    stay within their bound.  `history` holds steps and changes of the gradient,
    `states` is memory.
    """
    n, n_kept, newest = len(theta), 0, -1
    moves, turns = history[0], history[1]
    gradient, direction, new, new_gradient = states[0], states[1], states[2], states[3]
    shares, is_held = np.zeros(len(moves)), np.zeros(n, np.bool_)
    loss = _write_gradient(theta, work, gradient)
    for step in range(max_iter):
        steepest = 0.0
        for t in range(n):
            direction[t] = -gradient[t]
            # An entry at its bound that pushes outwards stays there.
            at_bound = first <= t < last and abs(theta[t]) >= _LARGEST_LOG
            is_held[t] = at_bound and theta[t] * direction[t] > 0.0
            if is_held[t]:
                direction[t] = 0.0
            steepest = max(steepest, abs(direction[t]))
        if steepest <= _LEAST_SLOPE:
            return step
        for k in range(n_kept):
            s, y = moves[(newest - k) % _HISTORY], turns[(newest - k) % _HISTORY]
            shares[k] = _dot(s, direction) / _dot(s, y)
            for t in range(n):
                direction[t] -= shares[k] * y[t]
        if n_kept > 0:
            s, y = moves[newest], turns[newest]
            scale = _dot(s, y) / _dot(y, y)
            for t in range(n):
                direction[t] *= scale
        for k in range(n_kept - 1, -1, -1):
            s, y = moves[(newest - k) % _HISTORY], turns[(newest - k) % _HISTORY]
            share = shares[k] - _dot(y, direction) / _dot(s, y)
            for t in range(n):
                direction[t] += share * s[t]
        for t in range(n):
            if is_held[t]:
                direction[t] = 0.0
        length = (
            1.0 if n_kept > 0 else min(1.0, 1.0 / np.sqrt(_dot(gradient, gradient)))
        )
        shortest, longest, new_loss = 0.0, np.inf, loss
        for _ in range(_TRIALS):
            before, after = 0.0, 0.0  # slopes along the step
            for t in range(n):
                new[t] = theta[t] + length * direction[t]
                if first <= t < last:
                    new[t] = min(max(new[t], -_LARGEST_LOG), _LARGEST_LOG)
                before += gradient[t] * (new[t] - theta[t])
            new_loss = _write_gradient(new, work, new_gradient)
            for t in range(n):
                after += new_gradient[t] * (new[t] - theta[t])
            if new_loss > loss + _SUFFICIENT * before:
                longest = length
                # Where the parabola through both losses and the first slope is lowest.
                share = 0.5 * before / (before - (new_loss - loss))
                length *= min(max(share, 0.1), 0.9)
                if not shortest < length:
                    length = 0.5 * (shortest + longest)
            elif after < _FLATTER * before:
                shortest = length
                length = min(2.0 * length, 0.5 * (length + longest))
            else:
                break
        if not new_loss < loss:
            if n_kept == 0:
                return step
            n_kept = 0  # what is known of the curvature is wrong: forget it
            continue
        newest = (newest + 1) % _HISTORY
        s, y = moves[newest], turns[newest]
        for t in range(n):
            s[t], y[t] = new[t] - theta[t], new_gradient[t] - gradient[t]
            theta[t], gradient[t] = new[t], new_gradient[t]
        if _dot(s, y) > 1e-10 * _dot(y, y):
            n_kept = min(n_kept + 1, _HISTORY)
        else:
            newest = (newest - 1) % _HISTORY
        gain, loss = loss - new_loss, new_loss
        if gain <= _LEAST_GAIN * max(1.0, loss):
            return step + 1
    return max_iter


@inner
def _dot(a, b):
    total = 0.0
    for t in range(len(a)):
        total += a[t] * b[t]
    return total


def _terms(rows, centres):
    """Return the exponentials, one line for each centre."""
    distances = (2 * centres) @ rows.T
    distances -= np.einsum("if,if->i", rows, rows)
    distances -= np.einsum("jf,jf->j", centres, centres)[:, None]
    np.minimum(distances, 0, out=distances)
    return np.exp(distances, out=distances)


def _unpacked(theta, problem, n_vectors):
    """Return (vectors, logarithms of factors, weights, biases)."""
    width, n_classes = problem.X.shape[1], problem.targets.shape[1]
    first, second = n_vectors * width, (n_vectors + 1) * width
    third = second + n_vectors * n_classes
    return (
        theta[:first].reshape(n_vectors, width),
        theta[first:second],
        theta[second:third].reshape(n_vectors, n_classes),
        theta[third:],
    )


def _first_weights(problem, vectors):
    """Least squares on the right class's score above the others'."""
    terms = _terms(problem.X, vectors).T
    A = np.column_stack([terms, np.ones(len(terms))])
    targets = problem.targets - 1.0 / problem.targets.shape[1]
    gram = A.T @ A + _START_RIDGE * np.eye(A.shape[1])
    found = cho_solve(cho_factor(gram), A.T @ (_START_SCORE * targets))
    return found[:-1], found[-1]
