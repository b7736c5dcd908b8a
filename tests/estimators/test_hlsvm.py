"""HLSVMClassifier: answers, limit cases, input that must be handled or refused."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification, make_moons

from treesvm import HLSVMClassifier, HLSVMClassifierCV, load_model, save_model
from treesvm.partitions import ObliqueTree


@pytest.fixture(scope="module")
def moons():
    return make_moons(1000, noise=0.2, random_state=0)


@pytest.fixture(scope="module")
def five_classes():
    X, y = make_classification(
        1500, n_features=8, n_informative=6, n_classes=5, random_state=0
    )
    return X, np.array(["a", "b", "c", "d", "e"])[y]


def fitted(X, y, **parameters):
    return HLSVMClassifier(random_state=0, **parameters).fit(X, y)


@pytest.mark.parametrize("multi_class", ["tree", "ovo", "ovr"])
def test_answers_fit_together(five_classes, multi_class):
    X, y = five_classes
    model = fitted(X[:1000], y[:1000], multi_class=multi_class)
    answers = model.predict(X)
    assert np.mean(answers[1000:] == y[1000:]) > 0.6
    for values in (model.predict_proba(X), model.decision_function(X)):
        assert values.shape == (1500, 5)
        np.testing.assert_array_equal(model.classes_[values.argmax(axis=1)], answers)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert len(model.trees_) == {"tree": 1, "ovo": 10, "ovr": 5}[multi_class]


def test_two_classes_are_one_binary_tree_in_every_mode(moons):
    X, y = moons
    models = [fitted(X, y, multi_class=mode) for mode in ("tree", "ovo", "ovr")]
    for model in models[1:]:
        np.testing.assert_array_equal(model.apply(X), models[0].apply(X))
        np.testing.assert_array_equal(
            model.trees_[0].weights, models[0].trees_[0].weights
        )
    lead = models[0].decision_function(X)
    np.testing.assert_array_equal(models[0].predict(X), (lead > 0).astype(int))


def test_path_of_a_row_is_its_routing(moons):
    X, y = moons
    model = fitted(X, y)
    path = model.decision_path(X)
    np.testing.assert_array_equal(path.sum(axis=1).A1 - 1, model.hyperplanes_met(X))
    tree = model.trees_[0]
    for i, leaf in enumerate(model.apply(X)[:50]):
        nodes = path[i].indices
        assert nodes[0] == 0
        assert nodes[-1] == leaf
        for k, following in itertools.pairwise(nodes):
            value = tree.weights[tree.feature[k]] @ X[i]
            side = tree.left if value <= tree.threshold[k] else tree.right
            assert side[k] == following
    assert model.hyperplanes_met(X).max() == model.get_depth()


@pytest.mark.parametrize("multi_class", ["tree", "ovo"])
def test_same_model_for_every_n_jobs(five_classes, multi_class):
    X, y = five_classes
    models = [fitted(X, y, multi_class=multi_class, n_jobs=n) for n in (1, 2, 3)]
    for model in models[1:]:
        for a, b in zip(models[0].trees_, model.trees_, strict=True):
            np.testing.assert_array_equal(a.weights, b.weights)
            np.testing.assert_array_equal(a.threshold, b.threshold)
            np.testing.assert_array_equal(a.left, b.left)


def test_pruning_gives_a_smaller_nested_tree(moons):
    X, y = moons
    grown = fitted(X, y, prune_share=0.0)
    pruned = fitted(X, y, prune_share=0.2)
    assert pruned.get_n_leaves() < grown.get_n_leaves()


def test_forms_of_input_agree(five_classes):
    X, y = five_classes
    model = fitted(X, y)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(8)])
    from_frame = fitted(frame, y)
    np.testing.assert_array_equal(from_frame.predict(frame), model.predict(X))
    assert from_frame.feature_names_in_.tolist() == list(frame.columns)
    assert "f3" in from_frame.export_text(max_terms=8)
    sparse_model = fitted(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(
        sparse_model.predict(sparse.csr_matrix(X)), sparse_model.predict(X)
    )
    np.testing.assert_array_equal(sparse_model.predict(X), model.predict(X))


def test_pickled_model_answers_alike(five_classes):
    X, y = five_classes
    model = fitted(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))


def test_weight_two_is_the_row_twice(moons):
    X, y = moons
    exact = {"prune_share": 0.0, "tol": 1e-5, "max_passes": 5000, "min_share": 0.1}
    rows = np.r_[np.arange(1000), np.arange(300)]
    weight = np.ones(1000)
    weight[:300] = 2.0
    weighted = HLSVMClassifier(random_state=0, **exact).fit(X, y, weight)
    twice = HLSVMClassifier(random_state=0, **exact).fit(X[rows], y[rows])
    assert np.mean(weighted.predict(X) == twice.predict(X)) > 0.995


def test_class_weight_moves_the_leaves(moons):
    X, y = moons
    plain = fitted(X, y, min_share=0.2, prune_share=0.0)
    heavy = fitted(X, y, min_share=0.2, prune_share=0.0, class_weight={1: 50.0})
    assert heavy.predict(X).sum() > plain.predict(X).sum()


def test_a_hundred_classes_and_one_row_per_class(rng):
    centres = 100 * rng.normal(size=(100, 4))
    X = np.repeat(centres, 12, axis=0) + rng.normal(size=(1200, 4))
    y = np.repeat(np.arange(100), 12)
    assert fitted(X, y).score(X, y) > 0.9
    single = fitted(centres[:15], np.arange(15), min_share=0.0)
    assert single.score(centres[:15], np.arange(15)) > 0.9


def test_hard_input_is_handled(rng):
    X = np.column_stack([np.ones(100), np.repeat([0.0, 1.0], 50)])
    y = np.tile([0, 1], 50)
    assert fitted(X, y).predict(X).shape == (100,)  # duplicates with different labels
    one_class = fitted(rng.normal(size=(20, 2)), np.full(20, "only"))
    assert one_class.predict(X)[0] == "only"
    assert fitted(X, np.repeat([True, False], 50)).score(X, X[:, 1] == 0) == 1.0


def test_nan_is_refused(moons):
    X, y = moons
    X = X.copy()
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        fitted(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", 0.0),
        ("alpha", "best"),
        ("regularization", "node"),
        ("solver", "sgd"),
        ("min_share", -0.1),
        ("prune_share", 1.0),
        ("max_depth", 0),
        ("multi_class", "crammer"),
        ("tol", 0),
        ("max_passes", 2.5),
        ("max_node_rows", 0),
        ("standardize", 1),
        ("batch_size", 0),
        ("bias_rate", -0.1),
        ("tol", "small"),
        # Possible, but without an effect for the dual solver.
        ("max_steps", 100),
        ("batch_size", 32),
        ("bias_rate", 0.01),
    ],
)
def test_wrong_parameters_are_named(moons, name, value):
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        fitted(*moons, **{name: value})


@pytest.mark.parametrize(
    ("solver", "name", "value"),
    [
        ("dual", "tol", 1e-4),
        ("dual", "standardize", False),
        ("pegasos", "tol", 10.0),
        ("pegasos", "max_steps", 40),
        ("pegasos", "batch_size", 4),
        ("pegasos-paper", "tol", 0.1),
        ("pegasos-paper", "max_steps", 40),
        ("pegasos-paper", "batch_size", 4),
        ("pegasos-paper", "bias_rate", 0.5),
    ],
)
def test_every_number_of_the_paper_has_an_effect(moons, solver, name, value):
    X, y = moons
    X, y = X[:300] * [1.0, 3.0], y[:300]
    usual = {"alpha": 1e-4, "solver": solver, "max_depth": 1}
    planes = []
    for parameters in (usual, usual | {name: value}):
        parts, _ = ObliqueTree(**parameters).grow(
            X, y, np.ones(300), 0, max_leaf_size=100, n_classes=2
        )
        model = fitted(X, y, **parameters)
        planes.append((model.trees_[0].weights, parts.tree.weights))
    for was, now in zip(*planes, strict=True):
        assert not np.array_equal(was, now)


def test_the_papers_classifier(moons, tmp_path):
    X, y = moons
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    model = HLSVMClassifier.paper("banana", max_steps=2000, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.93
    assert (model.alpha, model.prune_share, model.min_share) == (1e-5, 0.1, 1e-3)
    assert (model.batch_size, model.tol, model.bias_rate) == (50_000, 1e-4, 0.01)
    assert HLSVMClassifier.paper("covtype").max_steps == 10**7
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    search = HLSVMClassifierCV([1e-5], prune_shares=(0.1,), cv=2, random_state=0)
    own = {
        name: value
        for name, value in model.get_params().items()
        if name in search.get_params() and name != "multi_class"
    }
    best = search.set_params(**own).fit(X, y).best_estimator_
    assert (best.max_steps, best.standardize) == (2000, False)
    with pytest.raises(ValueError, match="dataset='mushrooms'"):
        HLSVMClassifier.paper("mushrooms")


def test_negative_or_vanishing_weights_are_refused(moons):
    X, y = moons
    with pytest.raises(ValueError, match=r"-1\.0"):
        HLSVMClassifier().fit(X, y, -np.ones(1000))
    with pytest.raises(ValueError, match="zero"):
        HLSVMClassifier().fit(X, y, np.zeros(1000))


@pytest.mark.parametrize("multi_class", ["tree", "ovo"])
def test_predictor_equals_predict(five_classes, multi_class):
    X, y = five_classes
    model = fitted(X, y, multi_class=multi_class)
    predictor = model.predictor()
    np.testing.assert_array_equal(predictor(X), model.predict(X))
    singles = [predictor(x) for x in X[:200]]
    np.testing.assert_array_equal(singles, model.predict(X[:200]))
    np.testing.assert_array_equal(predictor.decision(X), model.decision_function(X))
    np.testing.assert_array_equal(
        predictor.decision(X[3]), model.decision_function(X[3:4])[0]
    )
    strided = np.repeat(X[:5], 2, axis=1)[:, ::2]
    assert predictor(strided[0]) == predictor(X[0])
    with pytest.raises(ValueError, match="7 features"):
        predictor(X[0, :7])
    with pytest.raises(ValueError, match="7 features"):
        predictor(X[:, :7])
