"""Limits, lists of candidates, weights and scorers of the searches."""

import naive_search
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1, make_moons
from sklearn.metrics import (
    accuracy_score,
    log_loss,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
)
from sklearn.model_selection import PredefinedSplit

from treesvm import (
    DTSVMClassifierCV,
    DTSVRegressor,
    DTSVRegressorCV,
    load_model,
    save_model,
)
from treesvm.model_selection import search_fold
from treesvm.model_selection.racing import near_tie
from treesvm.model_selection.row_splits import split_rows
from treesvm.persistence import Checkpoint, CheckpointError

GRID = {"Cs": [1.0, 10.0], "gammas": [0.1, 1.0, 10.0]}
MIXED = [
    {"C": 1.0, "gamma": 1.0},
    {"C": 10.0, "gamma": "median", "kernel": "laplacian"},
    {"C": 10.0, "gamma": "median", "gamma_scale": 3.0, "leaf_scaling": "quantile"},
]


def moons(n=800, noise=0.25):
    return make_moons(n, noise=noise, random_state=0)


def last_quarter(y):
    return PredefinedSplit(np.where(np.arange(len(y)) < 0.75 * len(y), -1, 0))


@pytest.mark.parametrize("search", ["raced", "exhaustive"])
@pytest.mark.parametrize("limit", [1e-9, 0.3])
def test_a_limit_leaves_a_fitted_model_and_says_what_was_left(search, limit):
    X, y = moons(1500)
    model = DTSVMClassifierCV(max_leaf_size=100, search=search, time_limit=limit)
    model.set_params(random_state=0).fit(X, y)
    assert model.stopped_early_
    assert model.score(X, y) > 0.85
    left = model.search_results_["n_left_undone"]
    answered = model.search_results_["n_validated"]
    assert left.max() > 0
    assert (left + answered > 0).all()
    if limit < 1e-6:
        assert model.n_leaf_fits_ == 0
        assert np.isnan(model.best_score_)


def test_a_limit_that_is_not_hit_changes_nothing():
    X, y = moons()
    model = DTSVMClassifierCV(**GRID, max_leaf_size=100, random_state=0)
    free = clone(model).fit(X, y)
    limited = clone(model).set_params(time_limit=1e6).fit(X, y)
    assert not free.stopped_early_
    assert not limited.stopped_early_
    assert free.best_theta_ == limited.best_theta_
    np.testing.assert_array_equal(
        free.decision_function(X), limited.decision_function(X)
    )
    assert not free.search_results_["n_left_undone"][free.search_results_["kept"]].any()


def test_an_early_end_on_a_checkpoint_goes_on_later(tmp_path):
    X, y = moons(1500)
    model = DTSVMClassifierCV(max_leaf_size=100, random_state=0)
    whole = clone(model).fit(X, y)
    part = clone(model).set_params(checkpoint=tmp_path / "kept", time_limit=0.3)
    part.fit(X, y)
    assert part.stopped_early_
    again = clone(model).set_params(checkpoint=tmp_path / "kept").fit(X, y)
    assert again.best_theta_ == whole.best_theta_
    np.testing.assert_array_equal(
        again.decision_function(X), whole.decision_function(X)
    )


@pytest.mark.parametrize("search", ["raced", "exhaustive"])
def test_any_list_of_candidates(search):
    X, y = moons()
    model = DTSVMClassifierCV(
        candidates=MIXED, max_leaf_size=100, search=search, cv=last_quarter(y)
    )
    model.set_params(refit=False, random_state=0).fit(X, y)
    kernels = set(model.search_results_["kernel"])
    assert kernels == {"rbf", "laplacian"}
    chosen = model.best_theta_
    assert any(all(chosen[k] == v for k, v in one.items()) for one in MIXED)
    assert model.best_score_ == pytest.approx(model.score(X[600:], y[600:]))


def test_a_list_of_the_grid_is_the_grid():
    X, y = moons()
    thetas = [{"C": C, "gamma": g} for g in GRID["gammas"] for C in GRID["Cs"]]
    model = DTSVMClassifierCV(max_leaf_size=100, random_state=0)
    listed = clone(model).set_params(candidates=thetas).fit(X, y)
    grid = clone(model).set_params(**GRID).fit(X, y)
    assert listed.best_theta_ == grid.best_theta_
    np.testing.assert_array_equal(
        listed.search_results_["score"], grid.search_results_["score"]
    )


@pytest.mark.parametrize(
    ("candidates", "match"),
    [
        ("best", "candidates='best' is not known"),
        ([], "leaves nothing"),
        ([{"c": 1.0}], "use dicts with some of C"),
        ([{"C": -1.0}], "candidates holds C=-1.0"),
        ([{"epsilon": 0.1}], "epsilon=0.1, which is for regressors"),
    ],
)
def test_wrong_candidates_are_named(candidates, match):
    X, y = moons(100)
    with pytest.raises(ValueError, match=match):
        DTSVMClassifierCV(candidates=candidates).fit(X, y)
    with pytest.raises(ValueError, match="give one of"):
        DTSVMClassifierCV([1.0], candidates=MIXED).fit(X, y)
    with pytest.raises(ValueError, match="time_limit=0"):
        DTSVMClassifierCV(time_limit=0).fit(X, y)


def test_scores_count_rows_by_their_weight(rng):
    X, y = moons(600)
    weight = rng.uniform(0.1, 5.0, 600)
    model = DTSVMClassifierCV(**GRID, max_leaf_size=100, cv=last_quarter(y))
    model.set_params(refit=False, class_weight={0: 3.0, 1: 1.0}, random_state=0)
    model.fit(X, y, weight)
    said = model.predict(X[450:])
    expected = accuracy_score(y[450:], said, sample_weight=weight[450:])
    assert model.best_score_ == pytest.approx(expected)


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss"])
def test_scorers_of_values(scoring):
    X, y = moons(800, noise=0.4)
    model = DTSVMClassifierCV(
        **GRID, max_leaf_size=5000, scoring=scoring, cv=last_quarter(y), refit=False
    ).set_params(random_state=0, tol=1e-6)
    model.fit(X, y)
    values = model.decision_function(X[600:])
    if scoring == "roc_auc":
        assert model.best_score_ == pytest.approx(roc_auc_score(y[600:], values))
        return
    slopes = np.exp(np.linspace(-5, 5, 2001))
    best = min(log_loss(y[600:], 1 / (1 + np.exp(-s * values))) for s in slopes)
    assert -model.best_score_ == pytest.approx(best, rel=1e-3)


def test_few_rows_are_judged_by_folds():
    for n_rows, n_folds, share in ((300, 5, 1.0), (2000, 3, 1.0), (7000, 1, 0.2)):
        y = np.arange(n_rows) % 2
        splits = split_rows("auto", y, 0)
        assert len(splits) == n_folds
        assert sum(len(val) for _, val in splits) == share * n_rows
        numbers = split_rows("auto", y.astype(float), 0)
        assert len(numbers) == n_folds


def test_a_near_tie_is_within_a_standard_error():
    lead = np.array([1.0, -1.0, 1.0, 0.0] * 10)
    assert naive_search.is_near_tie(lead) is near_tie(lead) is False
    lead = np.array([1.0, -1.0] * 10 + [1.0])
    assert naive_search.is_near_tie(lead) is near_tie(lead) is True
    assert not near_tie(lead, 0.001)


def test_sparse_rows_of_many_classes_turn_to_one_machine_for_each_class(rng):
    words = rng.random((5, 300)) ** 8
    y = rng.integers(5, size=400)
    counts = sparse.csr_matrix(rng.poisson(6.0 * words[y] + 0.02))
    model = DTSVMClassifierCV(max_leaf_size=150, random_state=0).fit(counts, y)
    results = model.search_results_
    tried = set(zip(results["multi_class"], results["leaf_scaling"], strict=True))
    assert {("ovr", "None"), ("ovo", "minmax")} <= tried
    assert model.best_theta_["multi_class"] == "ovr"
    assert model.best_theta_["leaf_scaling"] is None


@pytest.mark.parametrize("search", ["raced", "exhaustive"])
def test_regression_does_not_depend_on_units(search):
    X, y = make_friedman1(500, noise=0.5, random_state=0)
    model = DTSVRegressorCV([1.0, 10.0], [0.1, 1.0], 150, search=search)
    model.set_params(cv=last_quarter(y), refit=False, random_state=0)
    one = clone(model).fit(X, y)
    two = clone(model).fit(X, 1e4 * y - 7.0)
    np.testing.assert_allclose(1e4 * one.predict(X) - 7.0, two.predict(X), rtol=1e-6)
    assert one.best_score_ == pytest.approx(r2_score(y[375:], one.predict(X[375:])))
    assert one.best_theta_ == two.best_theta_


def test_regression_takes_any_scorer_limit_and_list():
    X, y = make_friedman1(400, noise=0.5, random_state=0)
    model = DTSVRegressorCV(
        candidates=[{"C": 1.0}, {"C": 10.0, "kernel": "rbf"}],
        scoring="neg_mean_absolute_error",
        cv=last_quarter(y),
        refit=False,
        random_state=0,
    ).fit(X, y)
    expected = mean_absolute_error(y[300:], model.predict(X[300:]))
    assert -model.best_score_ == pytest.approx(expected)
    short = DTSVRegressorCV(time_limit=1e-9, random_state=0).fit(X, y)
    assert short.stopped_early_
    assert short.score(X, y) > 0.5


def test_regression_does_not_depend_on_threads_and_is_saved(tmp_path):
    X, y = make_friedman1(400, noise=0.5, random_state=0)
    model = DTSVRegressorCV(candidates=MIXED, max_leaf_size=100, random_state=0)
    one, two = (clone(model).set_params(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    save_model(one, tmp_path / "model")
    again = load_model(tmp_path / "model")
    np.testing.assert_array_equal(one.predict(X), again.predict(X))
    assert again.best_theta_ == one.best_theta_


def test_the_default_list_is_refined_and_not_behind_its_coarse_values():
    X, y = make_classification(700, 6, n_informative=4, flip_y=0.1, random_state=1)
    model = DTSVMClassifierCV(max_leaf_size=2000, random_state=0).fit(X, y)
    coarse = np.isin(model.search_results_["C"], [1.0, 10.0, 100.0])
    assert not coarse.all()
    scores = model.search_results_["score"]
    at_first = model.search_results_["stage"] == "search"
    assert model.best_score_ >= np.nanmax(scores[at_first & coarse]) - 0.02


def test_regression_searches_epsilon():
    X, y = make_friedman1(500, noise=0.0, random_state=0)
    model = DTSVRegressorCV(max_leaf_size=2000, epsilon=0.5, cv=last_quarter(y))
    model.set_params(refit=False, random_state=0).fit(X, y)
    assert set(model.search_results_["epsilon"]) == {0.125, 0.5, 2.0}
    assert model.best_theta_["epsilon"] == 0.125  # without noise, small errors count
    assert model.best_score_ == pytest.approx(r2_score(y[375:], model.predict(X[375:])))
    near = {"C": 10.0, "gamma": "median"}
    listed = [near | {"epsilon": epsilon} for epsilon in (0.01, 1.0)]
    chosen = clone(model).set_params(candidates=listed).fit(X, y)
    assert chosen.best_theta_["epsilon"] == 0.01
    alone = DTSVRegressor(C=10.0, epsilon=0.01, max_leaf_size=2000, scale_target=False)
    alone.set_params(gamma_scale=1.0, kernel="laplacian")
    scale, mean = chosen.target_scale_, chosen.target_mean_
    alone.fit(X[:375], (y[:375] - mean) / scale)
    np.testing.assert_allclose(
        chosen.predict(X), mean + scale * alone.predict(X), atol=1e-3 * scale
    )


@pytest.mark.parametrize("search", ["raced", "exhaustive"])
def test_a_killed_search_of_a_regressor_goes_on(tmp_path, monkeypatch, search):
    X, y = make_friedman1(500, noise=0.5, random_state=0)
    model = DTSVRegressorCV([1.0, 10.0], [0.1, 1.0], 100, search=search, cv=0.3)
    model.set_params(random_state=0)
    whole = clone(model).fit(X, y)
    assert not hasattr(whole, "n_restored_leaves_")
    judge, calls = search_fold.LeafTask.evaluate, []

    def killed(task, *args, **kwargs):
        calls.append(task)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return judge(task, *args, **kwargs)

    kept = clone(model).set_params(checkpoint=Checkpoint(tmp_path / "kept", every=0.0))
    with monkeypatch.context() as patched:
        patched.setattr(search_fold.LeafTask, "evaluate", killed)
        with pytest.raises(KeyboardInterrupt):
            kept.fit(X, y)
    kept.fit(X, y)
    assert kept.n_restored_leaves_ >= 3
    assert kept.best_theta_ == whole.best_theta_
    np.testing.assert_array_equal(kept.predict(X), whole.predict(X))
    with pytest.raises(CheckpointError, match="another fit"):
        clone(kept).fit(X, 2.0 * y + 1.0)
