"""TreeSVR: tables in, numbers out, in any unit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_friedman1

from treesvm import TreeSVR
from treesvm.decomposition.explanations import empty_values

QUICK = {"time_limit": 1e-9, "random_state": 0}  # the first theta, without a search


def make_frame(rng, n_rows=160):
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n_rows)),
            "town": rng.choice([f"town {k}" for k in range(20)], n_rows),
            "is_new": rng.random(n_rows) < 0.5,
        }
    )
    y = frame["size"] + 2.0 * (frame["colour"] == "red") - frame["is_new"]
    frame.loc[rng.random(n_rows) < 0.1, "size"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "town"] = None
    return frame, y.to_numpy()


@pytest.fixture(scope="module")
def searched():
    """A model of a whole search, and its rows."""
    X, y = make_frame(np.random.default_rng(5), 90)
    return TreeSVR(time_limit=None, random_state=0, n_jobs=1).fit(X, y), X, y


def test_a_search_finds_the_target_whatever_the_threads(searched):
    model, X, y = searched
    assert not model.stopped_early_
    assert model.score(X, y) > 0.7
    assert 0.0 < model.best_loss_ < 0.6  # shares of the variance
    again = TreeSVR(time_limit=None, random_state=0, n_jobs=2).fit(X, y)
    assert again.best_theta_ == model.best_theta_
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_what_training_did_not_see_is_answered(searched):
    model, X, _ = searched
    new = X.head(6).assign(colour="pink", town=None, is_new=None)
    assert np.isfinite(model.predict(new)).all()
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[X.columns[::-1]])


def test_importances_and_explanations_are_by_column_and_in_units_of_y(searched):
    model, X, _ = searched
    found = model.feature_importances_
    assert found.shape == (4,)
    assert found.sum() == pytest.approx(1.0)
    values = model.explain(X)
    assert values.shape == (len(X), 4)
    rows = model.encoder_.transform(_table(model, X))
    empty = sum(
        weight * empty_values(member.decompositions_, rows)
        for weight, member in zip(model.member_weights_, model.members_, strict=True)
    )
    nothing = model.target_mean_ + model.target_scale_ * empty
    np.testing.assert_allclose(
        values.sum(axis=1), model.predict(X) - nothing, atol=1e-4
    )


def _table(model, X):
    from treesvm.datasets import as_table

    return as_table(X, model.encoder_.column_names)


@pytest.mark.parametrize(("factor", "shift"), [(1e4, 0.0), (1e-6, 0.0), (1.0, 1e3)])
def test_units_of_the_target_do_not_matter(factor, shift):
    X, y = make_friedman1(300, random_state=0)
    plain = TreeSVR(**QUICK).fit(X[:200], y[:200])
    other = TreeSVR(**QUICK).fit(X[:200], factor * y[:200] + shift)
    back = (other.predict(X[200:]) - shift) / factor
    np.testing.assert_allclose(back, plain.predict(X[200:]), atol=0.02)
    assert plain.score(X[200:], y[200:]) > 0.7


def test_a_limit_that_is_over_at_once_still_gives_a_model():
    X, y = make_friedman1(200, random_state=0)
    model = TreeSVR(time_limit=0.5, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.7
    model = TreeSVR(**QUICK).fit(X, y)
    assert model.stopped_early_
    assert model.score(X, y) > 0.7


def test_a_constant_target_is_answered_with_it(rng):
    model = TreeSVR(**QUICK).fit(rng.normal(size=(30, 2)), np.full(30, 4.0))
    np.testing.assert_allclose(model.predict(rng.normal(size=(5, 2))), 4.0, atol=1e-6)


def test_a_fit_that_fails_changes_nothing(rng):
    X, y = make_frame(rng, 60)
    model = TreeSVR(**QUICK).fit(X, y)
    before = vars(model).copy()
    for bad_y in (np.full(60, np.nan), np.full(60, np.inf), y[:50]):
        with pytest.raises(ValueError, match=r"NaN|infinity|rows"):
            model.fit(X, bad_y)
        assert all(vars(model)[name] is before[name] for name in before)


def test_weights_are_heard(rng):
    X = np.repeat([[0.0], [1.0]], 40, axis=0)
    y = np.tile([0.0, 10.0], 40)
    heavy = np.where(y == 10.0 * (X[:, 0] > 0.5), 9.0, 1.0)
    found = TreeSVR(**QUICK).fit(X, y, heavy).predict([[0.0], [1.0]])
    np.testing.assert_allclose(found, [0.0, 10.0], atol=2.0)
