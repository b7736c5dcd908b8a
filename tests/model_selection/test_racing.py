"""The statistics of a race, against plain computations."""

import numpy as np
import pytest

from treesvm.model_selection.racing import cannot_win, gain_excluded, standard_error


def answers(rng, n_leaves, accuracy, sizes=None):
    """Right answers of candidates, row by row and leaf by leaf."""
    sizes = rng.integers(20, 60, n_leaves) if sizes is None else sizes
    rows = [rng.random((len(accuracy), n)) < np.array(accuracy)[:, None] for n in sizes]
    return rows, np.array([r.sum(axis=1) for r in rows]).T, sizes.astype(float)


def plain_standard_error(difference, sizes):
    """Spread of the leaves' leads, at least that of independent rows."""
    n, mean = sum(sizes), sum(difference) / sum(sizes)
    between = sum((d - mean * s) ** 2 for d, s in zip(difference, sizes, strict=True))
    within = sum(abs(d) for d in difference) + 1.0
    if len(sizes) < 6:
        return 2.0 * within**0.5 / n
    return max(between, within) ** 0.5 / n


@pytest.mark.parametrize("n_leaves", [1, 3, 5, 6, 40])
def test_standard_error_is_the_plain_one(rng, n_leaves):
    _, correct, sizes = answers(rng, n_leaves, [0.9, 0.7, 0.5])
    difference = correct - correct[0]
    ours = standard_error(difference, sizes)
    theirs = [plain_standard_error(d, sizes) for d in difference]
    np.testing.assert_allclose(ours, theirs)


def test_standard_error_covers_what_is_seen(rng):
    """Over many draws, the mean lead strays by no more than its standard error says."""
    leads, errors = [], []
    for _ in range(300):
        _, correct, sizes = answers(rng, 12, [0.8, 0.7])
        difference = correct[0] - correct[1]
        leads.append(difference.sum() / sizes.sum())
        errors.append(standard_error(difference, sizes))
    assert np.std(leads) < 1.2 * np.mean(errors)


@pytest.mark.parametrize("n_leaves", [2, 10])
def test_leader_is_never_dropped(rng, n_leaves):
    for _ in range(100):
        _, correct, sizes = answers(rng, n_leaves, rng.random(8))
        for tolerance in (0.0, 0.001, 2.0):
            out = cannot_win(correct, sizes, 1.0, tolerance)
            assert not out[correct.sum(axis=1).argmax()]
            assert out.dtype == bool


def test_hopeless_candidates_go_and_close_ones_stay(rng):
    _, correct, sizes = answers(rng, 20, [0.9, 0.89, 0.5])
    assert cannot_win(correct, sizes, 1.0, 0.001).tolist() == [False, False, True]


def test_the_best_candidate_rarely_loses_its_race(rng):
    lost = 0
    for _ in range(300):
        _, correct, sizes = answers(rng, 8, [0.85, 0.83, 0.8])
        lost += cannot_win(correct, sizes, 1.0, 0.001)[0]
    assert lost < 10


def test_identical_candidates_share_their_fate(rng):
    _, correct, sizes = answers(rng, 30, [0.9, 0.6])
    correct = correct[[0, 0, 1, 1]]
    out = cannot_win(correct, sizes, 1.0, 0.0)
    assert out.tolist() == [False, False, True, True]
    # ... but nobody waits for a difference below the tolerance.
    many = np.tile(correct[:1], (2, 200))
    assert cannot_win(many, np.tile(sizes, 200), 1.0, 0.001).tolist() == [False, True]


def test_leaves_without_validation_rows_decide_nothing():
    correct, sizes = np.zeros((3, 2)), np.zeros(2)
    assert not cannot_win(correct, sizes, 0.0, 0.0).any()
    assert not gain_excluded(np.zeros(2), sizes, 0.005)


def test_gain_is_excluded_when_it_is_far_off(rng):
    sizes = np.full(20, 100.0)
    assert gain_excluded(np.full(20, -5.0), sizes, 0.005)
    assert not gain_excluded(np.full(20, 2.0), sizes, 0.005)
    assert not gain_excluded(np.array([-1.0, 1.0]), sizes[:2], 0.005)
    # Gains in a small share of the rows are small gains.
    assert gain_excluded(np.full(20, 2.0), sizes, 0.005, share=0.05)
