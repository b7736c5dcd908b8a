"""The Laplacian kernel in every place that names a kernel, against scikit-learn's."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.svm import SVC, SVR

from treesvm import (
    DTSVMClassifier,
    DTSVRegressor,
    KernelSVC,
    KernelSVR,
    SupportVectorTreeClassifier,
    compress,
    load_model,
    save_model,
)
from treesvm.baselines import CPSPClassifier, LASVMClassifier
from treesvm.bounds import decomposition_bound
from treesvm.compression.tree_walk import tree_leaves
from treesvm.kernels.manhattan import ManhattanDistances

GAMMA = 0.3


@pytest.fixture(scope="module")
def rows():
    return make_classification(
        300, 5, n_informative=4, n_redundant=0, n_classes=3, n_clusters_per_class=1,
        random_state=0,
    )  # fmt: skip


def laplacian(A, B):
    return np.exp(-GAMMA * cdist(A, B, "cityblock"))


def ours(model, **parameters):
    return model(kernel="laplacian", gamma=GAMMA, **parameters)


@pytest.mark.parametrize("cache_size", [500, 0.1])  # one Gram matrix, or its rows
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_machines_are_those_of_scikit_learn(rows, cache_size, container):
    X, y = rows
    model = ours(KernelSVC, tol=1e-6, cache_size=cache_size).fit(container(X), y)
    other = SVC(kernel=laplacian, tol=1e-6, decision_function_shape="ovr").fit(X, y)
    found = model.decision_function(container(X))
    np.testing.assert_allclose(found, other.decision_function(X), atol=1e-4)
    K = laplacian_kernel(X, gamma=GAMMA)
    exact = SVC(kernel="precomputed", tol=1e-6).fit(K, y)
    np.testing.assert_array_equal(model.predict(container(X)), exact.predict(K))


def test_regression_is_that_of_scikit_learn(rows):
    X, _ = rows
    z = np.sin(X[:, 0]) + X[:, 1]
    found = ours(KernelSVR, tol=1e-6).fit(X, z).predict(X)
    expected = SVR(kernel=laplacian, tol=1e-6).fit(X, z).predict(X)
    np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        (DTSVMClassifier, {"max_leaf_size": 100, "tol": 1e-6}),
        (LASVMClassifier, {"epochs": 20, "tol": 1e-5}),
        (CPSPClassifier, {"budget": 20}),
    ],
)
def test_other_classifiers_answer_as_with_the_callable(rows, model, parameters):
    X, y = rows
    found = ours(model, random_state=0, **parameters).fit(X, y)
    other = model(kernel=laplacian, random_state=0, **parameters).fit(X, y)
    values = other.decision_function(X)
    np.testing.assert_allclose(found.decision_function(X), values, atol=2e-2)


def test_everything_that_holds_a_machine_comes_back_from_its_file(rows, tmp_path):
    X, y = rows
    parts = {"max_leaf_size": 100, "random_state": 0}
    models = [
        ours(KernelSVC).fit(X, y),
        ours(DTSVMClassifier, **parts).fit(X, y),
        ours(CPSPClassifier, budget=20, random_state=0).fit(X, y),
        ours(LASVMClassifier, random_state=0).fit(X, y),
    ]
    models += [compress(model, X, y, random_state=0) for model in models[:2]]
    models.append(SupportVectorTreeClassifier(models[0], random_state=0).fit(X))
    for k, model in enumerate(models):
        assert np.mean(model.predict(X) == models[0].predict(X)) > 0.85
        save_model(model, tmp_path / f"{k}.model")
        again = load_model(tmp_path / f"{k}.model")
        values = model.decision_function(X)
        np.testing.assert_allclose(again.decision_function(X), values, atol=1e-12)
        if hasattr(model, "predictor"):
            predict = again.predictor()
            assert [predict(row) for row in X[:40]] == list(model.predict(X[:40]))
    assert models[4].n_vectors_ < models[0].support_vectors_.shape[0]
    z = X[:, 0]
    model = ours(DTSVRegressor, **parts).fit(X, z)
    save_model(model, tmp_path / "z.model")
    again = load_model(tmp_path / "z.model").predict(X)
    np.testing.assert_allclose(again, model.predict(X), atol=1e-12)


def test_walks_of_compressed_machines_evaluate_its_kernel(rows):
    X, y = rows
    model = ours(KernelSVC).fit(X, y > 0)
    tree = SupportVectorTreeClassifier(model, random_state=0).fit(X)
    machine, rows = tree.decompositions_[0].parts[0].machine, 0
    found, own = machine.decisions(X)[:, 0], machine.trees[0]
    K, leaves = laplacian(X, machine.terms.vectors), tree_leaves(own, machine.terms, X)
    for leaf, path in own.leaf_paths():
        reached, start = leaves == leaf, own.start[leaf]
        sums = K[reached][:, path] @ own.coefficients[start : start + len(path), 0]
        np.testing.assert_allclose(found[reached], sums + own.offsets[leaf], atol=1e-12)
        rows += reached.sum()
    assert rows == len(X)


def test_a_path_s_points_are_fits_by_themselves(rows, monkeypatch):
    X, y = rows
    made, build = [], ManhattanDistances.__init__
    monkeypatch.setattr(
        ManhattanDistances,
        "__init__",
        lambda self, X: (made.append(X.shape), build(self, X))[1],
    )
    model = ours(KernelSVC, tol=1e-5)
    grid = {"Cs": [0.1, 10.0], "gammas": [0.03, 0.3, 3.0]}
    points = list(model.path(X[::2], y[::2], **grid, X_val=X[1::2], y_val=y[1::2]))
    assert len(made) == 1
    assert len(points) == 6
    for point in points:
        alone = ours(KernelSVC, tol=1e-5).set_params(C=point.C, gamma=point.gamma)
        score = alone.fit(X[::2], y[::2]).score(X[1::2], y[1::2])
        assert point.converged
        assert point.score == pytest.approx(score, abs=0.01)
        assert abs(point.n_support - len(alone.support_)) <= 2


def test_it_is_bounded_and_refused_like_the_gaussian(rows):
    X, y = rows
    model = ours(DTSVMClassifier, max_leaf_size=100, random_state=0).fit(X, y)
    assert np.isfinite(decomposition_bound(model, X, y).value())
    with pytest.raises(ValueError, match="basis='training'"):
        ours(CPSPClassifier, basis="free").fit(X, y)
