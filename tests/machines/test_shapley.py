"""Shapley values: all subsets, sums, symmetry, and rules that are as good as exact."""

import naive_shapley
import numpy as np
import pytest

from treesvm.machines.shapley import (
    quadrature_nodes,
    quadrature_rules,
    shapley_values,
)


def make_machines(seed, n_vectors=70, n_features=6, n_machines=3, n_rows=2):
    """Rows and vectors of which many entries are equal, and one vector without use."""
    rng = np.random.default_rng(seed)
    rows = np.round(rng.random((n_rows, n_features)), 1)
    vectors = np.round(rng.random((n_vectors, n_features)), 1)
    coefficients = rng.normal(size=(n_vectors, n_machines))
    coefficients[n_vectors // 2] = 0.0
    return rows, vectors, coefficients


def decision_less_empty(rows, vectors, coefficients, gamma, is_squared):
    """Decision values less those of no feature."""
    products = [
        naive_shapley.factors(x, vectors, gamma, is_squared).prod(axis=1) for x in rows
    ]
    return (np.array(products) - 1.0) @ coefficients


@pytest.mark.parametrize("is_squared", [False, True])
@pytest.mark.parametrize("gamma", [1e-9, 0.7, 60.0])
@pytest.mark.parametrize("n_features", [1, 2, 5, 8])
def test_values_are_those_of_all_subsets(n_features, gamma, is_squared):
    n_vectors = 70 if n_features < 8 else 35  # more than one group
    rows, vectors, coefficients = make_machines(3, n_vectors, n_features)
    values = shapley_values(rows, vectors, coefficients, gamma, is_squared)
    assert values.shape == (2, n_features, 3)
    for x, ours in zip(rows, values, strict=True):
        k = naive_shapley.factors(x, vectors, gamma, is_squared)
        theirs = naive_shapley.shapley_by_subsets(k, coefficients)
        # The twin takes differences of factors near one, which costs it digits.
        atol = 1e-14 * len(vectors)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=atol)


@pytest.mark.parametrize("is_squared", [False, True])
@pytest.mark.parametrize(("n_features", "gamma"), [(54, 0.05), (54, 3.0), (200, 70.0)])
def test_values_sum_to_what_the_features_add(n_features, gamma, is_squared):
    machines = make_machines(5, 100, n_features)
    values = shapley_values(*machines, gamma, is_squared)
    expected = decision_less_empty(*machines, gamma, is_squared)
    size = np.abs(machines[2]).sum()
    np.testing.assert_allclose(values.sum(axis=1), expected, atol=1e-13 * size)


@pytest.mark.parametrize("smallest", [1e-30, 1e-3, 1 - 1e-9])
def test_two_hundred_features_keep_their_digits(smallest):
    """Every value, small or large, against a sum without a negative term."""
    rng = np.random.default_rng(0)
    distances = rng.random((3, 200)) * -np.log(smallest)
    distances[:, ::7] *= 1e-12  # factors that are almost one
    coefficients = np.array([1.0, 2.0, 0.5])
    ours = shapley_values(
        np.zeros((1, 200)), distances, coefficients[:, None], 1.0, False
    )[0, :, 0]
    theirs = naive_shapley.shapley_by_polynomials(distances, coefficients)
    np.testing.assert_allclose(ours, theirs, rtol=1e-11)
    total = coefficients @ np.expm1(-distances.sum(axis=1))
    assert ours.sum() == pytest.approx(total, rel=1e-12)


def test_features_are_treated_alike():
    rows, vectors, coefficients = make_machines(1, n_features=20)
    rows[:, 4], vectors[:, 4] = rows[:, 9], vectors[:, 9]
    values = shapley_values(rows, vectors, coefficients, 0.8, False)
    np.testing.assert_allclose(values[:, 4], values[:, 9], rtol=1e-12)
    order = np.random.default_rng(2).permutation(20)
    permuted = shapley_values(rows[:, order], vectors[:, order], coefficients, 0.8, 0)
    np.testing.assert_allclose(permuted, values[:, order], atol=1e-13)


def test_constant_features_and_unused_vectors_change_nothing():
    rows, vectors, coefficients = make_machines(2)
    values = shapley_values(rows, vectors, coefficients, 1.3, True)
    wider_rows = np.insert(rows, 3, 0.4, axis=1)
    wider_vectors = np.insert(vectors, 3, 0.4, axis=1)
    wider = shapley_values(wider_rows, wider_vectors, coefficients, 1.3, True)
    assert (wider[:, 3] == 0.0).all()
    np.testing.assert_array_equal(np.delete(wider, 3, axis=1), values)
    used = coefficients.any(axis=1)
    fewer = shapley_values(rows, vectors[used], coefficients[used], 1.3, True)
    np.testing.assert_array_equal(fewer, values)
    assert not shapley_values(rows, vectors[:0], coefficients[:0], 1.3, True).any()


def test_one_machine_is_a_column_of_many_and_single_precision_is_accepted():
    rows, vectors, coefficients = make_machines(4, n_features=12)
    rows, vectors = rows.astype(np.float32), np.asfortranarray(vectors, np.float32)
    values = shapley_values(rows, vectors, coefficients, 2.0, False)
    for machine in range(3):
        alone = coefficients[:, machine : machine + 1]
        one = shapley_values(rows, vectors, alone, 2.0, False)
        np.testing.assert_allclose(one[:, :, 0], values[:, :, machine], rtol=1e-12)
    wide = shapley_values(rows * 1.0, vectors.astype(float), coefficients, 2.0, False)
    np.testing.assert_array_equal(wide, values)


@pytest.mark.parametrize("n_features", [1, 3, 54, 200, 1000])
def test_every_rule_is_exact_within_its_reach(n_features):
    """Powers of 1 - t up to the largest count; equal factors of the largest mass."""
    rtol = 1e-14 * max(n_features, 100)  # rounding of the nodes, times the power
    rules = quadrature_rules(n_features)
    assert rules.largest_counts[-1] >= n_features
    reaches = zip(rules.largest_counts, rules.largest_masses, strict=True)
    for r, (count, mass) in enumerate(reaches):
        used = slice(rules.starts[r], rules.starts[r + 1])
        nodes, weights = rules.nodes[used], rules.weights[used]
        powers = np.arange(count)
        integrals = weights @ (1.0 - nodes)[:, None] ** powers
        np.testing.assert_allclose(integrals * (powers + 1), 1.0, rtol=rtol)
        a = min(mass / n_features, 1 - 1e-9)  # of factors 1 - a
        integral = weights @ (1.0 - a * nodes) ** (n_features - 1)
        exact = -np.expm1(n_features * np.log1p(-a)) / (n_features * a)
        assert integral == pytest.approx(exact, rel=rtol)


@pytest.mark.parametrize(
    ("n_factors", "mass", "n_nodes"), [(2, 2, 1), (54, 1, 7), (54, 54, 25)]
)
def test_nodes_are_few(n_factors, mass, n_nodes):
    nodes, weights = quadrature_nodes(n_factors, mass)
    assert len(nodes) == n_nodes
    assert weights.sum() == pytest.approx(1.0)
