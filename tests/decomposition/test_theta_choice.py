"""What is left open of a theta: the grid, the rows that judge, and who wins."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import log_softmax
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from treesvm import DTSVMClassifier, DTSVRegressor, KernelSVR, load_model, save_model
from treesvm.decomposition.calibration import fit_scale
from treesvm.decomposition.theta import OPEN, Theta
from treesvm.decomposition.theta_choice import (
    candidates,
    choose_theta,
    held_out_numbers,
    is_open,
    judged_parts,
    smoothest,
)
from treesvm.inputs.rows import Rows
from treesvm.kernels.kernel import Gaussian, Laplacian, Linear

_GAMMA = 10.0
ALL_OPEN = Theta(OPEN, "median", OPEN, OPEN)


def test_what_is_given_stays_and_what_is_open_is_tried():
    assert is_open(ALL_OPEN)
    assert not is_open(Theta(1.0, "auto"))  # "auto" of gamma is scikit-learn's rule
    assert len(candidates(ALL_OPEN)) == 30
    assert {type(t.kernel) for t in candidates(ALL_OPEN)} == {Gaussian, Laplacian}
    given = candidates(ALL_OPEN._replace(C=7.0, kernel=Gaussian()))
    assert [t.C for t in given] == [7.0] * 3
    assert [t.gamma_scale for t in given] == [0.3, 1.0, 3.0]


def test_a_number_for_gamma_has_no_scale_and_one_kernel():
    found = candidates(ALL_OPEN._replace(gamma=2.0))
    assert len(found) == 5
    assert {t.kernel for t in found} == {Laplacian()}
    assert {t.gamma_scale for t in found} == {1.0}
    assert len(candidates(ALL_OPEN._replace(kernel=Linear()))) == 5


def test_few_rows_of_mixed_parts_judge():
    sizes = np.full(400, 1000)
    is_mixed = np.arange(400) % 2 == 0
    found = judged_parts(sizes, is_mixed, 3)
    assert len(found) == len(set(found)) == 2
    assert is_mixed[found].all()
    assert found == judged_parts(sizes, is_mixed, 3)
    assert found != judged_parts(sizes, is_mixed, 4)
    assert len(judged_parts(sizes // 10, is_mixed, 3)) == 15
    assert judged_parts(sizes, np.zeros(400, bool), 3) == []
    large = np.where(np.arange(400) == 8, 10**8, 1)
    assert judged_parts(large, is_mixed, 3)[0] == 8  # chances are in proportion


def test_the_smoothest_of_those_that_chance_explains_wins(rng):
    grid = [Theta(C, "median", 1.0) for C in (1.0, 10.0, 100.0)]
    noise = rng.normal(size=200)
    noise -= noise.mean()
    ones = np.ones(200)
    losses = np.array([1.0 + 0 * noise, 0.99 + noise, 0.5 + 0 * noise])
    assert smoothest(losses, ones, grid) == 2  # clearly ahead
    losses[2] = 0.98 + noise  # a little ahead of the second, always
    losses[0] = losses[2] + 0.01 + noise  # behind by less than chance
    assert smoothest(losses, ones, grid) == 0
    losses[0] = losses[2] + 1.0 + noise
    assert smoothest(losses, ones, grid) == 2
    weight = np.where(np.arange(200) < 3, 1.0, 1e-6)
    losses[0, :3] = losses[2, :3] - 1.0  # best where rows have weight
    assert smoothest(losses, weight, grid) == 0


def test_the_choice_is_near_that_of_true_retraining(rng):
    """Twin: every row is left out in turn, and the machine trained anew."""
    X = rng.random((60, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0.5).astype(int)
    theta = ALL_OPEN._replace(gamma=_GAMMA, kernel=Gaussian(), leaf_scaling=None)
    rows = Rows(X, y, np.ones(60), 2)
    found = choose_theta(
        theta, lambda k: rows, np.array([60]), np.array([True]), 0, tol=1e-6
    )
    losses = {t.C: _retrained_losses(X, y, t.C) for t in candidates(theta)}
    best = min(losses.values(), key=np.mean)
    behind = losses[found.C] - best
    assert behind.mean() <= behind.std() / np.sqrt(60)
    assert losses[50.0].mean() > losses[found.C].mean() + 0.05  # not any will do


def _retrained_losses(X, y, C):
    values = []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        model = SVC(C=C, gamma=_GAMMA, tol=1e-6).fit(X[rest], y[rest])
        values.append(model.decision_function(X[i : i + 1])[0])
    evidence = np.stack([-np.array(values), values], axis=1)
    slope = fit_scale(evidence, y, np.ones(len(y)))
    log_p = log_softmax(slope * evidence, axis=1)[np.arange(len(y)), y]
    return (evidence.argmax(axis=1) != y) - log_p


def test_noise_asks_for_a_smoother_machine_than_a_sharp_border(rng):
    X = rng.random((400, 2))
    sharp = (X[:, 0] > 0.5 + 0.2 * np.sin(12 * X[:, 1])).astype(int)
    noisy = np.where(rng.random(400) < 0.3, 1 - sharp, sharp)
    clear, doubtful = (
        DTSVMClassifier(random_state=0).fit(X, labels) for labels in (sharp, noisy)
    )
    assert clear.C_ * clear.gamma_scale_ > 3 * doubtful.C_ * doubtful.gamma_scale_


@pytest.mark.parametrize("n_estimators", [1, 3])
def test_a_model_is_that_of_the_numbers_it_chose(n_estimators):
    X, y = make_moons(900, noise=0.3, random_state=0)
    shared = {"max_leaf_size": 200, "n_estimators": n_estimators, "random_state": 0}
    model = DTSVMClassifier(**shared).fit(X, y)
    given = DTSVMClassifier(
        model.C_, gamma_scale=model.gamma_scale_, kernel=model.kernel_, **shared
    ).fit(X, y)
    assert (given.C_, given.kernel_) == (model.C_, model.kernel_)
    np.testing.assert_array_equal(
        model.decision_function(X), given.decision_function(X)
    )


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_threads_do_not_matter(form):
    X, y = make_moons(900, noise=0.3, random_state=0)
    models = [
        DTSVMClassifier(max_leaf_size=200, n_jobs=n, random_state=0).fit(form(X), y)
        for n in (1, 2)
    ]
    np.testing.assert_array_equal(*(m.decision_function(form(X)) for m in models))
    assert models[0].C_ == models[1].C_


@pytest.mark.parametrize("kernel", ["sigmoid", "poly", "linear"])
def test_other_kernels_choose_too(kernel):
    X, y = make_moons(200, noise=0.3, random_state=0)
    model = DTSVMClassifier(kernel=kernel, probability=False).fit(X, y)
    assert model.C_ in (0.5, 1.5, 5.0, 15.0, 50.0)
    assert model.kernel_ == kernel
    if kernel == "linear":
        assert model.gamma_scale_ == 1.0


def test_parts_of_one_class_leave_nothing_to_choose():
    X = np.arange(12.0)[:, None]
    model = DTSVMClassifier(max_leaf_size=7).fit(X, (X[:, 0] > 5).astype(int))
    assert (model.C_, model.gamma_scale_, model.kernel_) == (5.0, 1.0, "laplacian")
    assert model.score(X, (X[:, 0] > 5).astype(int)) == 1.0


def test_files_keep_what_was_chosen(tmp_path):
    X, y = make_moons(300, noise=0.3, random_state=0)
    model = DTSVMClassifier(random_state=0).fit(X, y)
    save_model(model, tmp_path / "model.treesvm")
    again = load_model(tmp_path / "model.treesvm")
    for name in ("C_", "gamma_scale_", "kernel_", "C", "gamma_scale", "kernel"):
        assert getattr(again, name) == getattr(model, name)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_only_the_median_leaves_its_width_open():
    """Whoever names another rule, or a number, means it."""
    open_theta = Theta("auto", "median", "auto", "auto")
    for gamma, n_scales, n_kernels in (("median", 3, 2), ("scale", 1, 2), (0.5, 1, 1)):
        points = candidates(open_theta._replace(gamma=gamma))
        assert len({point.gamma_scale for point in points}) == n_scales
        assert len({point.kernel for point in points}) == n_kernels


def wave(n, noise, seed=0):
    """Two features, of which the first counts, and noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    return X, np.sin(10 * X[:, 0]) + noise * rng.normal(size=n)


def test_numbers_are_said_by_machines_that_have_not_seen_their_row():
    """Twin: a row whose target alone is changed says what it said before."""
    X, y = wave(90, 0.3)
    theta = Theta(5.0, "median", 1.0, Gaussian(), epsilon=0.1)
    rows = Rows(X, y, np.ones(90), None)
    (said,) = held_out_numbers(rows, [theta], tol=1e-6)[0]
    changed = y.copy()
    changed[7] -= 100.0
    (again,) = held_out_numbers(rows._replace(target=changed), [theta], tol=1e-6)[0]
    assert again[7] == said[7]
    assert np.abs(again - said).max() > 0.1  # others have seen it
    folds = np.flatnonzero(again == said)  # those that row 7 is held out with
    assert 25 < len(folds) < 35
    rest = np.setdiff1d(np.arange(90), folds)
    low, high = X.min(axis=0), X.max(axis=0)
    seen = (X - low) / (high - low)
    gamma = Gaussian().settled("median", seen).gamma
    twin = KernelSVR(C=5.0, gamma=gamma, epsilon=0.1, tol=1e-6)
    twin.fit(seen[rest], y[rest])
    np.testing.assert_allclose(twin.predict(seen[folds]), said[folds], atol=1e-3)


def test_noisy_numbers_ask_for_a_smoother_machine():
    quiet, loud = (
        DTSVRegressor(random_state=0).fit(*wave(400, noise)) for noise in (0.01, 2.0)
    )
    assert quiet.epsilon_ < loud.epsilon_
    X, y = wave(400, 0.0, seed=1)
    assert quiet.score(X, y) > 0.995
    given = DTSVRegressor(50.0, gamma_scale=3.0, kernel="laplacian", epsilon=0.02)
    assert loud.score(X, y) > given.fit(*wave(400, 2.0)).score(X, y) + 0.2


@pytest.mark.parametrize("scale_target", [True, False])
def test_a_regressor_is_that_of_the_numbers_it_chose(scale_target):
    X, y = wave(500, 0.3)
    shared = {"max_leaf_size": 200, "random_state": 0, "scale_target": scale_target}
    model = DTSVRegressor(**shared).fit(X, 7.0 * y)
    given = DTSVRegressor(
        model.C_,
        gamma_scale=model.gamma_scale_,
        kernel=model.kernel_,
        epsilon=model.epsilon_,
        **shared,
    ).fit(X, 7.0 * y)
    np.testing.assert_array_equal(model.predict(X), given.predict(X))
    unit = 1.0 if scale_target else (7.0 * y).std()
    assert model.epsilon_ / unit == pytest.approx(
        min((0.02, 0.1, 0.3), key=lambda e: abs(e - model.epsilon_ / unit))
    )


@pytest.mark.parametrize("factor", [2.0**40, 2.0**-40, 2.0**300])
def test_units_of_numbers_do_not_change_the_choice(factor):
    X, y = wave(300, 0.3)
    one, other = (
        DTSVRegressor(random_state=0, n_jobs=n).fit(X, f * y)
        for n, f in ((1, 1.0), (2, factor))
    )
    for name in ("C_", "gamma_scale_", "kernel_", "epsilon_"):
        assert getattr(one, name) == getattr(other, name)


def test_a_given_epsilon_stays_and_the_rest_is_chosen(tmp_path):
    X, y = wave(300, 0.3)
    model = DTSVRegressor(epsilon=0.25, kernel="rbf", random_state=0).fit(X, y)
    assert (model.epsilon_, model.kernel_) == (0.25, "rbf")
    assert model.C_ in (0.5, 1.5, 5.0, 15.0, 50.0, 150.0)
    save_model(model, tmp_path / "model.treesvm")
    again = load_model(tmp_path / "model.treesvm")
    for name in ("C_", "gamma_scale_", "kernel_", "epsilon_"):
        assert getattr(again, name) == getattr(model, name)


def test_numbers_too_few_or_too_even_to_choose_by():
    alone = DTSVRegressor().fit([[1.0]], [3.0])
    assert (alone.C_, alone.epsilon_) == (5.0, 0.1)
    assert alone.predict([[2.0]]) == 3.0
    plain = DTSVRegressor(scale_target=False).fit([[1.0], [1.0]], [-2.0, 2.0])
    assert plain.epsilon_ in (0.04, 0.2, 0.6)  # y has a deviation of 2
    even = DTSVRegressor().fit(np.arange(8.0)[:, None], np.full(8, 2.0))
    np.testing.assert_allclose(even.predict([[3.0]]), 2.0, atol=0.3)


def test_equal_rows_are_held_out_together():
    X, y = wave(120, 0.5)
    X[:, 1] *= X[:, 1] > 0.6
    theta = Theta(1.0, 3.0, 1.0, Laplacian(), epsilon=0.1)
    twice = np.arange(240) % 120
    once, again, thin = (
        held_out_numbers(Rows(rows, target, weight, None), [theta], tol=1e-8)[0][0]
        for rows, target, weight in (
            (X, y, np.full(120, 2.0)),
            (X[twice], y[twice], np.ones(240)),
            (sparse.csr_matrix(X), y, np.full(120, 2.0)),
        )
    )
    np.testing.assert_allclose(again, once[twice], atol=1e-3)
    np.testing.assert_allclose(thin, once, atol=1e-3)
