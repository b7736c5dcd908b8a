"""Scalings of a part: twins in plain Python, limit cases, tails and ties."""

import naive_scaling
import numpy as np
import pytest
from scipy import sparse

from treesvm.machines.scaling import (
    LeafScaling,
    composed,
    identity_scaling,
    part_scaling,
)


def long_tails(rng, n=300):
    return np.column_stack(
        [
            rng.standard_cauchy(n),
            rng.integers(0, 3, n),
            rng.random(n) < 0.1,
            np.full(n, 7.0),
            np.exp(3 * rng.normal(size=n)),
        ]
    )


@pytest.mark.parametrize("n", [2, 5, 64, 65, 300])
def test_quantiles_equal_the_twin(rng, n):
    X = long_tails(rng, max(n, 30))[-n:]
    X[0], X[-1] = -1.0, 3.0  # every feature varies but the constant one
    X[:, 3] = 7.0
    scaling = part_scaling(X, "quantile")
    assert 3 not in scaling.columns
    queries = np.concatenate([X, rng.normal(scale=10, size=(50, 5))])
    seen = scaling.apply(queries)
    for k, column in enumerate(scaling.columns):
        expected = naive_scaling.levels(
            scaling.table.values[k], scaling.table.levels[k], queries[:, column]
        )
        np.testing.assert_allclose(seen[:, k], expected, rtol=1e-12, atol=1e-12)


def test_levels_are_ranks_where_the_table_holds_all_values(rng):
    X = rng.permutation(50)[:, None] ** 3.0
    seen = part_scaling(X, "quantile").apply(X)
    order = np.argsort(X[:, 0])
    np.testing.assert_allclose(seen[order, 0], np.linspace(0, 1, 50), atol=1e-12)


def test_long_tails_are_spread_evenly(rng):
    X = rng.standard_cauchy((5000, 1))
    seen = np.sort(part_scaling(X, "quantile").apply(X)[:, 0])
    assert np.abs(seen - np.linspace(0, 1, 5000)).max() < 0.02


@pytest.mark.parametrize("kind", ["minmax", "quantile", "standard"])
def test_rescaling_a_column_changes_nothing(rng, kind):
    X = long_tails(rng)
    other = X * [1e3, 0.5, 8.0, 1.0, 2.0**-20] + [1.0, -3.0, 0.25, 5.0, 0.0]
    a, b = part_scaling(X, kind).apply(X), part_scaling(other, kind).apply(other)
    np.testing.assert_allclose(a, b, atol=1e-6)


def test_numbers_have_variance_one_and_indicators_keep_their_range(rng):
    X = np.column_stack(
        [rng.normal(5.0, 3.0, 200), rng.random(200) < 0.1, rng.exponential(9.0, 200)]
    )
    scaling = part_scaling(X, "standard")
    seen = scaling.apply(X)
    np.testing.assert_allclose(seen[:, [0, 2]].std(axis=0), 1.0)
    assert set(seen[:, 1]) == {0.0, 1.0}
    apart = (X[0] - X[1]) / [X[:, 0].std(), 1.0, X[:, 2].std()]
    np.testing.assert_allclose(seen[0] - seen[1], apart, atol=1e-12)
    with pytest.raises(ValueError, match="'standard' needs dense rows"):
        part_scaling(sparse.csr_matrix(X), "standard")


def test_sparse_rows_have_no_quantiles():
    with pytest.raises(ValueError, match="leaf_scaling='quantile' needs dense rows"):
        part_scaling(sparse.eye(5, format="csr"), "quantile")


@pytest.mark.parametrize("kind", ["minmax", "quantile"])
def test_weights_multiply_and_zeros_leave_out(rng, kind):
    X = long_tails(rng)
    scaling = part_scaling(X, kind)
    weight = np.array([2.0, 0.0, 1.0, 0.5])
    kept = scaling.weighted(weight).apply(X)
    np.testing.assert_allclose(kept, scaling.apply(X)[:, [0, 2, 3]] * [2.0, 1.0, 0.5])
    assert scaling.weighted(np.zeros(4)).apply(X).shape == (300, 1)


def test_identity_and_constant_rows(rng):
    X = rng.normal(size=(10, 3))
    np.testing.assert_array_equal(identity_scaling(3).apply(X), X)
    same = np.ones((10, 3))
    for kind in ("minmax", "quantile"):
        assert np.ptp(part_scaling(same, kind).apply(same)) == 0.0


def test_composed_scalings_are_applied_in_turn(rng):
    first = LeafScaling(np.array([2, 0]), np.array([0.1, -3.0]), np.array([4.0, 0.2]))
    then = LeafScaling(np.array([1]), np.array([0.5]), np.array([3.0]))
    X = rng.normal(size=(20, 3))
    np.testing.assert_allclose(
        composed(first, then).apply(X), then.apply(first.apply(X)), rtol=1e-12
    )
    assert composed(first, None) is first
    assert composed(None, then) is then
    assert composed(None, None) is None
