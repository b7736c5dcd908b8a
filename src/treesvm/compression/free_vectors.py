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
single precision: the answers need no more, and a leaf takes half the time.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import Bounds, minimize

from treesvm.kernels.blas_threads import one_blas_thread

RIDGE = 0.01  # r: weights of about ten are cheap beside a row's loss
MAX_ITER = 300
_LEAST_GAIN = 1e-7  # of a step, in loss of a row
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
    bound = np.full(len(theta), np.inf)
    bound[start.size : start.size + len(logs)] = _LARGEST_LOG
    found = minimize(
        network_loss,
        theta,
        args=(problem, len(start)),
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(-bound, bound),
        options={"maxiter": max_iter, "maxfun": 2 * max_iter, "ftol": _LEAST_GAIN},
    )
    moved, logs, weights, biases = _unpacked(found.x, problem, len(start))
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
    X, ridge, n = problem.X, problem.X.dtype.type(problem.ridge), len(problem.X)
    parts = _unpacked(theta.astype(X.dtype), problem, n_vectors)
    vectors, logs, weights, biases = parts
    factor = np.exp(logs)
    rows, centres = X * factor, vectors * factor
    terms = _terms(rows, centres)
    scores = weights.T @ terms
    scores += biases[:, None]
    loss, slope = _softmax_loss(scores, problem.targets.T)
    loss += ridge / 2 * np.vdot(weights, weights)
    pull = weights @ slope
    pull *= terms
    row_pull, vector_pull, moved = pull.sum(axis=0), pull.sum(axis=1), pull @ rows
    by_centre = moved - vector_pull[:, None] * centres
    # |s (x - v)|^2 by log s is twice each feature's own square.
    rows *= rows
    squares = row_pull @ rows + vector_pull @ centres**2
    squares -= 2 * (moved * centres).sum(axis=0)
    gradient = np.concatenate(
        [
            (2 * factor * by_centre).ravel(),
            -2 * squares,
            (terms @ slope.T + ridge * weights).ravel(),
            slope.sum(axis=1),
        ],
        dtype=np.float64,
    )
    gradient /= n
    return float(loss / n), gradient


# Rows lie along the last axis: sums over a few classes or vectors are then sums of long
# arrays, and none runs over a handful of numbers a million times.
def _softmax_loss(scores, targets):
    """Return the summed loss of the rows, and its derivative by their scores."""
    scores -= scores.max(axis=0)
    slope = np.exp(scores)
    sums = slope.sum(axis=0)
    loss = np.log(sums).sum(dtype=np.float64)
    loss -= np.multiply(scores, targets, out=scores).sum(dtype=np.float64)
    slope /= sums
    slope -= targets
    return loss, slope


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
