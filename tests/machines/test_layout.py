"""The layout of binary machines: rows, signs, coefficients and decisions."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treesvm.machines.layout import (
    build_machines,
    class_layout,
    coefficient_matrix,
    decisions,
)


def joined(machines, m):
    """Coefficients of machine m in the joined array."""
    return slice(machines.starts[m], machines.starts[m + 1])


class_codes = st.lists(st.sampled_from([0, 1, 2, 4]), min_size=1, max_size=25)


@given(codes=class_codes, multi_class=st.sampled_from(["ovo", "ovr"]))
@settings(max_examples=60, deadline=None)
def test_layout_is_the_twin_s(codes, multi_class):
    codes = np.array(codes)
    machines = build_machines(codes, 5, multi_class)
    twins = naive.machine_rows(list(codes), 5, multi_class)
    assert machines.n_machines == len(twins)
    assert np.all(np.diff(codes[machines.order]) >= 0)
    assert sorted(machines.order) == list(range(len(codes)))
    for m, (positive, negative, signs) in enumerate(twins):
        assert tuple(machines.pairs[m]) == (positive, negative)
        own = joined(machines, m)
        rows = machines.order[machines.rows[own]]
        assert np.all(np.diff(machines.rows[own]) > 0)
        assert dict(zip(rows, machines.signs[own], strict=True)) == signs


@given(
    codes=class_codes,
    multi_class=st.sampled_from(["ovo", "ovr"]),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_decisions_are_a_loop_s(codes, multi_class, seed):
    codes = np.array(codes)
    machines = build_machines(codes, 5, multi_class)
    rng = np.random.default_rng(seed)
    beta = rng.normal(size=len(machines.rows))
    biases = rng.normal(size=machines.n_machines)
    K = rng.normal(size=(3, len(codes)))
    expected = np.empty((3, machines.n_machines))
    W = np.zeros((len(codes), machines.n_machines))
    for m in range(machines.n_machines):
        own = joined(machines, m)
        for row, value in zip(machines.rows[own], beta[own], strict=True):
            W[row, m] = value
        for q in range(3):
            total = sum(
                K[q, row] * value
                for row, value in zip(machines.rows[own], beta[own], strict=True)
            )
            expected[q, m] = biases[m] + total
    np.testing.assert_allclose(decisions(machines, K, beta, biases), expected)
    np.testing.assert_array_equal(coefficient_matrix(machines, beta), W)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_two_classes_are_one_machine(multi_class):
    machines = build_machines(np.array([3, 1, 3]), 4, multi_class)
    np.testing.assert_array_equal(machines.pairs, [[3, 1]])
    np.testing.assert_array_equal(machines.order, [1, 0, 2])
    np.testing.assert_array_equal(machines.signs, [-1, 1, 1])


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("present", [[0, 1], [1, 4], [0, 1, 2], [1, 3, 4, 7, 8]])
def test_each_class_knows_its_machines(multi_class, present):
    layout = class_layout(np.array(present, dtype=np.int32), multi_class)
    for code, ids in zip(present, layout.machine_ids, strict=True):
        takes_part = (layout.pairs[:, 1] < 0) | (layout.pairs == code).any(axis=1)
        np.testing.assert_array_equal(ids, np.flatnonzero(takes_part))
    machines = build_machines(np.array(present), 9, multi_class)
    np.testing.assert_array_equal(layout.pairs, machines.pairs)
