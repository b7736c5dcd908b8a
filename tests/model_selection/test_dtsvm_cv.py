"""The joint search of leaf size, C and gamma."""

import naive_search
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, make_classification, make_moons
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import PredefinedSplit, StratifiedKFold

from treesvm import DTSVMClassifier, DTSVMClassifierCV
from treesvm.kernels.kernel import Laplacian
from treesvm.model_selection import (
    candidates_of_tables,
    decomposition_cv,
    raced_search,
    search_fold,
)
from treesvm.model_selection.row_splits import split_rows

GRID = {"Cs": [0.1, 1.0, 10.0, 100.0], "gammas": [0.1, 1.0, 10.0]}
LARGEST_SEED = np.iinfo(np.int32).max


def clouds(n=600, n_classes=2, seed=0):
    X, y = make_classification(
        n,
        4,
        n_informative=3,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=2,
        flip_y=0.05,
        random_state=seed,
    )
    return X, y


def last_quarter(y):
    """A split that holds the last quarter out."""
    return PredefinedSplit(np.where(np.arange(len(y)) < 0.75 * len(y), -1, 0))


def table(model):
    results = model.search_results_
    return {
        (int(size), C, gamma): score
        for size, C, gamma, score in zip(
            *(results[name] for name in ("max_leaf_size", "C", "gamma", "score")),
            strict=True,
        )
    }


@pytest.mark.parametrize(("n_classes", "seed"), [(2, 0), (2, 5), (3, 1), (4, 2)])
def test_exhaustive_search_is_a_double_loop(n_classes, seed):
    X, y = clouds(600, n_classes, seed)
    model = DTSVMClassifierCV(
        **GRID,
        max_leaf_size=60,
        search="exhaustive",
        leaf_scaling=None,
        min_gain=0.01,
        top_k=3,
        cv=last_quarter(y),
        refit=False,
        tol=1e-5,
        random_state=0,
    ).fit(X, y)
    tree_seed = np.random.RandomState(
        np.random.RandomState(0).randint(LARGEST_SEED)
    ).randint(LARGEST_SEED)
    theta, size, score, scores = naive_search.search(
        X[:450],
        y[:450],
        X[450:],
        y[450:],
        **GRID,
        ceiling=60,
        seed=tree_seed,
        top_k=3,
        growth=4,
        min_gain=0.01,
    )
    assert table(model) == pytest.approx(scores)
    assert (model.C_, model.gamma_) == theta
    assert model.max_leaf_size_ == size
    assert model.best_score_ == pytest.approx(score)
    assert model.best_score_ == model.score(X[450:], y[450:])


def trained_leaves(monkeypatch):
    """Record the rows of every leaf that the search trains, and the last fit."""
    seen, last = [], []
    evaluate, train = search_fold.LeafTask.evaluate, decomposition_cv.train_parts

    def evaluated(task, thetas, *args, **kwargs):
        if task.is_mixed:
            seen.extend((theta, task.rows) for theta in thetas)
        return evaluate(task, thetas, *args, **kwargs)

    def trained(rows, groups, options, **kwargs):
        theta = options.theta
        last.extend((theta, groups.rows(k)) for k in range(len(groups.sizes)))
        return train(rows, groups, options, **kwargs)

    monkeypatch.setattr(search_fold.LeafTask, "evaluate", evaluated)
    monkeypatch.setattr(decomposition_cv, "train_parts", trained)
    return seen, last


@pytest.mark.parametrize("cv", [0.25, "predefined"])
@pytest.mark.parametrize("search", ["raced", "exhaustive"])
def test_validation_rows_are_not_trained(monkeypatch, search, cv):
    X, y = clouds(1200, 3)
    cv = last_quarter(y) if cv == "predefined" else cv
    ((train, val),) = split_rows(cv, y, np.random.RandomState(0).randint(LARGEST_SEED))
    seen, last = trained_leaves(monkeypatch)
    model = DTSVMClassifierCV(**GRID, max_leaf_size=60, search=search, cv=cv)
    model.set_params(refit=False, random_state=0).fit(X, y)
    used = np.unique(np.concatenate([rows for _, rows in seen + last]))
    assert np.isin(used, train).all()
    assert not np.isin(used, val).any()
    assert model.leaf_report()["rows"].sum() == len(train)
    assert model.best_score_ == pytest.approx(model.score(X[val], y[val]))
    assert len(seen) == model.n_leaf_fits_
    assert {theta[:2] for theta, _ in last} <= {(model.C_, model.gamma_)}


@pytest.mark.parametrize("max_leaf_size", [60, 5000])
def test_leaves_of_the_winner_are_not_trained_twice(monkeypatch, max_leaf_size):
    X, y = clouds(1200, 3)
    seen, last = trained_leaves(monkeypatch)
    model = DTSVMClassifierCV(
        **GRID,
        max_leaf_size=max_leaf_size,
        top_k=12,
        cv=0.2,
        refit=False,
        random_state=0,
    ).fit(X, y)
    assert len(seen) == model.n_leaf_fits_
    assert last == []  # with every candidate in reach of the last few, all are kept
    report = model.leaf_report()
    assert (report["seconds"][report["classes"] > 1] > 0).all()


def test_leaf_fits_are_counted():
    pd = pytest.importorskip("pandas")
    X, y = clouds(1500, 3)
    for search in ("raced", "exhaustive"):
        model = DTSVMClassifierCV(**GRID, max_leaf_size=80, search=search, cv=0.2)
        model.set_params(random_state=0).fit(X, y)
        results = pd.DataFrame(model.search_results_)
        assert results.n_leaf_fits.sum() == model.n_leaf_fits_
        assert not results.duplicated(["max_leaf_size", "C", "gamma"]).any()
        first = results[results.max_leaf_size == 80]
        assert len(first) == 12
        assert first.kept.sum() <= 5
        assert (first.n_validated <= 300).all()
        assert set(model.seconds_per_ceiling_) == set(results.max_leaf_size)
        if search == "exhaustive":
            assert first.n_leaf_fits.nunique() == 1
            assert (results.n_validated == 300).all()
        best = results[
            (results.max_leaf_size == model.max_leaf_size_)
            & (results.C == model.C_)
            & (results.gamma == model.gamma_)
        ]
        assert len(best) == 1
        assert best.score.item() == pytest.approx(model.best_score_)


def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16.0, y


RACES = {
    "two classes": lambda: clouds(1600, 2, 3),
    "four classes": lambda: clouds(1600, 4, 4),
    "moons": lambda: make_moons(1600, noise=0.3, random_state=0),
    "digits": digits,
}


@pytest.mark.parametrize("name", RACES)
def test_a_race_finds_what_the_exhaustive_search_finds(name):
    X, y = RACES[name]()
    model = DTSVMClassifierCV(
        [0.1, 1.0, 10.0, 1e3], [0.01, 0.1, 1.0, 10.0], 150, random_state=0
    )
    raced = clone(model).fit(X, y)
    whole = clone(model).set_params(search="exhaustive").fit(X, y)
    assert raced.best_score_ >= whole.best_score_ - 0.003


def test_a_race_saves_most_fits_when_leaves_are_many(rng):
    X = rng.random((6000, 2))
    y = np.floor(12 * X).sum(axis=1) % 2  # a chess board
    model = DTSVMClassifierCV([0.1, 1.0, 10.0], [1e-3, 0.1, 1.0, 100.0], 200)
    model.set_params(random_state=0).fit(X, y)
    first = model.search_results_["max_leaf_size"] == 200
    fits = model.search_results_["n_leaf_fits"][first]
    assert fits.sum() < 0.6 * fits.max() * len(fits)
    assert model.gamma_ == 100.0


def test_a_race_ends_where_rows_enough_have_judged(monkeypatch):
    """All leaves are the winner's alone then, the thetas around it included."""
    views = ((Laplacian(), "minmax", None),)
    monkeypatch.setattr(candidates_of_tables, "_CLASS_VIEWS", views)
    monkeypatch.setattr(candidates_of_tables, "_SQUARED_CLASS_VIEWS", ())
    monkeypatch.setattr(raced_search, "_RACE_JUDGES", (10, 50, 50))
    X, y = make_moons(3000, noise=0.3, random_state=0)
    own = {"cv": 0.3, "growth": 1000, "probability": False, "random_state": 0}
    model = DTSVMClassifierCV(max_leaf_size=100, min_gain=1.0, **own).fit(X, y)
    monkeypatch.setattr(raced_search, "_ENOUGH", 50)
    sooner = DTSVMClassifierCV(max_leaf_size=100, min_gain=1.0, **own).fit(X, y)
    assert sooner.n_leaf_fits_ < model.n_leaf_fits_
    assert sooner.best_score_ > model.best_score_ - 0.01
    undone = sooner.search_results_["n_left_undone"]
    assert undone[sooner.search_results_["kept"]].min() == 0
    assert np.count_nonzero(undone == 0) == 1


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"search": "exhaustive"},
        {"cv": 3},
        {"n_estimators": 3},
        {"refit": False, "probability": True},
    ],
    ids=str,
)
def test_model_does_not_depend_on_threads(options):
    X, y = clouds(600, 3)
    model = DTSVMClassifierCV(**GRID, max_leaf_size=60, random_state=0, **options)
    one, two = (clone(model).set_params(n_jobs=n).fit(X, y) for n in (1, 2))
    assert (one.C_, one.gamma_, one.max_leaf_size_) == (
        two.C_,
        two.gamma_,
        two.max_leaf_size_,
    )
    assert table(one) == table(two)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


@pytest.mark.parametrize("options", [{}, {"leaf_scaling": None}])
@pytest.mark.parametrize("search", ["raced", "exhaustive"])
def test_the_model_is_that_of_the_chosen_parameters(search, options):
    """The leaves that the search kept are those that a fit would train."""
    X, y = clouds(800, 3)
    model = DTSVMClassifierCV(
        **GRID, max_leaf_size=60, search=search, cv=last_quarter(y), tol=1e-6
    )
    model.set_params(refit=False, random_state=0, **options).fit(X, y)
    alone = DTSVMClassifier(
        model.C_, model.gamma_, model.max_leaf_size_, kernel="rbf", tol=1e-6
    )
    alone.set_params(random_state=0, **options).fit(X[:600], y[:600])
    np.testing.assert_allclose(
        model.decision_function(X), alone.decision_function(X), atol=1e-3
    )
    ours, theirs = model.leaf_report(), alone.leaf_report()
    for name in ("rows", "classes", "answer"):
        np.testing.assert_array_equal(ours[name], theirs[name])
    assert ours["converged"].all()


@pytest.mark.parametrize("cv", [3, StratifiedKFold(3), 0.2])
def test_refit_takes_all_rows(cv):
    X, y = clouds(600)
    model = DTSVMClassifierCV(**GRID, max_leaf_size=100, cv=cv)
    model.set_params(random_state=0).fit(X, y)
    assert model.leaf_report()["rows"].sum() == 600
    assert 0.7 < model.best_score_ <= 1.0
    if cv != 0.2:
        validated = model.search_results_["n_validated"]
        assert validated.max() == 600  # every row once


def test_a_winner_of_one_leaf_stays_one_leaf_on_all_rows():
    X, y = clouds(600)
    model = DTSVMClassifierCV([1.0], [1.0], 500, cv=0.2, random_state=0).fit(X, y)
    assert (model.n_leaves_, model.max_leaf_size_) == (1, 500)
    kept = clone(model).set_params(refit=False, cv=0.2).fit(X, y)
    assert (kept.n_leaves_, kept.max_leaf_size_) == (1, 500)


def test_folds_pool_their_validation_rows():
    X, y = clouds(300)
    model = DTSVMClassifierCV([1.0], [1.0], 10_000, cv=3, leaf_scaling=None)
    model.set_params(random_state=0).fit(X, y)
    said = np.empty_like(y)
    for train, val in split_rows(3, y, 0):
        alone = DTSVMClassifier(1.0, 1.0, 10_000, kernel="rbf", leaf_scaling=None)
        said[val] = alone.fit(X[train], y[train]).predict(X[val])
    assert model.best_score_ == pytest.approx(np.mean(said == y))


@pytest.mark.parametrize("search", ["raced", "exhaustive"])
def test_scores_of_predicted_labels(search):
    X, y = clouds(900)
    kept = np.flatnonzero((y == 0) | (np.arange(900) % 5 == 0))
    X, y = X[kept], np.where(y[kept], "rare", "often")
    model = DTSVMClassifierCV(
        **GRID,
        max_leaf_size=100,
        scoring="balanced_accuracy",
        cv=last_quarter(y),
        refit=False,
        search=search,
        random_state=0,
    ).fit(X, y)
    val = np.arange(len(y)) >= 0.75 * len(y)
    score = balanced_accuracy_score(y[val], model.predict(X[val]))
    assert model.best_score_ == pytest.approx(score)


def test_rows_of_weight_zero_are_neither_trained_nor_judged(rng):
    X, y = clouds(400, 3)
    extra = rng.normal(size=(100, 4)) * 5
    order = rng.permutation(500)
    both, labels = (
        np.concatenate([X, extra])[order],
        np.concatenate([y, y[:100]])[order],
    )
    weight = np.concatenate([np.ones(400), np.zeros(100)])[order]
    fold = np.where(np.arange(400) % 4, -1, 0)
    both_fold = np.concatenate([fold, np.tile([-1, 0], 50)])[order]
    kept = np.flatnonzero(weight)
    model = DTSVMClassifierCV(**GRID, max_leaf_size=60, random_state=0)
    with_zeros = clone(model).set_params(cv=PredefinedSplit(both_fold))
    with_zeros.fit(both, labels, weight)
    without = clone(model).set_params(cv=PredefinedSplit(both_fold[kept]))
    without.fit(both[kept], labels[kept])
    assert table(with_zeros) == table(without)
    np.testing.assert_array_equal(
        with_zeros.decision_function(X), without.decision_function(X)
    )


def test_classes_that_only_validation_rows_have_move_to_training():
    y = np.array([0] * 8 + [1] * 8 + [2] * 2)
    fold = PredefinedSplit(np.where(y == 2, 0, np.where(np.arange(18) % 4, -1, 0)))
    ((train, val),) = split_rows(fold, y, 0)
    assert set(y[train]) == {0, 1, 2}
    assert len(np.intersect1d(train, val)) == 0
    assert len(train) + len(val) == 18
    with pytest.raises(ValueError, match="holds out no row"):
        split_rows(0.2, np.array([0, 1]), 0)


@pytest.mark.parametrize("search", ["raced", "exhaustive"])
def test_sparse_rows_and_any_labels(search):
    X, y = load_digits(return_X_y=True)
    X, y = np.where(X < 6, 0, X)[:600] / 16.0, np.array(list("abcdefghij"))[y[:600]]
    model = DTSVMClassifierCV([1.0, 10.0], [0.1, 1.0], 150, search=search)
    model.set_params(random_state=0)
    dense, thin = clone(model).fit(X, y), clone(model).fit(sparse.csr_matrix(X), y)
    assert (dense.C_, dense.gamma_) == (thin.C_, thin.gamma_)
    np.testing.assert_array_equal(dense.predict(X), thin.predict(X))


def test_a_failed_search_changes_nothing(monkeypatch):
    X, y = clouds(300)
    model = DTSVMClassifierCV([1.0], [1.0], 60, random_state=0)
    before = model.fit(X, y).decision_function(X)

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(search_fold.LeafTask, "evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :2], np.where(y, "a", "b"))
    np.testing.assert_array_equal(model.decision_function(X), before)
    fresh = DTSVMClassifierCV([1.0], [1.0], 60)
    with pytest.raises(KeyboardInterrupt):
        fresh.fit(X, y)
    assert not hasattr(fresh, "C_")
    assert not hasattr(fresh, "classes_")


def test_progress_goes_to_standard_error_when_asked(capsys):
    X, y = clouds(600)
    for verbose in (0, 1):
        model = DTSVMClassifierCV(**GRID, max_leaf_size=60, verbose=verbose)
        model.set_params(random_state=0).fit(X, y)
        out, err = capsys.readouterr()
        assert out == ""
        assert ("candidates left" in err) == bool(verbose)


def test_one_candidate_and_one_leaf():
    X, y = clouds(200)
    for search in ("raced", "exhaustive"):
        model = DTSVMClassifierCV([3.0], [0.5], search=search, random_state=0)
        model.fit(X, y)
        assert (model.C_, model.gamma_, model.max_leaf_size_) == (3.0, 0.5, 1500)
        assert model.n_leaf_fits_ == 5  # folds


def test_the_grid_may_be_an_array_in_any_order():
    X, y = clouds(300)
    model = DTSVMClassifierCV(max_leaf_size=100, random_state=0)
    one = clone(model).set_params(Cs=np.array([10.0, 1.0]), gammas=(1, 0.1)).fit(X, y)
    two = clone(model).set_params(Cs=[1, 10], gammas=[0.1, 1.0]).fit(X, y)
    assert table(one) == table(two)
