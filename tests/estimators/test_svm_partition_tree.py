"""SVMPartitionTreeClassifier: the thesis' rules, limit cases, input and refusals."""

import pickle

import naive_majorization as naive
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification, make_moons

from treesvm import SVMMajClassifier, SVMPartitionTreeClassifier

THESIS = {"leaf_answer": "last", "balance_nodes": False, "prune_share": 0.0}


@pytest.fixture(scope="module")
def moons():
    return make_moons(400, noise=0.25, random_state=0)


@pytest.fixture(scope="module")
def five_classes():
    X, y = make_classification(
        900, n_features=8, n_informative=6, n_classes=5, random_state=0
    )
    return X, np.array(["a", "b", "c", "d", "e"])[y]


def fitted(X, y, **parameters):
    parameters = {"alpha": 1.0, "random_state": 0, **parameters}
    return SVMPartitionTreeClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize("hinge", ["quadratic", "absolute", "huber"])
@pytest.mark.parametrize("alpha", ["cv", 2.0])
def test_one_split_is_the_single_machine(moons, hinge, alpha):
    X, y = moons
    options = {"hinge": hinge, "alpha": alpha}
    stump = fitted(X, y, max_depth=1, **options, **THESIS)
    single = SVMMajClassifier(random_state=0, **options).fit(X, y)
    np.testing.assert_array_equal(stump.predict(X), single.predict(X))
    np.testing.assert_allclose(stump.trees_[0].weights[0], single.coef_[0])
    assert stump.trees_[0].threshold[0] == pytest.approx(-single.intercept_[0])


@pytest.mark.parametrize("prune_share", [0.0, 0.2])
@pytest.mark.parametrize("balance_nodes", [True, False])
def test_last_prediction_follows_algorithm_one(moons, prune_share, balance_nodes):
    X, y = moons
    model = fitted(
        X,
        y,
        leaf_answer="last",
        balance_nodes=balance_nodes,
        prune_share=prune_share,
        min_rows=5,
    )
    tree = vars(model.trees_[0])
    slow = [naive.predict_by_path(x, tree) for x in X]
    np.testing.assert_array_equal(model.predict(X), slow)
    shares = model.predict_proba(X)
    assert set(np.unique(shares)) <= {0.0, 1.0}


def test_growth_stops_where_the_thesis_stops(moons):
    X, y = moons
    wide = np.hstack([X, np.random.default_rng(0).normal(size=(400, 6))])
    tree = fitted(wide, y, prune_share=0.0).trees_[0]
    inner = ~tree.is_leaf
    assert (tree.n_rows[inner] > 8).all()
    assert (np.count_nonzero(tree.value[inner], axis=1) == 2).all()
    assert (tree.n_rows[tree.left[inner]] > 0).all()
    assert (tree.n_rows[tree.right[inner]] > 0).all()
    coarse = fitted(wide, y, prune_share=0.0, min_rows=150).trees_[0]
    assert (coarse.n_rows[~coarse.is_leaf] > 150).all()
    # A node whose rows all get the same prediction is a leaf.
    steady = fitted(wide, np.arange(400) < 3, balance_nodes=False, prune_share=0.0)
    assert steady.get_n_leaves() == 1


def test_pruning_gives_a_smaller_tree(moons):
    grown, pruned = (fitted(*moons, prune_share=share) for share in (0.0, 0.3))
    assert pruned.get_n_leaves() < grown.get_n_leaves()


def test_balanced_nodes_go_further(moons):
    X, y = moons
    rare = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:60]]
    options = {"prune_share": 0.0, "alpha": 10.0}
    plain = fitted(X[rare], y[rare], balance_nodes=False, **options)
    balanced = fitted(X[rare], y[rare], balance_nodes=True, **options)
    assert balanced.score(X, y) > plain.score(X, y)


@pytest.mark.parametrize("multi_class", ["tree", "ovo", "ovr"])
def test_many_classes(five_classes, multi_class):
    X, y = five_classes
    model = fitted(X[:600], y[:600], multi_class=multi_class)
    assert model.score(X[600:], y[600:]) > 0.5
    predictor = model.predictor()
    np.testing.assert_array_equal(predictor(X), model.predict(X))
    assert predictor(X[0]) == model.predict(X[:1])[0]


def test_last_prediction_of_many_classes_needs_a_committee(five_classes):
    X, y = five_classes
    with pytest.raises(ValueError, match="leaf_answer='last' names no class among 5"):
        fitted(X, y, leaf_answer="last")
    assert fitted(X, y, leaf_answer="last", multi_class="ovo").score(X, y) > 0.5


@pytest.mark.parametrize("alpha", ["cv", 1.0])
def test_same_model_for_every_n_jobs(moons, alpha):
    models = [fitted(*moons, alpha=alpha, n_jobs=n) for n in (1, 2)]
    a, b = (model.trees_[0] for model in models)
    np.testing.assert_array_equal(a.weights, b.weights)
    np.testing.assert_array_equal(a.left, b.left)


def test_forms_of_input_agree(five_classes):
    X, y = five_classes
    model = fitted(X, y)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(8)])
    from_frame = fitted(frame, y)
    np.testing.assert_array_equal(from_frame.predict(frame), model.predict(X))
    assert from_frame.feature_names_in_.tolist() == list(frame.columns)
    thin = fitted(sparse.csr_matrix(X), y)
    assert np.mean(thin.predict(sparse.csr_matrix(X)) == model.predict(X)) > 0.95
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("balance_nodes", [True, False])
def test_weight_two_is_the_row_twice(moons, balance_nodes):
    X, y = moons
    options = {"prune_share": 0.0, "balance_nodes": balance_nodes, "tol": 1e-10}
    rows = np.r_[np.arange(400), np.arange(120)]
    weight = np.where(np.arange(400) < 120, 2.0, 1.0)
    weighted = SVMPartitionTreeClassifier(alpha=1.0, random_state=0, **options)
    weighted.fit(X, y, weight)
    twice = fitted(X[rows], y[rows], **options)
    np.testing.assert_allclose(weighted.predict_proba(X), twice.predict_proba(X))


def test_more_features_than_rows_are_one_leaf_unless_asked(rng):
    X = rng.normal(size=(20, 50))
    y = (X[:, 0] > 0).astype(int)
    assert fitted(X, y).get_n_leaves() == 1
    deep = fitted(X, y, min_rows=0, alpha="cv", prune_share=0.0)
    assert deep.get_n_leaves() > 1
    assert deep.score(X, y) > 0.9


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hinge", "cubic"),
        ("huber_k", -2.0),
        ("alpha", -1.0),
        ("min_rows", "rows"),
        ("prune_share", 1.0),
        ("max_depth", 0),
        ("leaf_answer", "first"),
        ("balance_nodes", "yes"),
        ("multi_class", "crammer"),
        ("tol", 0),
        ("max_steps", 0),
    ],
)
def test_wrong_parameters_are_named(moons, name, value):
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        fitted(*moons, **{name: value})


def test_folds_are_a_number(moons):
    with pytest.raises(ValueError, match="cv=1 is not possible"):
        fitted(*moons, alpha="cv", cv=1)
