"""Answers of batches are those of double precision, also where sums nearly cancel."""

import numpy as np
import pytest

from treesvm import KernelSVC


@pytest.mark.parametrize("C", [10.0, 1000.0])
def test_labels_are_those_of_double_precision(rng, C):
    # Outliers squeeze all other rows together: kernel values near one, and coefficients
    # at both bounds, whose partial sums are thousands of times their total.
    X = rng.normal(size=(1200, 3))
    X[:3] *= 300.0
    y = rng.random(1200) < 0.5
    model = KernelSVC(C=C, gamma=1e-3).fit(X, y)
    rows = rng.normal(size=(3000, 3))
    exact = model.machine_.decisions(rows)[:, 0]
    single = model.machine_.decisions(rows, np.float32)[:, 0]
    assert np.abs(single - exact).max() > 1e-4  # single precision alone would not do
    np.testing.assert_array_equal(model.predict(rows), exact > 0)
    band = 1e-6 * model.machine_._error_scale(rows)
    assert (np.abs(single - exact)[:, None] <= band).all()
