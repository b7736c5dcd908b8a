"""Bagged machines: a committee for every candidate, the paper's stop rule, the vote."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.model_selection import PredefinedSplit
from sklearn.svm import SVC

from treesvm.baselines import BaggedSVC


def moons(n=800, noise=0.3):
    return make_moons(n, noise=noise, random_state=0)


def test_a_draw_of_all_rows_is_one_machine():
    X, y = moons(300)
    cv = PredefinedSplit(np.where(np.arange(300) < 240, -1, 0))
    model = BaggedSVC([1.0], [1.0], 5000, cv=cv, random_state=0).fit(X, y)
    machine = SVC(C=1.0, gamma=1.0, tol=1e-5).fit(X[:240], y[:240])
    assert len(model.decompositions_) == 2  # the second is the same and adds nothing
    assert (model.predict(X) == machine.predict(X)).all()


def test_theta_is_that_of_the_best_committee():
    X, y = moons()
    cv = PredefinedSplit(np.where(np.arange(800) < 600, -1, 0))
    Cs, gammas = [0.1, 1.0, 100.0], [0.01, 1.0, 100.0]
    model = BaggedSVC(Cs, gammas, 80, cv=cv, random_state=3).fit(X, y)
    rng = np.random.RandomState(3)
    rng.randint(np.iinfo(np.int32).max)  # the seed of the split
    draws = [np.sort(rng.choice(np.arange(600), 80, replace=False)) for _ in range(20)]
    found = {(C, g): _committee(X, y, draws, C, g) for C in Cs for g in gammas}
    best = min(found, key=lambda theta: (-found[theta][-1], theta))
    assert (model.C_, model.gamma_) == best
    np.testing.assert_allclose(model.validation_scores_, found[best])


def _committee(X, y, draws, C, gamma, min_gain=0.005):
    """Accuracies of one machine, of two, …: the paper's loop, written plainly."""
    sums, votes, accuracies = np.zeros(200), np.zeros(200), []
    for draw in draws:
        machine = SVC(C=C, gamma=gamma, tol=1e-6).fit(X[draw], y[draw])
        values = machine.decision_function(X[600:])
        sums, votes = sums + values, votes + np.where(values > 0, 1, -1)
        said = np.where(votes == 0, sums > 0, votes > 0)
        accuracies.append(np.mean(said == y[600:]))
        if len(accuracies) > 1 and accuracies[-1] - accuracies[-2] <= min_gain:
            break
    return accuracies


@pytest.mark.parametrize("seed", range(5))
def test_machines_are_added_while_accuracy_rises_enough(seed):
    X, y = moons()
    model = BaggedSVC([10.0], [3.0], 30, min_gain=0.005, random_state=seed).fit(X, y)
    gains = np.diff(model.validation_scores_)
    assert (gains[:-1] > 0.005).all()
    assert gains[-1] <= 0.005
    assert len(model.decompositions_) == len(gains) + 1 >= 2


def test_max_estimators_is_a_cap():
    X, y = moons()
    model = BaggedSVC([1.0], [1.0], 20, min_gain=0.0, max_estimators=3, random_state=0)
    assert len(model.fit(X, y).decompositions_) <= 3


def test_majority_wins():
    X, y = make_blobs(600, centers=3, cluster_std=4.0, random_state=0)
    model = BaggedSVC([1.0], [0.1], 30, min_gain=0.0, random_state=1).fit(X, y)
    members = [m.scores(X).argmax(axis=1) for m in model.decompositions_]
    votes = np.stack([np.sum(np.array(members) == c, axis=0) for c in range(3)], axis=1)
    said = model.predict(X)
    assert (votes[np.arange(len(X)), said] == votes.max(axis=1)).all()


def test_rare_classes_may_be_missing_from_a_draw():
    X, y = moons(400)
    y[:3] = 2
    model = BaggedSVC([1.0], [1.0], 20, random_state=0).fit(X, y)
    assert set(model.predict(X)) <= {0, 1, 2}
    assert model.decision_function(X).shape == (400, 3)


def test_several_splits_are_refused():
    X, y = moons(100)
    with pytest.raises(ValueError, match="cv=3 makes 3 splits"):
        BaggedSVC([1.0], [1.0], 20, cv=3).fit(X, y)


def test_model_does_not_depend_on_threads():
    X, y = moons()
    values = [
        BaggedSVC([1.0], [1.0], 50, n_jobs=n, random_state=0).fit(X, y).predict(X)
        for n in (1, 2)
    ]
    assert (values[0] == values[1]).all()
