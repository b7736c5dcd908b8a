"""Votes: most votes win, ties by summed decision values, whatever the class order."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treesvm.machines import voting
from treesvm.machines.voting import class_scores, votes_and_confidence

ALL_PAIRS = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


@given(seed=st.integers(0, 10_000), scale=st.sampled_from([1e-3, 1.0, 1e4]))
@settings(max_examples=50, deadline=None)
def test_winner_is_the_twin_s(seed, scale):
    decisions = scale * np.random.default_rng(seed).normal(size=(40, 6))
    scores = class_scores(decisions, ALL_PAIRS, 4)
    expected = [naive.vote(row, ALL_PAIRS, 4) for row in decisions]
    np.testing.assert_array_equal(scores.argmax(axis=1), expected)


def test_ties_go_to_the_largest_sum():
    """A cycle: every class wins once; class 2 wins by the most."""
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    decisions = np.array([[1.0, -3.0, 2.0]])
    votes, confidence = votes_and_confidence(decisions, pairs, 3)
    np.testing.assert_array_equal(votes, [[1, 1, 1]])
    np.testing.assert_array_equal(confidence, [[-2, 1, 1]])
    decisions = np.array([[1.0, -3.0, 1.5]])
    assert class_scores(decisions, pairs, 3).argmax() == 2


@given(seed=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_class_order_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    decisions, names = rng.normal(size=(30, 6)), rng.permutation(4)
    first = class_scores(decisions, ALL_PAIRS, 4).argmax(axis=1)
    renamed, signs = names[ALL_PAIRS], np.ones(6)
    swapped = renamed[:, 0] > renamed[:, 1]
    renamed[swapped] = renamed[swapped][:, ::-1]
    signs[swapped] = -1.0
    second = class_scores(decisions * signs, renamed, 4).argmax(axis=1)
    np.testing.assert_array_equal(names[first], second)


def test_more_votes_beat_any_decision_value():
    decisions = np.array([[1e-9, 1e-9, -1e12]])
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    assert class_scores(decisions, pairs, 3).argmax() == 0


@pytest.mark.parametrize(
    ("pairs", "decisions"),
    [
        ([[0, 2], [0, 3], [2, 3]], [[-1.0, -1.0, -1.0]]),
        ([[0, -1], [2, -1], [3, -1]], [[-9.0, -8.0, -7.0]]),
        ([[3, 0]], [[2.0]]),
    ],
)
def test_absent_classes_never_win(pairs, decisions):
    scores = class_scores(np.array(decisions), np.array(pairs), 5)
    assert scores.shape == (1, 5)
    assert np.isfinite(scores).all()
    assert scores.argmax() == 3
    assert np.all(scores[:, [1, 4]] < scores[:, [0, 3]].min())


def test_one_against_the_rest_is_the_decision_value(rng):
    decisions = rng.normal(size=(5, 3))
    pairs = np.array([[0, -1], [1, -1], [2, -1]])
    np.testing.assert_array_equal(class_scores(decisions, pairs, 3), decisions)


def test_chunks_cover_all_rows_within_their_bytes(monkeypatch):
    monkeypatch.setattr(voting, "_DECISION_BYTES", 8 * 3 * 10)
    chunks = list(voting.row_chunks(25, 3))
    assert [(c.start, c.stop) for c in chunks] == [(0, 10), (10, 20), (20, 25)]
    assert [c.stop - c.start for c in voting.row_chunks(3, 1000)] == [1, 1, 1]
    assert list(voting.row_chunks(0, 3)) == []


def test_codes_do_not_depend_on_chunks(monkeypatch, rng):
    decisions = rng.normal(size=(40, 3))
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    whole = voting.predicted_codes(decisions, pairs, 3)
    monkeypatch.setattr(voting, "_DECISION_BYTES", 8 * 3 * 7)
    found = voting.chunked_codes(lambda rows: decisions[rows], 40, pairs, 3)
    np.testing.assert_array_equal(found, whole)
