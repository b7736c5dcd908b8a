"""Classes and numbers are told apart by their labels."""

import numpy as np
import pytest

from treesvm.datasets import as_target, task_of


@pytest.mark.parametrize(
    ("labels", "task"),
    [
        (["yes", "no"] * 50, "classification"),
        (["3.5", "x"] * 50, "classification"),
        (np.arange(100) % 10, "classification"),
        (np.arange(1000) % 50, "classification"),  # fifty whole numbers at most
        (np.arange(2000) % 60, "classification"),  # each of them often
        (np.arange(1000) % 60, "regression"),
        (np.arange(100) % 10 / 2.0, "classification"),  # few fractions
        (np.arange(100) % 12 / 2.0, "regression"),
        ([f"{i / 3:.3f}" for i in range(100)], "regression"),  # as CSV has them
        (np.arange(0.0, 20.0), "classification"),
    ],
)
def test_tasks(labels, task):
    found, reason = task_of(np.array(labels))
    assert found == task
    assert reason.startswith("the labels are ")


def test_targets():
    assert as_target(np.array(["1.5", "2"]), "regression").tolist() == [1.5, 2.0]
    assert as_target(np.array([0.5, 1.0]), "classification").tolist() == ["0.5", "1.0"]
    assert as_target(np.array([3, 4]), "classification").dtype.kind == "i"
    with pytest.raises(ValueError, match="'high' is no number"):
        as_target(np.array(["1.5", "high"]), "regression")
