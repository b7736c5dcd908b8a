"""A file's counts of machines are those of the layout that is made from classes."""

import numpy as np
import pytest

from treesvm.machines.layout import class_layout
from treesvm.persistence.packed_machines import machine_counts


@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "regression"])
@pytest.mark.parametrize("n_present", [2, 3, 5])
def test_counts_are_the_layout_s(multi_class, n_present):
    layout = class_layout(np.arange(n_present), multi_class)
    n_machines, width = machine_counts(np.array([n_present]), multi_class)
    assert (n_machines[0], width[0]) == (len(layout.pairs), layout.machine_ids.shape[1])
