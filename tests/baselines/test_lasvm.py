"""LASVMClassifier beside KernelSVC: limits, weights, streams, errors."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification, make_moons

from treesvm import KernelSVC, load_model, save_model
from treesvm.baselines import LASVMClassifier
from treesvm.files.failures import ModelFileError
from treesvm.persistence.model_file import _read, describe

PRECISE = {"C": 5.0, "gamma": 0.5, "tol": 1e-6}


@pytest.fixture(scope="module")
def three_classes():
    return make_classification(
        300, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0
    )


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_enough_epochs_equal_kernel_svc(multi_class, three_classes):
    X, y = three_classes
    options = PRECISE | {"multi_class": multi_class}
    ours = LASVMClassifier(**options, epochs=50, random_state=0).fit(X, y)
    reference = KernelSVC(**options).fit(X, y)
    assert ours.converged_.all()
    np.testing.assert_allclose(
        ours._machine.reliable_decisions(X),
        reference._machine.reliable_decisions(X),
        atol=2e-3,
    )
    np.testing.assert_array_equal(ours._machine.pairs, reference._machine.pairs)
    np.testing.assert_array_equal(
        ours._machine.machine_ids, reference._machine.machine_ids
    )
    norms = ours._machine.records["norm"], reference._machine.records["norm"]
    assert norms[0] == pytest.approx(norms[1], rel=1e-3)


def test_one_epoch_is_close():
    X, y = make_moons(5000, noise=0.25, random_state=0)
    ours = LASVMClassifier(C=10, gamma=1.0, random_state=0).fit(X[:2000], y[:2000])
    full = KernelSVC(C=10, gamma=1.0).fit(X[:2000], y[:2000])
    assert ours.score(X[2000:], y[2000:]) > full.score(X[2000:], y[2000:]) - 0.01


def test_weight_two_is_a_row_twice(three_classes):
    X, y = three_classes
    weight = np.random.default_rng(0).integers(0, 3, size=len(y))
    model = LASVMClassifier(**PRECISE, epochs=50, random_state=0)
    weighted = model.fit(X, y, sample_weight=weight).decision_function(X)
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = LASVMClassifier(**PRECISE, epochs=50, random_state=0)
    repeated = repeated.fit(X[rows], y[rows]).decision_function(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-3)
    assert (weight[model.support_] > 0).all()
    np.testing.assert_array_equal(model.support_weight_, weight[model.support_])


def test_support_names_the_rows(three_classes):
    X, y = three_classes
    model = LASVMClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    codes = np.repeat(np.arange(3), model.n_support_)
    np.testing.assert_array_equal(y[model.support_], codes)


def test_model_does_not_depend_on_threads(three_classes):
    X, y = three_classes
    values = [
        LASVMClassifier(n_jobs=jobs, random_state=0).fit(X, y).decision_function(X)
        for jobs in (1, 2)
    ]
    np.testing.assert_array_equal(*values)


def test_sparse_rows(three_classes):
    X, y = three_classes
    dense = LASVMClassifier(**PRECISE, epochs=30, random_state=0).fit(X, y)
    rows = sparse.csr_matrix(X)
    model = LASVMClassifier(**PRECISE, epochs=30, random_state=0).fit(rows, y)
    np.testing.assert_allclose(
        model.decision_function(rows), dense.decision_function(X), atol=1e-2
    )
    part = LASVMClassifier(random_state=0)
    for start in (0, 150):
        own = slice(start, start + 150)
        part.partial_fit(rows[own], y[own], classes=[0, 1, 2])
    assert sparse.issparse(part.support_vectors_)
    assert part.score(rows, y) > 0.7


def test_stream_comes_close_to_one_fit():
    X, y = make_moons(2000, noise=0.2, random_state=0)
    stream = LASVMClassifier(C=10, gamma=1.0, random_state=0)
    for start in range(0, 1500, 100):
        rows = slice(start, start + 100)
        stream.partial_fit(X[rows], y[rows], classes=[0, 1])
    whole = KernelSVC(C=10, gamma=1.0).fit(X[:1500], y[:1500])
    assert stream.score(X[1500:], y[1500:]) > whole.score(X[1500:], y[1500:]) - 0.02
    np.testing.assert_array_equal(stream.support_vectors_, X[stream.support_])


def test_stream_of_sorted_classes_and_late_ones(three_classes):
    X, y = three_classes
    model = LASVMClassifier(gamma=0.5, random_state=0)
    for code in range(3):
        model.partial_fit(X[y == code], y[y == code], classes=[0, 1, 2])
        assert model.predict(X[:3]).shape == (3,)
    for _ in range(3):
        model.partial_fit(X, y)
    assert model.score(X, y) > 0.8


def test_stream_sorted_by_class_is_learnt():
    """All of one class first: its first rows wait for the other class."""
    X, y = make_moons(600, noise=0.1, random_state=0)
    order = np.argsort(y, kind="stable")
    model = LASVMClassifier(C=10, gamma=1.0, random_state=0)
    for start in range(0, 600, 50):
        rows = order[start : start + 50]
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
        if start < 300:
            assert (model.predict(X) == 0).all()
    assert model.score(X, y) > 0.75
    model.partial_fit(X, y)
    assert model.score(X, y) > 0.95


def test_stream_goes_on_after_loading(three_classes, tmp_path):
    X, y = three_classes
    weight = np.random.default_rng(0).uniform(0.5, 2.0, size=len(y))
    model = LASVMClassifier(random_state=0).fit(X[:200], y[:200], weight[:200])
    save_model(model, tmp_path / "a.model")
    again = load_model(tmp_path / "a.model")
    for one in (model, again):
        one.partial_fit(X[200:], y[200:], sample_weight=weight[200:])
    np.testing.assert_array_equal(
        model.decision_function(X), again.decision_function(X)
    )


@pytest.mark.parametrize(
    "damage",
    [
        lambda weight: -weight,
        lambda weight: weight * np.nan,
        lambda weight: weight[:-1],
        lambda weight: 0.01 * weight,  # a coefficient would be outside its box
        lambda weight: weight.astype(np.float32),
    ],
)
def test_damaged_weights_are_refused(damage, three_classes):
    header, arrays = describe(LASVMClassifier(random_state=0).fit(*three_classes))
    assert _read(header, dict(arrays), 2**40) is not None
    arrays["support_weight"] = damage(arrays["support_weight"])
    with pytest.raises(ModelFileError):
        _read(header, arrays, 2**40)


def test_repeated_passes_of_partial_fit_reach_the_optimum(three_classes):
    X, y = three_classes
    model = LASVMClassifier(**PRECISE, random_state=0)
    for _ in range(10):
        model.partial_fit(X, y, classes=[0, 1, 2])
    reference = KernelSVC(**PRECISE).fit(X, y)
    assert np.mean(model.predict(X) == reference.predict(X)) > 0.99


def test_probability_and_predictor(three_classes):
    X, y = three_classes
    model = LASVMClassifier(probability=True, random_state=0).fit(X, y)
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        model.classes_[chances.argmax(axis=1)], model.predict(X)
    )
    np.testing.assert_array_equal(model.predictor()(X), model.predict(X))


def test_a_cap_warns(three_classes):
    X, y = three_classes
    with pytest.warns(match="max_iter=1"):
        LASVMClassifier(C=1000, gamma=0.1, tol=1e-6, max_iter=1, random_state=0).fit(
            X, y
        )


def test_progress_when_verbose(three_classes, capsys):
    LASVMClassifier(verbose=1, random_state=0).fit(*three_classes)
    assert "looks at rows" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"epochs": 0}, "epochs=0"),
        ({"finish": "yes"}, "finish='yes'"),
        ({"kernel": "precomputed"}, "KernelSVC for a Gram matrix"),
        ({"C": -1.0}, "C=-1.0"),
    ],
)
def test_impossible_parameters(parameters, match, three_classes):
    with pytest.raises(ValueError, match=match):
        LASVMClassifier(**parameters).fit(*three_classes)


@pytest.mark.parametrize(
    ("parameters", "labels", "classes", "match"),
    [
        ({}, [0, 1], None, "needs classes="),
        ({}, [0, 1], [0], "one class only"),
        ({}, [0, 7], [0, 1], "label 7"),
        ({"probability": True}, [0, 1], [0, 1], "probability=True"),
        ({"class_weight": "balanced"}, [0, 1], [0, 1], "class_weight='balanced'"),
    ],
)
def test_bad_streams(parameters, labels, classes, match):
    model = LASVMClassifier(**parameters)
    with pytest.raises(ValueError, match=match):
        model.partial_fit(np.eye(2), labels, classes=classes)
    assert not hasattr(model, "classes_")


def test_other_classes_later_are_refused():
    model = LASVMClassifier().partial_fit(np.eye(2), [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match="first call"):
        model.partial_fit(np.eye(2), [0, 1], classes=[0, 1, 2])


def test_path_is_not_there(three_classes):
    with pytest.raises(AttributeError, match=r"KernelSVC\.path"):
        LASVMClassifier().path(*three_classes, [1.0], [1.0])
