"""A kernel that the library does not know: one class and one row of the table.

The Cauchy kernel 1 / (1 + gamma |a - b|^2) goes through machines, parts, path,
compression and model files, and answers as the same function given as a callable.
"""

import ast
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_classification

import treesvm
from treesvm import (
    CandidateSVC,
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
from treesvm.kernels.distances import SquaredDistances
from treesvm.kernels.families import DistanceKernel
from treesvm.kernels.kernel import KERNELS

GAMMA = 0.7


@dataclass(frozen=True)
class Cauchy(DistanceKernel):
    """1 / (1 + gamma |a - b|^2)."""

    name = "cauchy"
    distances = SquaredDistances

    def values(self, distances):
        distances *= distances.dtype.type(self.gamma)
        distances += 1
        return np.reciprocal(distances, out=distances)

    def minus_one(self, distances, out):
        scaled = distances * distances.dtype.type(self.gamma)
        return np.divide(-scaled, 1 + scaled, out=out)


def cauchy(A, B):
    return 1 / (1 + GAMMA * cdist(A, B, "sqeuclidean"))


@pytest.fixture(autouse=True)
def _known(monkeypatch):
    monkeypatch.setitem(KERNELS, "cauchy", Cauchy)


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(
        300, 4, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1,
        random_state=0,
    )  # fmt: skip
    return X, y


def toy(model, **parameters):
    return model(kernel="cauchy", gamma=GAMMA, **parameters)


CLASSIFIERS = [
    (KernelSVC, {"tol": 1e-6}),
    (KernelSVC, {"tol": 1e-6, "multi_class": "ovr", "cache_size": 0.1}),
    (DTSVMClassifier, {"max_leaf_size": 100, "tol": 1e-6, "random_state": 0}),
    (LASVMClassifier, {"random_state": 0, "epochs": 20, "tol": 1e-5}),
    (CPSPClassifier, {"budget": 20, "random_state": 0}),
]


@pytest.mark.parametrize(("model", "parameters"), CLASSIFIERS)
def test_a_classifier_answers_as_with_the_callable(rows, model, parameters):
    X, y = rows
    ours = toy(model, **parameters).fit(X, y)
    other = model(kernel=cauchy, **parameters).fit(X, y)
    values = other.decision_function(X)
    np.testing.assert_allclose(ours.decision_function(X), values, atol=2e-2)
    assert np.mean(ours.predict(X) == other.predict(X)) > 0.99


@pytest.mark.parametrize(
    ("model", "parameters"),
    [(KernelSVR, {}), (DTSVRegressor, {"max_leaf_size": 100, "random_state": 0})],
)
def test_a_regressor_answers_as_with_the_callable(rows, model, parameters):
    X, _ = rows
    z = np.sin(X[:, 0]) + X[:, 1]
    ours = toy(model, tol=1e-6, **parameters).fit(X, z).predict(X)
    other = model(kernel=cauchy, tol=1e-6, **parameters).fit(X, z).predict(X)
    np.testing.assert_allclose(ours, other, atol=1e-3)


def test_sparse_rows_and_single_rows_are_answered_alike(rows):
    X, y = rows
    model = toy(KernelSVC).fit(X, y)
    again = toy(KernelSVC).fit(sparse.csr_matrix(X), y)
    found = again.decision_function(sparse.csr_matrix(X))
    np.testing.assert_allclose(found, model.decision_function(X), atol=1e-2)
    predict = model.predictor()
    assert [predict(row) for row in X[:50]] == list(model.predict(X[:50]))


def test_a_path_s_points_are_fits_by_themselves(rows):
    X, y = rows
    model = toy(KernelSVC, tol=1e-5)
    grid = {"Cs": [0.1, 10.0], "gammas": [0.1, GAMMA]}
    for point in model.path(X[::2], y[::2], **grid, X_val=X[1::2], y_val=y[1::2]):
        alone = toy(KernelSVC, tol=1e-5).set_params(C=point.C, gamma=point.gamma)
        score = alone.fit(X[::2], y[::2]).score(X[1::2], y[1::2])
        assert point.converged
        assert point.score == pytest.approx(score, abs=0.01)


def test_distances_serve_all_gammas_of_a_path(rows, monkeypatch):
    X, y = rows
    made = []
    build = SquaredDistances.__init__

    def count(self, X):
        made.append(X.shape)
        build(self, X)

    monkeypatch.setattr(SquaredDistances, "__init__", count)
    toy(KernelSVC).path(X, y, [1.0], [0.1, 1.0, 10.0])
    assert len(made) == 1


def test_machines_become_smaller_and_models_come_back(rows, tmp_path):
    X, y = rows
    models = [
        toy(KernelSVC).fit(X, y),
        toy(DTSVMClassifier, max_leaf_size=100, random_state=0).fit(X, y),
        toy(CPSPClassifier, budget=20, random_state=0).fit(X, y),
    ]
    models += [compress(model, X, y, random_state=0) for model in models[:2]]
    models.append(SupportVectorTreeClassifier(models[0], random_state=0).fit(X))
    for k, model in enumerate(models):
        assert np.mean(model.predict(X) == models[0].predict(X)) > 0.85
        save_model(model, tmp_path / f"{k}.model")
        again = load_model(tmp_path / f"{k}.model")
        values = model.decision_function(X)
        np.testing.assert_allclose(again.decision_function(X), values, atol=1e-12)
    assert models[3].n_vectors_ < models[0].support_vectors_.shape[0]


def test_a_file_with_a_kernel_that_is_unknown_is_refused(rows, tmp_path, monkeypatch):
    X, y = rows
    save_model(toy(KernelSVC).fit(X, y), tmp_path / "a.model")
    monkeypatch.delitem(KERNELS, "cauchy")
    with pytest.raises(ValueError, match="'cauchy' is unknown"):
        load_model(tmp_path / "a.model")


@pytest.mark.parametrize(
    "model",
    [
        KernelSVC,
        KernelSVR,
        DTSVMClassifier,
        DTSVRegressor,
        LASVMClassifier,
        CPSPClassifier,
        lambda kernel: CandidateSVC(estimator=KernelSVC(kernel=kernel)),
        lambda kernel: SupportVectorTreeClassifier(KernelSVC(kernel=kernel)),
    ],
)
@pytest.mark.parametrize("kernel", ["cauchi", "RBF", "callable", 3])
def test_an_unknown_name_is_an_error_everywhere(rows, model, kernel):
    with pytest.raises(ValueError, match=f"kernel={kernel!r} is unknown"):
        model(kernel=kernel).fit(*rows)


def named_kernels(source):
    """Comparisons with a kernel's name, or of its name, in a source file."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            text = ast.unparse(node)
            names = [repr(name) for name in (*KERNELS, "callable")]
            if "kernel.name" in text or any(name in text for name in names):
                found.append(text)
    return found


def test_only_this_room_and_readers_of_parameters_compare_names_of_kernels():
    package = Path(treesvm.__file__).parent
    allowed = {"kernels", "inputs", "estimators", "baselines"}
    found = {
        str(path): named_kernels(path.read_text(encoding="utf8"))
        for path in package.rglob("*.py")
        if path.relative_to(package).parts[0] not in allowed
    }
    assert {path: names for path, names in found.items() if names} == {}
    assert named_kernels("if machine.kernel.name != 'rbf': pass") != []
