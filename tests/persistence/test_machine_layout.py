"""Pairs and machine numbers made from classes equal those that training makes."""

import numpy as np
import pytest

from treesvm.machines.layout import build_machines
from treesvm.persistence.packed_machines import machine_counts, machine_layout


@pytest.mark.parametrize("layout", ["ovo", "ovr"])
@pytest.mark.parametrize("present", [[0, 1], [1, 4], [0, 1, 2], [1, 3, 4, 7, 8]])
def test_layout_is_that_of_training(layout, present):
    machines = build_machines(np.array(present), 9, layout)
    found = machine_layout(np.array(present, dtype=np.int32), layout)
    pairs, machine_ids = found
    np.testing.assert_array_equal(pairs, machines.pairs)
    ids = np.array([block.machines for block in machines.blocks])
    np.testing.assert_array_equal(machine_ids, ids)
    n_machines, width = machine_counts(np.array([len(present)]), layout)
    assert (n_machines[0], width[0]) == (len(machines.pairs), ids.shape[1])
