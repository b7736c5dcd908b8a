"""What is loaded answers as what was saved, to the last bit."""

import inspect
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification

import treesvm
from benchmarks.model_samples import fitted_models, sample_rows, wrapped_models
from treesvm import (
    DTSVMClassifier,
    DTSVRegressor,
    HLSVMClassifier,
    KernelSVC,
    KernelSVR,
    load_model,
    save_model,
)
from treesvm.estimator_table import ESTIMATORS
from treesvm.partitions import AxisTree

MODELS_BY_NAME = fitted_models()
ANSWERS = ("predict", "decision_function", "predict_proba", "apply")


def round_trip(model, tmp_path):
    path = tmp_path / "a.model"
    save_model(model, path)
    return load_model(path)


def assert_same_answers(model, again, rows):
    for name in ANSWERS:
        if hasattr(model, name):
            was, now = getattr(model, name)(rows), getattr(again, name)(rows)
            np.testing.assert_array_equal(was, now)
            assert was.dtype == now.dtype
    if hasattr(model, "predictor") and not sparse.issparse(rows):
        was, now = model.predictor(), again.predictor()
        np.testing.assert_array_equal(was(rows), now(rows))
        np.testing.assert_array_equal(was.decision(rows), now.decision(rows))
        for row in rows[:10]:
            assert was(row) == now(row)


def queries(model, rng):
    """Rows near and far from the training rows, as wide as the model wants."""
    X = sample_rows()[0]
    rows = np.vstack([X, X + rng.normal(size=X.shape), 10 * X])
    if model.n_features_in_ == len(X):  # a Gram matrix
        return rows @ X.T
    return np.ascontiguousarray(rows[:, : model.n_features_in_])


@pytest.mark.parametrize("name", MODELS_BY_NAME)
def test_answers_are_bit_identical(name, tmp_path, rng):
    model = MODELS_BY_NAME[name]
    again = round_trip(model, tmp_path)
    rows = queries(model, rng)
    assert_same_answers(model, again, rows)
    if name != "KernelSVC Gram":
        assert_same_answers(model, again, sparse.csr_matrix(rows))


@pytest.mark.parametrize("name", MODELS_BY_NAME)
def test_parameters_and_attributes_come_back(name, tmp_path):
    model = MODELS_BY_NAME[name]
    again = round_trip(model, tmp_path)
    assert type(again) is type(model)
    # Parts such as selectors are equal if they print alike.
    assert repr(again.get_params()) == repr(model.get_params())
    # Which training rows support a model is told by a fit, not kept in its file.
    told = {"support_", "support_vectors_"}
    forgets = told if isinstance(model, (DTSVMClassifier, DTSVRegressor)) else ()
    kept = {k: v for k, v in vars(model).items() if k not in forgets}
    assert vars(again).keys() == kept.keys()
    for key, value in kept.items():
        if isinstance(value, (str, int, float, bool, list, type(None))):
            assert type(getattr(again, key)) is type(value) or np.isscalar(value)
        if isinstance(value, np.ndarray) and not key.startswith("_"):
            np.testing.assert_array_equal(getattr(again, key), value)


@pytest.mark.parametrize("name", MODELS_BY_NAME)
def test_second_file_is_the_first(name, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    save_model(MODELS_BY_NAME[name], first)
    save_model(load_model(first), second)
    assert first.read_bytes() == second.read_bytes()


def test_every_public_estimator_can_be_saved():
    public = {
        name
        for name in treesvm.__all__
        if inspect.isclass(getattr(treesvm, name))
        and issubclass(getattr(treesvm, name), BaseEstimator)
    }
    tested = {type(model).__name__ for model in MODELS_BY_NAME.values()}
    assert public <= tested
    assert ESTIMATORS.keys() == tested


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 5, 9]),
        np.array([3, 5, 9], dtype=np.uint8),
        np.array([-1.0, 0.0, 2.0]),
        np.array(["a", "bcd", "ü 𝄞"]),
        np.array(["a", "bcd", "ü"], dtype=object),
    ],
    ids=lambda labels: f"{labels.dtype}",
)
def test_labels_keep_value_and_type(labels, tmp_path):
    X, y = sample_rows()
    model = HLSVMClassifier(random_state=0).fit(X, labels[y])
    again = round_trip(model, tmp_path)
    assert again.classes_.dtype == model.classes_.dtype
    assert again.classes_.tolist() == model.classes_.tolist()
    assert type(again.predict(X)[0]) is type(model.predict(X)[0])


def test_boolean_labels(tmp_path):
    X, y = sample_rows()
    model = KernelSVC().fit(X, y == 1)
    again = round_trip(model, tmp_path)
    assert again.predict(X).dtype == bool
    assert_same_answers(model, again, X)


def test_feature_names_are_checked_as_before(tmp_path):
    X, y = sample_rows()
    frame = pd.DataFrame(X, columns=["länge", "b", "c", "d"])
    model = DTSVMClassifier(max_leaf_size=30, random_state=0).fit(frame, y)
    again = round_trip(model, tmp_path)
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame[["b", "länge", "c", "d"]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scaling", ["minmax", None])
@pytest.mark.parametrize("max_leaf_size", [40, 10_000])
def test_many_leaves_and_one(dtype, scaling, max_leaf_size, tmp_path, rng):
    X, y = make_classification(
        600, 12, n_informative=8, n_classes=4, random_state=0, shuffle=False
    )
    X = X.astype(dtype)
    model = DTSVMClassifier(
        max_leaf_size=max_leaf_size,
        leaf_scaling=scaling,
        gamma=0.2,
        multi_class="ovr",
        random_state=0,
    ).fit(X, y)
    again = round_trip(model, tmp_path)
    rows = rng.normal(size=(400, 12)).astype(dtype)
    assert_same_answers(model, again, rows)
    assert again.n_support_vectors_ == model.n_support_vectors_
    assert again.leaf_report()["rows"].tolist() == model.leaf_report()["rows"].tolist()


def test_every_part_keeps_its_own_gamma(tmp_path, rng):
    X, y = sample_rows()
    model = DTSVMClassifier(max_leaf_size=30, random_state=0).fit(X, y)
    member = model.decompositions_[0]
    for k, part in enumerate(member.parts):
        if part.machine is not None:
            kernel = part.machine.kernel.with_gamma(rng.uniform(0.5, 5.0))
            machine = replace(part.machine, kernel=kernel)
            member.parts[k] = part._replace(machine=machine)
    again = round_trip(model, tmp_path)
    gammas = {p.machine.kernel.gamma for p in member.parts if p.machine is not None}
    assert len(gammas) > 1
    assert_same_answers(model, again, queries(model, rng))


@pytest.mark.parametrize("partition", ["axis", "oblique", "random", "whole"])
def test_partitions(partition, tmp_path, rng):
    X, y = sample_rows()
    model = DTSVMClassifier(
        max_leaf_size=30, partition=partition, n_estimators=2, random_state=0
    ).fit(X, y)
    again = round_trip(model, tmp_path)
    kinds = [type(member.partition) for member in model.decompositions_]
    assert [type(member.partition) for member in again.decompositions_] == kinds
    assert_same_answers(model, again, queries(model, rng))


def test_partition_objects_are_parameters(tmp_path):
    X, y = sample_rows()
    partition = AxisTree("gini", max_tree_rows=None)
    model = DTSVMClassifier(partition=partition, random_state=0).fit(X, y)
    assert repr(round_trip(model, tmp_path).partition) == repr(partition)


@pytest.mark.parametrize("options", [{}, {"probability": True, "n_estimators": 2}])
@pytest.mark.parametrize(
    "seen",
    [
        {"leaf_scaling": "quantile", "feature_weights": "learned"},
        {"leaf_scaling": "minmax", "feature_weights": "local"},
    ],
)
def test_what_learned_weights_and_quantiles_hold(options, seen, tmp_path, rng):
    X, y = sample_rows()
    model = DTSVMClassifier(
        kernel="laplacian",
        **seen,
        max_leaf_size=60,
        random_state=0,
        **options,
    ).fit(X, y)
    again = round_trip(model, tmp_path)
    assert_same_answers(model, again, queries(model, rng))
    assert_same_answers(model, again, sparse.csr_matrix(queries(model, rng)))
    np.testing.assert_array_equal(again.explain(X[:5]), model.explain(X[:5]))
    importances = model.feature_importances_
    np.testing.assert_array_equal(again.feature_importances_, importances)


def test_frames_with_categories_and_gaps_are_answered_as_before(tmp_path):
    model = wrapped_models()["TreeSVC frame"]
    again = round_trip(model, tmp_path)
    frame = pd.DataFrame(
        {"width": [5.0, np.nan], "colour": ["red", "never seen"], "size": [np.nan, 3.0]}
    )
    assert_same_answers(model, again, frame)
    np.testing.assert_array_equal(again.explain(frame), model.explain(frame))
    assert again.best_theta_ == model.best_theta_
    assert again.stopped_early_ is model.stopped_early_
    for name, column in model.search_results_.items():
        np.testing.assert_array_equal(again.search_results_[name], column)
        assert again.search_results_[name].dtype == column.dtype
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame[["size", "width", "colour"]])


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
def test_other_kernels(kernel, tmp_path, rng):
    X, y = sample_rows()
    model = KernelSVC(kernel=kernel, gamma=0.01, degree=2, coef0=0.5).fit(X, y)
    assert_same_answers(
        model, round_trip(model, tmp_path), X + rng.normal(size=X.shape)
    )


def test_regressor_of_a_gram_matrix_with_rows_left_out(tmp_path):
    X, y = sample_rows()
    weight = np.ones(len(y))
    weight[::3] = 0.0
    gram = X @ X.T
    model = KernelSVR(kernel="precomputed").fit(gram, y.astype(float), weight)
    again = round_trip(model, tmp_path)
    np.testing.assert_array_equal(again.predict(gram), model.predict(gram))
    np.testing.assert_array_equal(again.support_, model.support_)


def test_sparse_arrays_stay_arrays(tmp_path):
    X, y = sample_rows()
    model = KernelSVC().fit(sparse.csr_array(X), y)
    again = round_trip(model, tmp_path)
    assert isinstance(again.support_vectors_, sparse.csr_array)
    assert_same_answers(model, again, sparse.csr_array(X))


def test_single_class_tree(tmp_path):
    X, _ = sample_rows()
    model = HLSVMClassifier(random_state=0).fit(X, np.zeros(len(X), int))
    assert_same_answers(model, round_trip(model, tmp_path), X)
