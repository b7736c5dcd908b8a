"""Random parts: sizes when dealt, and a hash that depends on a row's values only."""

import numpy as np
import pytest
from scipy import sparse

from treesvm.partitions.random_parts import RandomPartition, random_partition


@pytest.mark.parametrize(("n_rows", "ceiling"), [(1, 10), (100, 7), (100, 100), (9, 1)])
def test_dealt_parts_are_as_few_and_as_even_as_possible(n_rows, ceiling):
    partition = random_partition(n_rows, ceiling, seed=3)
    sizes = np.bincount(partition.deal(n_rows), minlength=partition.n_parts)
    assert partition.n_parts == int(np.ceil(n_rows / ceiling))
    assert sizes.max() <= ceiling
    assert sizes.max() - sizes.min() <= 1
    again = random_partition(n_rows, ceiling, seed=3).deal(n_rows)
    np.testing.assert_array_equal(partition.deal(n_rows), again)


def test_part_of_a_row_ignores_its_form(rng):
    X = rng.normal(size=(300, 6)).astype(np.float32)
    X[rng.random(X.shape) < 0.3] = 0.0
    partition = RandomPartition(n_parts=11, seed=5)
    parts = partition.apply(X)
    np.testing.assert_array_equal(partition.apply(X.astype(np.float64)), parts)
    np.testing.assert_array_equal(partition.apply(sparse.csr_matrix(X)), parts)
    np.testing.assert_array_equal(partition.apply(np.where(X == 0, -0.0, X)), parts)
    order = rng.permutation(len(X))
    np.testing.assert_array_equal(partition.apply(X[order]), parts[order])


def test_hash_spreads_rows_evenly_and_follows_the_seed(rng):
    X = rng.integers(0, 3, size=(20_000, 12)).astype(float)
    X = np.unique(X, axis=0)
    parts = RandomPartition(n_parts=10, seed=0).apply(X)
    share = np.bincount(parts, minlength=10) / len(X)
    # Binomial with p = 0.1: six standard deviations.
    assert np.abs(share - 0.1).max() < 6 * np.sqrt(0.09 / len(X))
    other = RandomPartition(n_parts=10, seed=1).apply(X)
    assert np.mean(parts == other) < 0.15


def test_hash_is_stable_across_versions():
    # Recomputed with Python integers: splitmix64 of (column, float32 bits), summed.
    def mix(x):
        x = (x + 0x9E3779B97F4A7C15) % 2**64
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) % 2**64
        return x ^ (x >> 31)

    row = np.array([[1.5, 0.0, -2.25]])
    bits = row[0].astype(np.float32).view(np.uint32)
    total = sum(mix((j << 32) | int(bits[j])) for j in (0, 2)) % 2**64
    expected = mix(total ^ mix(42)) % 1000
    assert RandomPartition(n_parts=1000, seed=42).apply(row)[0] == expected
