"""HLSVMClassifierCV: its choice equals a plain loop; folds and pruning by folds."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.model_selection import StratifiedKFold, cross_val_score

from treesvm import HLSVMClassifier, HLSVMClassifierCV, load_model, save_model
from treesvm.model_selection.pruning_choice import PathErrors, choose_price, path_errors


@pytest.fixture(scope="module")
def moons():
    return make_moons(500, noise=0.3, random_state=0)


def test_choice_equals_a_plain_loop(moons):
    X, y = moons
    folds = StratifiedKFold(3)
    model = HLSVMClassifierCV(
        alphas=[1e-4, 1e-2], prune_shares=(0.0, 0.2), cv=folds, random_state=1
    ).fit(X, y)
    seed = np.random.RandomState(1).randint(np.iinfo(np.int32).max)
    expected = [
        cross_val_score(
            HLSVMClassifier(alpha, prune_share=share, random_state=seed), X, y, cv=folds
        ).mean()
        for alpha in (1e-4, 1e-2)
        for share in (0.0, 0.2)
    ]
    table = model.cv_results_
    np.testing.assert_allclose(table["mean_test_score"], expected)
    best = int(np.argmax(expected))
    assert model.alpha_ == table["alpha"][best]
    assert model.prune_share_ == table["prune_share"][best]
    assert model.best_score_ == pytest.approx(max(expected))
    again = HLSVMClassifier(
        model.alpha_, prune_share=model.prune_share_, random_state=seed
    ).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), again.predict(X))


def test_same_choice_for_every_n_jobs(moons):
    options = {"alphas": [1e-3, 1e-1], "prune_shares": (0.1, "cv"), "random_state": 0}
    one = HLSVMClassifierCV(**options).fit(*moons)
    two = HLSVMClassifierCV(n_jobs=2, **options).fit(*moons)
    assert one.cv_results_ == two.cv_results_
    np.testing.assert_array_equal(one.trees_[0].weights, two.trees_[0].weights)


def test_default_grid_is_the_papers(moons):
    X, y = moons
    model = HLSVMClassifierCV(prune_shares=(0.0,), cv=2, random_state=0).fit(X, y)
    expected = [10.0**i / 500 for i in range(-6, 7)]
    assert model.cv_results_["alpha"] == expected


def test_pruning_by_folds_prunes_and_helps(moons):
    X, y = moons
    options = {"alphas": [1e-2], "regularization": "mean", "random_state": 0}
    grown = HLSVMClassifierCV(prune_shares=(0.0,), **options).fit(X, y)
    pruned = HLSVMClassifierCV(prune_shares=("cv",), **options).fit(X, y)
    assert pruned.best_score_ >= grown.best_score_
    assert pruned.get_n_leaves() < grown.get_n_leaves()


def test_unknown_labels_count_as_errors(moons):
    X, y = moons
    model = HLSVMClassifier(prune_share=0.0, random_state=0).fit(X, y)
    errors = path_errors(model, X, np.where(np.arange(500) < 50, 7, y))
    assert errors.errors.min() >= 0.1
    assert errors.errors[0] == pytest.approx(
        np.r_[np.ones(50), model.predict(X[50:]) != y[50:]].mean()
    )


def test_price_minimises_the_mean_error_of_the_folds():
    folds = [
        PathErrors(np.array([0.1, 0.3]), np.array([0.4, 0.2, 0.5])),
        PathErrors(np.array([0.2]), np.array([0.3, 0.1])),
    ]
    choice = choose_price(folds)
    # At prices in [0.2, 0.3) the errors are 0.2 and 0.1.
    assert choice.error == pytest.approx(0.15)
    assert 0.2 <= choice.price < 0.3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"prune_shares": (2.0,)}, "prune_shares holds 2.0"),
        ({"prune_shares": ("cv",), "scoring": "f1"}, "scoring='f1'"),
        ({"prune_shares": ("cv",), "multi_class": "ovo"}, "multi_class='ovo'"),
        ({"alphas": [-1.0]}, r"alphas=\[-1.0\]"),
    ],
)
def test_wrong_parameters_are_named(moons, parameters, message):
    with pytest.raises(ValueError, match=message):
        HLSVMClassifierCV(cv=2, **parameters).fit(*moons)


def test_scoring_and_weights_are_used(moons):
    X, y = moons
    weight = np.where(y == 1, 3.0, 1.0)
    model = HLSVMClassifierCV(
        alphas=[1e-3, 1e-1], cv=2, scoring="balanced_accuracy", random_state=0
    ).fit(X, y, sample_weight=weight)
    assert 0.5 < model.best_score_ <= 1.0


def test_a_limit_leaves_a_fitted_model_and_says_what_was_left(tmp_path):
    X, y = make_moons(300, noise=0.2, random_state=0)
    shares = ("cv", 0.1)
    model = HLSVMClassifierCV([0.001, 0.01, 0.1], prune_shares=shares, random_state=0)
    short = clone(model).set_params(time_limit=1e-9).fit(X, y)
    assert short.stopped_early_
    assert short.alpha_ == 0.01
    assert np.isnan(short.cv_results_["mean_test_score"]).all()
    assert short.score(X, y) > 0.8
    save_model(short, tmp_path / "model")
    assert load_model(tmp_path / "model").stopped_early_
    free = clone(model).fit(X, y)
    long = clone(model).set_params(time_limit=1e6).fit(X, y)
    assert not long.stopped_early_
    assert long.cv_results_ == free.cv_results_
