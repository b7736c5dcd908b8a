"""CandidateSVC and the reduce step: limits, weights, delegation, errors."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.svm import SVC, LinearSVC

from treesvm import (
    CandidateSVC,
    DTSVMClassifier,
    HLSVMClassifier,
    KernelSVC,
    load_model,
    save_model,
)
from treesvm.candidates import CVS, TRSD, CleanSpread, RandomRows
from treesvm.files.failures import ModelFileError
from treesvm.persistence.model_file import _read, describe


@pytest.fixture(scope="module")
def moons():
    return make_moons(600, noise=0.2, random_state=0)


def test_share_one_is_the_machine_of_all_rows(moons):
    X, y = moons
    ours = CandidateSVC(TRSD(1.0), KernelSVC(C=3.0)).fit(X, y)
    np.testing.assert_array_equal(
        ours.decision_function(X), KernelSVC(C=3.0).fit(X, y).decision_function(X)
    )


def test_machine_sees_the_kept_rows_only(moons):
    X, y = moons
    ours = CandidateSVC(CVS(0.2), KernelSVC()).fit(X, y)
    kept = CVS(0.2).fit(X, y).sample_indices_
    np.testing.assert_array_equal(ours.sample_indices_, kept)
    alone = KernelSVC().fit(X[kept], y[kept])
    np.testing.assert_array_equal(ours.predict(X), alone.predict(X))
    np.testing.assert_array_equal(ours.predictor()(X), ours.predict(X))


@pytest.mark.parametrize(
    "machine", [SVC(), LinearSVC(), HLSVMClassifier(), DTSVMClassifier()]
)
def test_any_machine(machine, moons):
    X, y = moons
    labels = np.array(["no", "yes"])[y]
    model = CandidateSVC(RandomRows(0.3), machine, random_state=0).fit(X, labels)
    assert model.score(X, labels) > 0.8
    assert set(model.classes_) == {"no", "yes"}


def test_defaults_and_seed(moons):
    X, y = moons
    first, again, other = (
        CandidateSVC(random_state=seed).fit(X, y).sample_indices_ for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert len(first) == 60
    assert not np.array_equal(first, other)
    own = CandidateSVC(TRSD(random_state=5), random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        own.sample_indices_, TRSD(random_state=5).fit(X, y).sample_indices_
    )


def test_weights_go_to_the_machine_and_zero_rows_nowhere(moons):
    X, y = moons
    weight = np.where(X[:, 0] > 1.0, 0.0, 1.0 + X[:, 1] ** 2)
    model = CandidateSVC(RandomRows(0.2, random_state=0)).fit(X, y, weight)
    kept = model.sample_indices_
    assert (weight[kept] > 0).all()
    alone = KernelSVC().fit(X[kept], y[kept], weight[kept])
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))


def test_given_parts_stay_unfitted(moons):
    model = CandidateSVC(TRSD(), KernelSVC())
    model.fit(*moons)
    assert not hasattr(model.selector, "sample_indices_")
    assert not hasattr(model.estimator, "support_")
    assert clone(model).get_params()["selector__share"] == 0.1


def test_methods_are_those_of_the_machine(moons):
    assert not hasattr(CandidateSVC(estimator=KernelSVC()), "predict_proba")
    assert not hasattr(CandidateSVC(estimator=SVC()), "predictor")
    model = CandidateSVC(RandomRows(0.5), KernelSVC(probability=True), random_state=0)
    assert model.fit(*moons).predict_proba(moons[0]).shape == (600, 2)


def test_frames_and_sparse_rows(moons):
    X, y = moons
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = CandidateSVC(random_state=0).fit(frame, y)
    assert list(model.feature_names_in_) == ["a", "b"]
    assert (
        CandidateSVC(CleanSpread(0.2), random_state=0)
        .fit(sparse.csr_matrix(X), y)
        .score(X, y)
        > 0.9
    )


@pytest.mark.parametrize(
    ("model", "match"),
    [
        (CandidateSVC(selector=0.1), "selector=0.1 has no fit_resample"),
        (CandidateSVC(estimator="svm"), "estimator='svm' cannot be fitted"),
        (CandidateSVC(TRSD(share=2.0)), "share=2.0"),
    ],
)
def test_impossible_parts_are_named(model, match, moons):
    with pytest.raises(ValueError, match=match):
        model.fit(*moons)
    assert not hasattr(model, "classes_")


def test_model_file_keeps_parts_and_rows(moons, tmp_path):
    X, y = moons
    model = CandidateSVC(CleanSpread(0.2, floor=0.5), KernelSVC(C=2.0), random_state=1)
    model.fit(pd.DataFrame(X, columns=["a", "b"]), y)
    save_model(model, tmp_path / "a.model")
    again = load_model(tmp_path / "a.model")
    assert repr(again) == repr(model)
    np.testing.assert_array_equal(again.sample_indices_, model.sample_indices_)
    np.testing.assert_array_equal(again.feature_names_in_, ["a", "b"])
    assert clone(again).fit(X, y).score(X, y) > 0.9


def test_what_a_file_cannot_hold_is_said(moons, tmp_path):
    foreign = CandidateSVC(RandomRows(0.5), SVC(), random_state=0).fit(*moons)
    with pytest.raises(ValueError, match="SVC cannot be kept"):
        save_model(foreign, tmp_path / "a.model")
    nested = CandidateSVC(RandomRows(0.5), CandidateSVC(), random_state=0).fit(*moons)
    with pytest.raises(ValueError, match="inside a CandidateSVC"):
        save_model(nested, tmp_path / "a.model")
    given = CandidateSVC(TRSD(tree=DecisionTree()), random_state=0).fit(*moons)
    with pytest.raises(ValueError, match="a TRSD whose tree is"):
        save_model(given, tmp_path / "a.model")


def DecisionTree():
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=3, random_state=0)


@pytest.fixture
def parts(moons):
    return describe(CandidateSVC(TRSD(0.2, random_state=0), KernelSVC()).fit(*moons))


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("sample_indices", lambda a: a[::-1].copy()),
        ("sample_indices", lambda a: a - a[0] - 1),
        ("sample_indices", lambda a: a[:0]),
        ("sample_indices", lambda a: a.astype(float)),
        ("classes", lambda a: a[::-1].copy()),
        ("classes", lambda a: a + 5),
        ("inside.machines.coefficients", lambda a: a * np.nan),
        ("inside.machines.support", lambda a: a + 10**6),
    ],
)
def test_damaged_arrays_are_refused(name, damage, parts):
    header, arrays = parts
    assert _read(header, dict(arrays), 2**40) is not None
    with pytest.raises(ModelFileError):
        _read(header, arrays | {name: damage(arrays[name])}, 2**40)


@pytest.mark.parametrize(
    "selector",
    [
        {"object": "DecisionTreeClassifier", "parameters": {}},
        {"object": "TRSD", "parameters": {"share": 7.0}},
        {"object": "TRSD", "parameters": {"shape": 0.1}},
        {"object": "TRSD", "parameters": []},
        {"object": 3, "parameters": {}},
    ],
)
def test_damaged_selectors_are_refused(selector, parts):
    header, arrays = parts
    header["parameters"]["selector"] = selector
    with pytest.raises(ModelFileError):
        _read(header, arrays, 2**40)


def test_machine_inside_must_be_known_and_no_second_selector(parts):
    header, arrays = parts
    for name in ("CandidateSVC", "SVC", 5):
        header["state"]["estimator_"]["class"] = name
        with pytest.raises(ModelFileError):
            _read(header, dict(arrays), 2**40)
