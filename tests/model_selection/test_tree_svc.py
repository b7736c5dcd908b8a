"""TreeSVC: tables in, classes and probabilities out, whatever the rows look like."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import log_loss

from treesvm import DTSVMClassifier, TreeSVC
from treesvm.inputs.whole_fit import all_or_nothing
from treesvm.kernels.kernel import Gaussian
from treesvm.model_selection import table_search
from treesvm.model_selection.deadline import Deadline

QUICK = {"time_limit": 1e-9, "random_state": 0}  # the first theta, without a search


def make_frame(rng, n_rows=240):
    """Numbers, a whole number, categories, texts, booleans; each lacks some values."""
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "count": rng.integers(0, 9, n_rows),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n_rows)),
            "town": rng.choice([f"town {k}" for k in range(30)], n_rows),
            "is_new": rng.random(n_rows) < 0.5,
        }
    )
    lead = frame["size"] + (frame["colour"] == "red") - frame["is_new"]
    y = np.where(lead + 0.3 * rng.normal(size=n_rows) > 0, "yes", "no")
    frame.loc[rng.random(n_rows) < 0.1, "size"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "colour"] = None
    frame.loc[rng.random(n_rows) < 0.1, "town"] = None
    return frame, y


@pytest.fixture(scope="module")
def searched():
    """A model of a whole search, and its rows."""
    X, y = make_frame(np.random.default_rng(5))
    return TreeSVC(time_limit=None, random_state=0, n_jobs=1).fit(X, y), X, y


def test_a_search_without_limit_ends_by_itself(searched):
    model, X, y = searched
    assert not model.stopped_early_
    assert model.score(X, y) > 0.85
    assert 0.0 < model.best_loss_ < 0.3
    table = pd.DataFrame(model.search_results_)
    assert {"first look", "halving", "refined"} <= set(table["stage"])
    refined = table[table["stage"] == "refined"]
    assert model.best_theta_["C"] in set(refined["C"])
    best = table[table["stage"] == "refined"]["loss"].min()
    assert model.best_loss_ <= best + 0.03


def test_threads_do_not_matter(searched):
    model, X, y = searched
    again = TreeSVC(time_limit=None, random_state=0, n_jobs=2).fit(X, y)
    assert again.best_theta_ == model.best_theta_
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_what_training_did_not_see_is_answered(searched):
    model, X, _ = searched
    new = X.head(8).copy()
    new["colour"] = ["pink"] * 4 + [None] * 4
    new["town"] = "nowhere"
    new["count"] = np.nan
    new["is_new"] = new["is_new"].astype(object)
    new.loc[new.index[:3], "is_new"] = None
    p = model.predict_proba(new)
    assert np.isfinite(p).all()
    assert set(model.predict(new)) <= {"yes", "no"}


def test_probabilities_are_probabilities(searched):
    model, X, y = searched
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
    assert (p > 0).all()
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(p), atol=1e-12)
    odds = model.decision_function(X)
    np.testing.assert_allclose(odds, np.log(p[:, 1] / p[:, 0]), atol=1e-9)
    assert log_loss(y, p) < log_loss(y, np.full(p.shape, 0.5))


def test_columns_are_checked_by_name(searched):
    model, X, _ = searched
    assert model.feature_names_in_.tolist() == list(X.columns)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X.rename(columns={"size": "length"}))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.drop(columns="town"))


def test_importances_and_explanations_are_by_column(searched):
    model, X, _ = searched
    found = model.feature_importances_
    assert found.shape == (5,)
    assert found.sum() == pytest.approx(1.0)
    assert found[0] > found[1]
    some = X.head(10)
    values = model.explain(some)
    assert values.shape == (10, 5)
    rows, made = model.encoder_.transform(_table(model, some)), model.committee_
    encoded = sum(
        2.0 * weight * slope * member.explain(rows)
        for weight, slope, member in zip(
            made.weights, made.slopes, model.members_, strict=True
        )
    )
    assert encoded.shape[1] > 5
    np.testing.assert_allclose(values.sum(axis=1), encoded.sum(axis=1), atol=1e-9)
    # What is left of the log odds does not depend on the row: nothing is known there.
    empty = model.decision_function(some) - values.sum(axis=1)
    np.testing.assert_allclose(empty, empty[0], atol=1e-4)
    # size and its indicator of missing values are the first two encoded features.
    np.testing.assert_allclose(values[:, 0], encoded[:, :2].sum(axis=1), atol=1e-12)


def _table(model, X):
    from treesvm.datasets import as_table

    return as_table(X, model.encoder_.column_names)


def test_a_limit_that_is_over_at_once_still_gives_a_model(rng):
    X, y = make_frame(rng)
    for limit in (1e-9, 0.5):
        model = TreeSVC(time_limit=limit, random_state=0).fit(X, y)
        assert model.score(X, y) > 0.75
        assert model.stopped_early_ or limit == 0.5
    assert isinstance(model.best_estimator_, DTSVMClassifier)


@pytest.fixture
def small_search(monkeypatch):
    """A search of one view, over parts of few rows and ceilings above them."""
    monkeypatch.setattr("treesvm.model_selection.table_folds.FIRST_CEILING", 40)
    monkeypatch.setattr("treesvm.model_selection.table_folds._ONE_PART", 100)
    monkeypatch.setattr(table_search, "_CANDIDATES", 2)
    monkeypatch.setattr(
        "treesvm.model_selection.candidates_of_tables._VIEWS",
        ((Gaussian(), "minmax", None),),
    )


def wavy(rng):
    """Rows that cuts do not help with."""
    X = rng.normal(size=(400, 6))
    return X, (np.sin(2 * X).sum(axis=1) > 0).astype(int)


def test_larger_parts_are_tried_and_taken_where_they_help(rng, small_search):
    model = TreeSVC(time_limit=None, random_state=0).fit(*wavy(rng))
    assert "larger parts" in model.search_results_["stage"]
    assert model.best_theta_["max_leaf_size"] > 40


def test_a_search_may_be_stopped_anywhere(rng, small_search, monkeypatch):
    """The clock runs out at the n-th look at it: no stage is a trap."""
    X, y = wavy(rng)
    asked, last = [], [np.inf]

    def is_over(self, share=1.0):
        asked.append(share)
        self.has_ended_work |= len(asked) >= last[0]
        return len(asked) >= last[0]

    monkeypatch.setattr(Deadline, "is_over", is_over)
    model = TreeSVC(time_limit=10, random_state=0, n_jobs=1)
    assert not model.fit(X, y).stopped_early_
    stages = 1 + np.flatnonzero(np.array(asked) < 1.0)
    assert len(stages) > 4
    for last[0] in [*stages, *stages[:-1] + 1]:  # before it starts, and in its midst
        asked.clear()
        assert model.fit(X, y).stopped_early_
        assert model.score(X, y) > 0.7


def test_a_fit_that_fails_changes_nothing(rng):
    X, y = make_frame(rng, 60)
    model = TreeSVC(**QUICK).fit(X, y)
    before = vars(model).copy()
    for bad_X, bad_y, message in (
        (X, np.full(60, "yes"), "one class only"),
        (X, y[:50], "rows"),
        (X.assign(size=np.inf), y, "infinity"),
        (X, np.where(y == "yes", 1.0, np.nan), "NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(bad_X, bad_y)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is before[name] for name in before)
    assert TreeSVC.fit.__code__ is all_or_nothing(id).__code__


@pytest.mark.parametrize("limit", [0, -1.0, "soon"])
def test_limits_that_are_none_are_refused(limit):
    with pytest.raises(ValueError, match="time_limit"):
        TreeSVC(time_limit=limit).fit(np.eye(4), [0, 1, 0, 1])


def test_sparse_rows(rng):
    X = sparse.random(200, 30, 0.15, "csr", random_state=0)
    y = np.asarray(X[:, :15].sum(axis=1) > X[:, 15:].sum(axis=1)).ravel()
    model = TreeSVC(time_limit=None, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert set(model.search_results_["leaf_scaling"]) == {"None", "minmax"}
    assert model.feature_importances_.shape == (30,)


def test_several_classes_and_rare_ones(rng):
    X = rng.normal(size=(150, 3))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    y[:1] = 7  # one row of its own
    model = TreeSVC(**QUICK).fit(X, y)
    p = model.predict_proba(X)
    assert p.shape == (150, 4)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert model.explain(X[:5]).shape == (5, 3, 4)
    assert model.score(X, y) > 0.9


def test_more_classes_than_can_judge_are_refused(rng):
    X, y = rng.normal(size=(6000, 2)), np.arange(6000) // 3
    with pytest.raises(ValueError, match=r"2,000 classes in 6,000 rows, too few rows"):
        TreeSVC(time_limit=1).fit(X, y)


def test_weights_are_heard(rng):
    X = np.repeat([[0.0], [1.0]], 40, axis=0)
    y = np.tile([0, 1], 40)
    heavy = np.where(y == (X[:, 0] > 0.5), 5.0, 1.0)
    model = TreeSVC(**QUICK).fit(X, y, heavy)
    assert model.predict([[0.0], [1.0]]).tolist() == [0, 1]
    other = TreeSVC(**QUICK).fit(X, 1 - y, heavy)
    assert other.predict([[0.0], [1.0]]).tolist() == [1, 0]
    rare = TreeSVC(class_weight={0: 1, 1: 20}, **QUICK).fit(X, y)
    assert (rare.predict(X) == 1).all()
