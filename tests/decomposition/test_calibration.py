"""Probabilities that compare across parts: against a grid, counts, and accuracy."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.metrics import log_loss

from treesvm import DTSVMClassifier
from treesvm.decomposition.calibration import (
    Calibration,
    drawn_shares,
    fit_calibration,
    part_masses,
)


def make_scores(seed, n_classes, slope=2.0, offset=0.7, n_rows=600):
    """Rows of parts with different shares, whose classes are drawn by the formula."""
    rng = np.random.default_rng(seed)
    shares = np.full(n_classes, 1.0 / n_classes)
    masses = rng.integers(1, 300, (8, n_classes))[rng.integers(0, 8, n_rows)] * 1.0
    scores = rng.normal(size=(n_rows, n_classes))
    certain = rng.random(n_rows) < 0.1
    p = Calibration(slope, offset, shares).log_probabilities(scores, masses, certain)
    codes = np.array([rng.choice(n_classes, p=np.exp(row)) for row in p])
    return scores, masses, certain, codes, rng.uniform(0.5, 2.0, n_rows), shares


def naive_loss(slope, offset, scores, masses, certain, codes, weight, shares):
    """The log loss, row by row, from the formula of the module."""
    total = 0.0
    for s, m, is_certain, c, w in zip(
        scores, masses, certain, codes, weight, strict=True
    ):
        share = (m + 2.0 * shares) / (m.sum() + 2.0)
        p = share if is_certain else softmax(slope * s + offset * np.log(share))
        total -= w * np.log(p[c] / p.sum())
    return total / weight.sum()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_slope_and_offset_are_the_best_of_a_grid(n_classes):
    data = make_scores(0, n_classes)
    made = fit_calibration(*data)
    assert made.offset > 0.3
    ours = naive_loss(made.slope, made.offset, *data)
    for slope in made.slope * np.array([0.9, 1.0, 1.1]):
        for offset in made.offset + np.array([-0.1, 0.0, 0.1]):
            assert naive_loss(slope, offset, *data) >= ours - 1e-6
    for slope in np.geomspace(0.1, 30.0, 6):
        for offset in (0.0, 0.5, 1.0, 1.5):
            assert naive_loss(slope, offset, *data) >= ours - 1e-6
    log_p = made.log_probabilities(*data[:3])
    assert ours == pytest.approx(
        log_loss(data[3], np.exp(log_p), sample_weight=data[4])
    )


def test_one_class_parts_answer_by_their_counts():
    made = Calibration(5.0, 0.0, np.array([0.25, 0.75]))
    masses = np.array([[10.0, 0.0], [0.0, 98.0]])
    scores = np.array([[1.0, -1.0], [-1.0, 1.0]])
    p = np.exp(made.log_probabilities(scores, masses, np.array([True, True])))
    np.testing.assert_allclose(p, [[10.5 / 12, 1.5 / 12], [0.5 / 100, 99.5 / 100]])
    np.testing.assert_allclose(drawn_shares(masses, made.shares), p)
    assert p[1, 1] > p[0, 0]


def test_an_offset_that_costs_right_answers_is_not_taken():
    """Scores that are always right: shares can only make them wrong."""
    rng = np.random.default_rng(1)
    codes = (rng.random(500) < 0.5).astype(int)
    lead = np.where(codes == 1, 1.0, -1.0) * rng.uniform(0.01, 1.0, 500)
    scores = np.stack([-lead, lead], axis=1)
    masses = np.tile([190.0, 10.0], (500, 1))
    flip = rng.random(500) < 0.5
    masses[flip] = masses[flip, ::-1]
    # Few rows far on the wrong side make a small slope, and so an offset, look good.
    odd = slice(0, 25)
    scores[odd] *= -30.0
    masses[25:] = np.where(codes[25:, None] == 1, [10.0, 190.0], [190.0, 10.0])
    masses[25:75] = masses[25:75, ::-1]
    data = (scores, masses, np.zeros(500, bool), codes, np.ones(500), np.full(2, 0.5))
    made = fit_calibration(*data)
    said = made.log_probabilities(*data[:3]).argmax(axis=1)
    assert (said == codes).mean() >= (scores.argmax(axis=1) == codes).mean()
    assert made.offset == 0.0
    assert naive_loss(made.slope, 0.5, *data) < naive_loss(made.slope, 0.0, *data)


def test_masses_are_the_tree_s_or_the_sizes_of_the_parts(rng):
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=400) > 0).astype(int)
    weight = rng.uniform(0.5, 2.0, 400)
    shares = np.bincount(y, weight) / weight.sum()
    (member,) = (
        DTSVMClassifier(max_leaf_size=100, random_state=0)
        .fit(X, y, weight)
        .decompositions_
    )
    part = member.apply(X)
    expected = [
        np.bincount(y[part == k], weight[part == k], 2) for k in range(part.max() + 1)
    ]
    np.testing.assert_allclose(part_masses(member, shares), expected)
    (member,) = DTSVMClassifier(partition="whole").fit(X, y).decompositions_
    np.testing.assert_allclose(part_masses(member, shares), [400 * shares])
