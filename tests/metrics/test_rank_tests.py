"""Rank tests beside SciPy's and hand-made numbers; clear words without the extra."""

import sys

import numpy as np
import pytest
from scipy import stats

from treesvm.metrics import dunn_test, friedman_test, mean_ranks, nemenyi_test


@pytest.fixture
def table(rng):
    return rng.normal(size=(12, 4)) + [0.0, 0.1, 0.2, 3.0]


def test_friedman_is_scipys(table):
    found = friedman_test(table)
    statistic, p_value = stats.friedmanchisquare(*table.T)
    assert (found.statistic, found.p_value) == (statistic, p_value)
    assert found.mean_ranks.argmin() == 3
    assert found.mean_ranks.sum() == pytest.approx(10.0)


def test_equal_methods_do_not_differ():
    table = np.tile([[1.0], [2.0], [3.0]], (1, 4))
    assert friedman_test(table).p_value == 1.0
    assert mean_ranks(table).tolist() == [2.5] * 4


def test_dunn_by_hand(table):
    """z = difference of mean ranks over its error, all values ranked together."""
    pytest.importorskip("scikit_posthocs")
    p = dunn_test(table)
    ranks = stats.rankdata(table).reshape(table.shape).mean(axis=0)
    n = table.size
    error = np.sqrt(n * (n + 1) / 12 * 2 / len(table))
    z = np.abs(ranks[:, None] - ranks) / error
    np.testing.assert_allclose(p, np.minimum(1.0, 2 * stats.norm.sf(z)), rtol=1e-6)
    assert (dunn_test(table, p_adjust="holm") >= p - 1e-12).all()
    np.testing.assert_array_equal(dunn_test(np.ones((5, 3))), np.ones((3, 3)))


def test_nemenyi_by_hand(table):
    """Studentized range of mean ranks (Demšar 2006)."""
    pytest.importorskip("scikit_posthocs")
    p = nemenyi_test(table)
    n, k = table.shape
    ranks = mean_ranks(table)
    q = np.abs(ranks[:, None] - ranks) / np.sqrt(k * (k + 1) / (6 * n)) * np.sqrt(2)
    expected = stats.studentized_range.sf(q, k, np.inf)
    off = ~np.eye(k, dtype=bool)
    np.testing.assert_allclose(p[off], expected[off], atol=1e-6)
    assert p[0, 3] < 0.01 < p[0, 1]


@pytest.mark.parametrize("bad", [np.ones((1, 4)), np.ones((5, 2)), np.ones(5)])
def test_wrong_shapes(bad):
    with pytest.raises(ValueError, match="three or more columns"):
        friedman_test(bad)


def test_missing_results():
    table = np.ones((4, 3))
    table[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        friedman_test(table)


def test_missing_extra_is_named(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "scikit_posthocs", None)
    for test in (dunn_test, nemenyi_test):
        with pytest.raises(ImportError, match=r"treesvm\[bench\]"):
            test(table)
