"""Slow, obvious twins of Shapley values. No import from treesvm."""

import itertools
from math import comb, factorial

import numpy as np


def factors(x, vectors, gamma, is_squared):
    """Kernel factors of one row, vector by vector and feature by feature."""
    distances = np.abs(vectors - x)
    return np.exp(-gamma * (distances**2 if is_squared else distances))


def shapley_by_subsets(k, coefficients):
    """Values of the features: a weighted mean over all coalitions of the others."""
    d = k.shape[1]
    values = np.zeros((d, coefficients.shape[1]))
    for j in range(d):
        others = [i for i in range(d) if i != j]
        for q in range(d):
            weight = factorial(q) * factorial(d - q - 1) / factorial(d)
            for coalition in itertools.combinations(others, q):
                with_j = np.prod(k[:, [*coalition, j]], axis=1)
                without_j = np.prod(k[:, list(coalition)], axis=1)
                values[j] += weight * (coefficients.T @ (with_j - without_j))
    return values


def shapley_by_polynomials(exponents, coefficients):
    """The same for factors exp(-exponents) of one machine, without a cancellation."""
    d = exponents.shape[1]
    weights = np.array([1 / (d * comb(d - 1, q)) for q in range(d)])
    values = np.zeros(d)
    for c, exponent in zip(coefficients, exponents, strict=True):
        for j in range(d):
            e = np.zeros(d)  # elementary symmetric polynomials of the other factors
            e[0] = 1.0
            for factor in np.exp(-np.delete(exponent, j)):
                e[1:] += factor * e[:-1].copy()
            values[j] += c * np.expm1(-exponent[j]) * (weights @ e)
    return values
