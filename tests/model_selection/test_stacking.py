"""Weights of a committee's members: against slow twins, and in limit cases."""

from types import SimpleNamespace

import naive_committee as naive
import numpy as np
import pytest
from sklearn.datasets import make_blobs

from treesvm import DTSVMClassifier
from treesvm.decomposition.calibration import drawn_shares
from treesvm.decomposition.weighted_committee import WeightedCommittee
from treesvm.machines.voting import class_evidence
from treesvm.model_selection.member_plan import planned_members
from treesvm.model_selection.stacking import (
    _RIDGE,
    _RIDGE_ROWS,
    HeldOut,
    class_weights,
    joined_classes,
    joined_numbers,
    number_weights,
    slope_and_log_loss,
)
from treesvm.partitions import AxisTree, WholeSpace


def answers(rng, n_rows=80, n_classes=3, noise=(0.5, 1.0, 4.0)):
    """Evidence of candidates of different quality, and the right classes."""
    codes = rng.integers(0, n_classes, n_rows)
    right = np.eye(n_classes)[codes]
    evidence = [right + s * rng.normal(size=right.shape) for s in noise]
    return np.array(evidence), codes, rng.uniform(0.5, 2.0, n_rows)


def test_evidence_is_that_of_the_twin(rng):
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    decisions = rng.normal(size=(40, 3))
    found = class_evidence(decisions, pairs, 3)
    np.testing.assert_allclose(found, naive.class_evidence(decisions, pairs, 3))
    assert np.isfinite(class_evidence(1e6 * decisions, pairs, 3)).all()


def test_evidence_of_two_classes_and_of_classes_without_machine(rng):
    decisions = rng.normal(size=(5, 1))
    two = class_evidence(decisions, np.array([[1, 0]]), 2)
    np.testing.assert_array_equal(two, np.hstack([-decisions, decisions]))
    four = class_evidence(decisions, np.array([[3, 1]]), 4)
    assert set(four.argmax(axis=1)) <= {1, 3}


def test_weights_are_those_of_the_twin(rng):
    evidence, codes, weight = answers(rng)
    ridge = _RIDGE + _RIDGE_ROWS / len(codes)
    found = class_weights(evidence, codes, weight)
    np.testing.assert_allclose(
        found, naive.class_weights(evidence, codes, weight, ridge), atol=1e-4
    )
    target = rng.normal(size=80)
    predicted = np.array([target + s * rng.normal(size=80) for s in (0.3, 0.5, 3.0)])
    spread = np.average(target**2, weights=weight)
    np.testing.assert_allclose(
        number_weights(predicted, target, weight),
        naive.number_weights(predicted, target, weight, ridge * spread),
        atol=1e-5,
    )


def test_better_candidates_weigh_more_and_bad_ones_are_left_out(rng):
    evidence, codes, weight = answers(rng, 600, noise=(4.0, 0.6, 0.6, 30.0))
    held = HeldOut(codes, weight, np.ones((600, 3)), np.zeros(600, bool))
    places, made = joined_classes(evidence, held, np.full(3, 1 / 3))
    assert set(places[:2]) == {1, 2}
    assert 3 not in places
    assert made.weights.sum() == pytest.approx(1.0)
    joint = sum(
        w * a * evidence[p]
        for w, a, p in zip(made.weights, made.slopes, places, strict=True)
    )
    alone = slope_and_log_loss(evidence[1], codes, weight)[1]
    assert slope_and_log_loss(joint, codes, weight)[1] < alone


def test_numbers_join_with_at_most_four(rng):
    target = rng.normal(size=300)
    predicted = target + 0.5 * rng.normal(size=(9, 300))
    places, weights = joined_numbers(predicted, HeldOut(target, np.ones(300)))
    assert len(places) == len(weights) == 4
    joint = weights @ predicted[places]
    assert np.mean((joint - target) ** 2) < 0.5 * np.mean((predicted[0] - target) ** 2)


def test_one_candidate_stays_alone(rng):
    evidence, codes, weight = answers(rng, noise=(1.0,))
    held = HeldOut(codes, weight, np.ones((80, 3)), np.zeros(80, bool))
    places, made = joined_classes(evidence, held, np.full(3, 1 / 3))
    assert places == [0]
    assert made.weights.tolist() == [1.0]
    everything_certain = held._replace(is_certain=np.ones(80, bool))
    places, made = joined_classes(0 * evidence, everything_certain, np.full(3, 1 / 3))
    assert places == [0]


def test_a_committee_says_what_its_twin_says():
    X, y = make_blobs(300, centers=3, cluster_std=3.0, random_state=0)
    X[y == 2] += 30.0  # parts of one class
    members = [
        DTSVMClassifier(max_leaf_size=60, random_state=k, kernel=kernel).fit(X, y)
        for k, kernel in enumerate(("laplacian", "rbf"))
    ]
    parts = [model.decompositions_[0] for model in members]
    shares = np.bincount(y) / len(y)
    made = WeightedCommittee(np.array([0.7, 0.3]), np.array([2.0, 1.5]), 0.4, shares)
    found = np.exp(made.log_probabilities(parts, X[::10]))
    certain_rows = 0
    for row, own in zip(X[::10], found, strict=True):
        evidence, local, certain = [], [], []
        for member in parts:
            k = member.apply(row[None])[0]
            part, tree = member.parts[k], member.partition.tree
            mass = tree.value[tree.leaves()][k]
            certain.append(part.machine is None)
            evidence.append(
                0.0 if part.machine is None else part.evidence(row[None])[0]
            )
            local.append(drawn_shares(mass[None], shares)[0])
        certain_rows += sum(certain)
        np.testing.assert_allclose(
            own,
            naive.probabilities(
                evidence, local, certain, made.weights, made.slopes, made.offset
            ),
            atol=1e-9,
        )
    assert 0 < certain_rows < 2 * len(found)


def test_members_get_trees_of_their_own_where_the_space_is_cut():
    found = SimpleNamespace(thetas=["a", "b"], partition=AxisTree(), max_leaf_size=1500)
    plan = planned_members(found, np.array([0.8, 0.2]), 10_000, 5)
    assert [m.theta for m in plan].count("a") == 3
    assert sum(m.weight for m in plan) == pytest.approx(1.0)
    assert len({m.seed for m in plan}) == 4
    assert all(m.partition.max_features == 0.5 for m in plan)
    one = planned_members(found, np.array([0.8, 0.2]), 10_000, 5, 1)
    assert [m.partition for m in one] == [found.partition]
    whole = SimpleNamespace(thetas=["a", "b"], partition=WholeSpace(), max_leaf_size=9)
    for case, n_rows in ((found, 1000), (whole, 10_000)):
        assert len(planned_members(case, np.array([0.8, 0.2]), n_rows, 5)) == 2
