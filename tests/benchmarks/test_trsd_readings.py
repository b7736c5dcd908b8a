"""Readings of CVS and FLD: the first is the library's, all of them are named."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from benchmarks.candidates_problems import Fold
from benchmarks.papers import trsd_readings as readings
from treesvm.candidates import CVS, FLD
from treesvm.candidates.fld import discriminant_distances
from treesvm.candidates.partition import partition_rows


@pytest.fixture
def fold():
    X, y = make_moons((120, 60), noise=0.25, random_state=0)
    return Fold(3, X, y, X, y)


@pytest.mark.parametrize("method", [CVS, FLD])
def test_the_first_reading_is_the_librarys(fold, method):
    name = method.__name__
    found = dict(readings.READINGS[name](fold, 18))
    assert tuple(found) == readings.LABELS[name]
    assert all(len(set(kept)) == 18 for kept in found.values())
    kept = method(0.1, random_state=fold.seed).fit(fold.X, fold.y).sample_indices_
    np.testing.assert_array_equal(np.sort(found[readings.LABELS[name][0]]), kept)


def test_side_is_distance_with_a_sign(fold):
    rng = np.random.RandomState(0)
    partition = partition_rows(fold.X, fold.y, rng=rng)
    distance = discriminant_distances(fold.X, fold.y, partition)
    side = readings._towards_the_other(fold.X, fold.y, partition)
    np.testing.assert_array_equal(np.isfinite(side), np.isfinite(distance))
    # A row on its own side of all discriminants is ranked by the nearest one.
    own = np.isfinite(side) & (side < 0)
    assert own.sum() > 20
    np.testing.assert_allclose(-side[own], distance[own])


def test_summary_tells_how_far_a_reading_is(monkeypatch):
    monkeypatch.setattr(readings, "SETS", ("banana",))
    theirs = {s: readings.published.accuracies()["banana", s] for s in readings.SHARES}
    gaps = dict(zip(readings.SHARES, (1.0, -5.0), strict=True))
    found = {f"first, {s}": theirs[s]["CVS"][0] + gap for s, gap in gaps.items()}
    figures = readings.summary("CVS", {"banana, readings of CVS": found}.get)
    assert figures["first, mean deviation"] == pytest.approx(3.0)
    assert (figures["first, close"], figures["first, compared"]) == (1, 2)
    assert figures["published, banana"] == theirs[0.1]["CVS"][0]
    assert readings.summary("CVS", {}.get) == {}
