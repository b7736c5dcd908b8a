"""Exact Shapley values of machines whose kernel is a product over features.

A machine f(x) = sum_s c_s prod_j k_j(x_j, z_sj) + b is a game of the features, in
which the factor of an absent feature is one.  With m_j = k_j - 1 in [-1, 0] and the
integral form of the weights of coalitions, q! (d-q-1)! / d! = ∫ t^q (1-t)^(d-1-q) dt,
the value of feature j is

    phi_j = sum_s c_s m_j ∫_0^1 prod_{i != j} (1 + t m_i) dt

(Mohammadi, Chau, Muandet, arXiv 2505.16516, sum elementary symmetric polynomials
instead).  The integrand is a polynomial without a negative term in 1 - t, so a
Gauss-Legendre rule integrates it without cancellation, and products from the left and
from the right leave out one factor without a division.  A feature in which row and
vector are equal (m_i = 0) is left out of its vector.

Of p factors other than one, N nodes are exact if 2 N >= p.  Fewer do as well: with
mass = -sum m_i, the relative error of the integral is at most

    (mass + 1) mass^2N N!^4 / ((2N + 1) (2N)!^3)            (remainder at t = 0), and
    p (p-1)!^2 / ((p-1-2N)! (p-1+2N)!)                      (Legendre series),

the second because the integrand is a mean of powers (1 - t)^q with q < p, whose series
beyond the degree 2N - 1 telescopes.  N nodes are used as soon as either is below
`_PRECISION`: seven for a mass of one, and never many more than 3 sqrt(p).  What is left
is the rounding of the nodes, about 1e-15 p.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, roots_legendre

from treesvm.kernels.compiling import compiled, inner
from treesvm.kernels.exponential import exp_minus_one_in_place

_PRECISION = 2.0**-50
_STEP = 1.15  # ratio of the sizes of successive rules
_LANES = 32  # vectors that are worked on together, in vector registers


class QuadratureRules(NamedTuple):
    """Gauss-Legendre rules on [0, 1], the smallest first.

    Rule r has the nodes ``starts[r]:starts[r + 1]``; it is enough for products of up to
    ``largest_counts[r]`` factors, or for a mass of up to ``largest_masses[r]``.
    """

    nodes: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    largest_counts: np.ndarray
    largest_masses: np.ndarray


def shapley_values(rows, vectors, coefficients, gamma, is_squared):
    """Return what each feature adds to the decision values of rows.

    The kernel is exp(-gamma sum_j |x_j - z_j|), or the sum is one of squares.  The sum
    over features is a decision value less that of no feature, which is the bias and the
    sum of the machine's coefficients.

    Parameters
    ----------
    rows : array of shape (n_rows, n_features)
        As the machines see them: scaled and weighted.
    vectors : array of shape (n_vectors, n_features)
    coefficients : array of shape (n_vectors, n_machines)
    gamma : float
    is_squared : bool
        True for the Gaussian kernel, False for the Laplacian.

    Returns
    -------
    array of shape (n_rows, n_features, n_machines)
    """
    rows = np.ascontiguousarray(rows, np.float64)
    coefficients = np.ascontiguousarray(coefficients, np.float64)
    vectors = np.ascontiguousarray(vectors, np.float64)
    is_used = coefficients.any(axis=1)
    if not is_used.all():
        vectors, coefficients = vectors[is_used], coefficients[is_used]
    out = np.zeros((*rows.shape, coefficients.shape[1]))
    rules = quadrature_rules(rows.shape[1])
    _add_rows(rows, vectors, coefficients, float(gamma), bool(is_squared), rules, out)
    return out


def quadrature_nodes(n_factors, mass):
    """Return nodes and weights for factors other than one, with ``mass = sum(1 - k)``.

    Vectors that are worked on together share the rule of their largest values.
    """
    rules = quadrature_rules(n_factors)
    r = _choose_rule(n_factors, float(mass), rules)
    used = slice(rules.starts[r], rules.starts[r + 1])
    return rules.nodes[used], rules.weights[used]


@lru_cache(maxsize=64)
def quadrature_rules(n_features):
    """Return rules for products of up to `n_features` factors."""
    sizes = [1]
    while _largest_count(sizes[-1], n_features) < n_features:
        sizes.append(math.ceil(_STEP * sizes[-1]))
    pairs = [roots_legendre(size) for size in sizes]
    return QuadratureRules(
        np.concatenate([(1.0 + x) / 2 for x, _ in pairs]),
        np.concatenate([w / 2 for _, w in pairs]),
        np.cumsum([0, *sizes]),
        np.array([_largest_count(size, n_features) for size in sizes]),
        np.array([_largest_mass(size, n_features) for size in sizes]),
    )


def _largest_count(size, n_features):
    """Largest number of factors, up to `n_features`, that `size` nodes integrate."""
    p = np.arange(2 * size + 1, n_features + 1)
    log_error = np.log(p) + 2 * gammaln(p)
    log_error -= gammaln(p - 2 * size) + gammaln(p + 2 * size)
    # The error grows with p, so those that are small enough come first.
    return 2 * size + int(np.count_nonzero(log_error <= np.log(_PRECISION)))


def _largest_mass(size, n_features):
    """Largest mass that `size` nodes integrate; it is no larger than `n_features`."""
    log_share = 4 * gammaln(size + 1) - 3 * gammaln(2 * size + 1)
    log_share += np.log1p(n_features) - np.log(2 * size + 1)
    return np.exp((np.log(_PRECISION) - log_share) / (2 * size))


@compiled
def _choose_rule(count, mass, rules):
    """Index of the smallest rule that is enough; the last always is."""
    for r in range(len(rules.starts) - 2):
        if count <= rules.largest_counts[r] or mass <= rules.largest_masses[r]:
            return r
    return len(rules.starts) - 2


@compiled
def _add_rows(rows, vectors, coefficients, gamma, is_squared, rules, out):
    """Add the values of `rows` to `out`, a group of vectors at a time."""
    n_features = rows.shape[1]
    terms = np.empty((n_features, _LANES))  # m_i where row and vector differ, then 0
    features = np.empty((_LANES, n_features), np.int64)  # to which the terms belong
    counts = np.empty(_LANES, np.int64)  # of the terms other than 0
    products, integrals = np.empty_like(terms), np.empty_like(terms)
    for row in range(len(rows)):
        for start in range(0, len(vectors), _LANES):
            group = vectors[start : start + _LANES]
            x = rows[row]
            n = _write_terms(x, group, gamma, is_squared, terms, features, counts)
            r = _choose_rule(n, _largest_mass_of(terms[:n]), rules)
            used = slice(rules.starts[r], rules.starts[r + 1])
            nodes, weights = rules.nodes[used], rules.weights[used]
            _integrate(terms[:n], nodes, weights, products, integrals)
            for lane in range(len(group)):
                for i in range(counts[lane]):
                    value = terms[i, lane] * integrals[i, lane]
                    j = features[lane, i]
                    for machine in range(out.shape[2]):
                        share = coefficients[start + lane, machine]
                        out[row, j, machine] += share * value


@inner
def _write_terms(x, group, gamma, is_squared, terms, features, counts):
    """Write m_i of each vector; return the largest number of them that are not 0."""
    terms[:] = 0.0
    counts[:] = 0
    for lane in range(len(group)):
        n = 0
        for j in range(len(x)):
            distance = abs(x[j] - group[lane, j])
            if is_squared:
                distance *= distance
            # Without a branch: a feature that is equal is written over by the next.
            terms[n, lane] = gamma * distance
            features[lane, n] = j
            n += distance > 0.0
        counts[lane] = n
    largest = counts.max()
    exp_minus_one_in_place(terms[:largest].reshape(-1))
    return largest


@inner
def _largest_mass_of(terms):
    """Largest mass of a vector."""
    mass = np.zeros(_LANES)
    for i in range(len(terms)):
        for lane in range(_LANES):
            mass[lane] -= terms[i, lane]
    return mass.max()


@inner
def _integrate(terms, nodes, weights, products, integrals):
    """Write the integral of the product of all factors but one, for every factor."""
    n = len(terms)
    integrals[:n] = 0.0
    running = np.empty(_LANES)
    for k in range(len(nodes)):
        t = nodes[k]
        running[:] = weights[k]
        for i in range(n):
            for lane in range(_LANES):
                products[i, lane] = running[lane]
                running[lane] *= 1.0 + t * terms[i, lane]
        running[:] = 1.0
        for i in range(n - 1, -1, -1):
            for lane in range(_LANES):
                integrals[i, lane] += products[i, lane] * running[lane]
                running[lane] *= 1.0 + t * terms[i, lane]
