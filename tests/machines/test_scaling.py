"""Scalings of the features of a part."""

import numpy as np

from treesvm.machines.scaling import LeafScaling, composed


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
