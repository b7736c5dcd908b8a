"""The reduce step of DTSVM leaves: None and all rows change nothing."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from treesvm import DTSVMClassifier, load_model, save_model
from treesvm.candidates import TRSD, CleanSpread, RandomRows
from treesvm.machines.scaling import minmax_scaling

SMALL = {"max_leaf_size": 200, "random_state": 0}


@pytest.fixture(scope="module")
def moons():
    return make_moons(1500, noise=0.25, random_state=0)


def decisions(model, moons):
    X, y = moons
    return model.fit(X, y).decision_function(X)


@pytest.mark.parametrize("selector", [TRSD(1.0), RandomRows(1.0), CleanSpread(1.0)])
def test_all_rows_are_the_unchanged_model(selector, moons):
    plain = decisions(DTSVMClassifier(**SMALL), moons)
    kept = decisions(DTSVMClassifier(**SMALL, reduce=selector), moons)
    np.testing.assert_array_equal(plain, kept)


def test_leaf_machine_is_that_of_the_kept_rows(moons):
    """One leaf: the selector chooses among its scaled rows."""
    X, y = moons
    model = DTSVMClassifier(
        max_leaf_size=5000, reduce=RandomRows(0.2, random_state=3), random_state=0
    ).fit(X, y)
    scaled = minmax_scaling(X).apply(X)
    kept = RandomRows(0.2, random_state=3).fit(scaled, y).sample_indices_
    part = model.decompositions_[0].parts[0]
    machine = part.machine
    assert set(machine.support) <= set(kept)
    np.testing.assert_array_equal(machine.vectors, scaled[machine.support])
    assert part.n_rows == machine.n_training_rows == len(y)


def test_fewer_support_vectors_and_nearly_as_good(moons):
    X, y = moons
    plain = DTSVMClassifier(**SMALL).fit(X[:1000], y[:1000])
    reduced = DTSVMClassifier(**SMALL, reduce=TRSD(0.3)).fit(X[:1000], y[:1000])
    assert reduced.n_support_vectors_ < 0.6 * plain.n_support_vectors_
    assert reduced.score(X[1000:], y[1000:]) > plain.score(X[1000:], y[1000:]) - 0.04


def test_threads_do_not_change_the_choice(moons):
    models = [DTSVMClassifier(**SMALL, reduce=TRSD(0.3), n_jobs=n) for n in (1, 2)]
    np.testing.assert_array_equal(*(decisions(model, moons) for model in models))


def test_seed_of_the_model_is_the_selectors(moons):
    first, again, other = (
        decisions(
            DTSVMClassifier(max_leaf_size=200, reduce=RandomRows(0.3), random_state=s),
            moons,
        )
        for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_selector_comes_back_from_a_file(moons, tmp_path):
    X, y = moons
    model = DTSVMClassifier(**SMALL, reduce=CleanSpread(0.4, 7)).fit(X, y)
    save_model(model, tmp_path / "a.model")
    again = load_model(tmp_path / "a.model")
    assert repr(again.reduce) == repr(model.reduce)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_checkpoint_knows_the_selector(moons, tmp_path):
    X, y = moons
    options = SMALL | {"checkpoint": str(tmp_path / "fit")}
    first = DTSVMClassifier(**options, reduce=TRSD(0.3)).fit(X, y)
    again = DTSVMClassifier(**options, reduce=TRSD(0.3)).fit(X, y)
    assert again.n_restored_leaves_ > 0
    np.testing.assert_array_equal(first.predict(X), again.predict(X))
    with pytest.raises(ValueError, match="reduce"):
        DTSVMClassifier(**options, reduce=TRSD(0.4)).fit(X, y)


def test_something_else_is_refused(moons):
    with pytest.raises(ValueError, match=r"reduce=0\.3 has no fit_resample"):
        DTSVMClassifier(reduce=0.3).fit(*moons)
