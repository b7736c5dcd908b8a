"""Rows: what is drawn of them."""

import numpy as np
import pytest
from scipy import sparse

from treesvm.inputs.rows import Rows


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_of_every_class_a_row_is_drawn(form):
    codes = np.repeat([0, 1, 2], [500, 1, 2])
    X = form(np.arange(503.0)[:, None] + 1)
    rows = Rows(X, codes, np.arange(503.0), 3)
    drawn = rows.drawn(20, [5, 1])
    assert len(drawn.target) == 20
    assert set(drawn.target) == {0, 1, 2}
    assert (np.diff(drawn.weight) > 0).all()  # in order, none twice
    kept = drawn.weight.astype(int)
    np.testing.assert_array_equal(drawn.target, codes[kept])
    assert abs(drawn.X - X[kept]).max() == 0
    assert not np.array_equal(drawn.weight, rows.drawn(20, [5, 2]).weight)


def test_numbers_are_drawn_at_random():
    values = np.arange(1000.0)
    rows = Rows(values[:, None], values, np.ones(1000), None)
    drawn = rows.drawn(100, 0)
    assert len(np.unique(drawn.target)) == 100
    assert 400 < drawn.target.mean() < 600


def test_all_rows_are_themselves():
    rows = Rows(np.eye(3), np.arange(3), np.ones(3), 3)
    assert rows.drawn(3, 0) is rows
