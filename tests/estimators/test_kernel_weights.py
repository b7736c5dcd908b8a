"""Feature weights and γ in units of the median distance in `KernelSVC`, `KernelSVR`."""

import numpy as np
import pytest
from scipy import sparse

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
from treesvm.baselines import CPSPClassifier
from treesvm.candidates import RandomRows

KERNELS = ["rbf", "laplacian"]
GIVEN = [0.0, 1.0, 4.0, 0.25]


@pytest.fixture
def rows(rng):
    X = rng.random((240, 4))
    return X, (X[:, 1] + X[:, 2] ** 2 > 0.8).astype(int)


def fitted(cls, rows, **options):
    X, y = rows
    return cls(5.0, gamma="median", **({"gamma_scale": 1.0} | options)).fit(X, y)


@pytest.mark.parametrize("cls", [KernelSVC, KernelSVR])
@pytest.mark.parametrize("kernel", KERNELS)
def test_given_weights_are_those_of_multiplied_columns(cls, kernel, rows):
    X, y = rows
    power = 2.0 if kernel == "rbf" else 1.0
    seen = X * np.array(GIVEN) ** (1.0 / power)
    model = fitted(cls, rows, kernel=kernel, feature_weights=GIVEN, gamma_scale=2.0)
    plain = fitted(cls, (seen, y), kernel=kernel, gamma_scale=2.0)
    assert np.allclose(model.predict(X), plain.predict(seen), atol=1e-2)
    assert np.allclose(model.feature_weights_, GIVEN)
    assert np.array_equal(plain.feature_weights_, np.ones(4))


@pytest.mark.parametrize("cls", [KernelSVC, KernelSVR])
@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_of_one_are_no_weights(cls, kernel, rows):
    X, _ = rows
    ones = fitted(cls, rows, kernel=kernel, feature_weights=np.ones(4))
    plain = fitted(cls, rows, kernel=kernel)
    assert np.allclose(ones.predict(X), plain.predict(X), atol=1e-2)


@pytest.mark.parametrize("kernel", KERNELS)
def test_learned_weights_are_those_of_a_part_without_scaling(kernel, rows):
    X, y = rows
    same = {"kernel": kernel, "feature_weights": "learned"}
    alone = {"partition": "whole", "leaf_scaling": None}
    model = fitted(KernelSVC, rows, **same)
    part = fitted(DTSVMClassifier, rows, **same, **alone)
    values = part.decision_function(X)
    assert np.allclose(model.decision_function(X), values, atol=1e-6)
    assert model.feature_weights_[[1, 2]].min() > model.feature_weights_[[0, 3]].max()
    model = fitted(KernelSVR, (X, y), epsilon=0.1, **same)
    part = fitted(
        DTSVRegressor, (X, y), epsilon=0.1, scale_target=False, **same, **alone
    )
    assert np.allclose(model.predict(X), part.predict(X), atol=1e-6)


@pytest.mark.parametrize("weights", ["learned", GIVEN])
@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_are_in_files_predictors_and_sparse_rows(
    kernel, weights, rows, tmp_path
):
    X, y = rows
    model = fitted(KernelSVC, rows, kernel=kernel, feature_weights=weights)
    predictor = model.predictor()
    assert np.array_equal(predictor(X), model.predict(X))
    assert [predictor(x) for x in X[:20]] == model.predict(X[:20]).tolist()
    thin = fitted(
        KernelSVC, (sparse.csr_matrix(X), y), kernel=kernel, feature_weights=weights
    )
    values = thin.decision_function(sparse.csr_matrix(X))
    assert np.allclose(values, model.decision_function(X), atol=2e-2)
    numbers = fitted(KernelSVR, rows, kernel=kernel, feature_weights=weights)
    for kept in (model, numbers):
        save_model(kept, tmp_path / "model")
        again = load_model(tmp_path / "model")
        assert np.array_equal(again.predict(X), kept.predict(X))
        assert np.array_equal(again.feature_weights_, kept.feature_weights_)


@pytest.mark.parametrize("cls", [KernelSVC, KernelSVR])
@pytest.mark.parametrize(
    ("kernel", "name"), [("precomputed", "precomputed"), (np.inner, "callable")]
)
def test_kernels_without_features_are_refused_by_name(cls, kernel, name, rows):
    X, y = rows
    with pytest.raises(ValueError, match=f"feature_weights.*{name}"):
        cls(kernel=kernel, feature_weights="learned").fit(X @ X.T, y)
    with pytest.raises(ValueError, match=f"gamma_scale=2.0.*{name}"):
        cls(kernel=kernel, gamma_scale=2.0).fit(X @ X.T, y)


def test_a_path_takes_given_weights_and_refuses_learned_ones(rows):
    X, y = rows
    model = KernelSVC(feature_weights=GIVEN, gamma_scale=2.0)
    record = model.path(X[::2], y[::2], [5.0], ["median"], X[1::2], y[1::2])[0]
    same = KernelSVC(5.0, gamma="median", gamma_scale=2.0, feature_weights=GIVEN)
    assert record.score == same.fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    with pytest.raises(ValueError, match="feature_weights='learned' changes"):
        KernelSVC(feature_weights="learned").path(X, y, [1.0], [1.0])


@pytest.mark.parametrize("weights", [None, "learned"])
def test_laplacian_machines_wherever_a_kernel_is_named(weights, rows):
    X, y = rows
    inner = fitted(KernelSVC, rows, kernel="laplacian", feature_weights=weights)
    wanted = inner.predict(X)
    for model in (
        SupportVectorTreeClassifier(clone_of(inner), random_state=0),
        CandidateSVC(RandomRows(0.9), clone_of(inner), random_state=0),
    ):
        assert np.mean(model.fit(X, y).predict(X) == wanted) > 0.9
    small = compress(inner, X, y, tolerance=0.05, random_state=0)
    assert np.mean(small.predict(X) == wanted) > 0.9
    if weights is None:
        spanned = CPSPClassifier(60, C=5.0, kernel="laplacian", random_state=0)
        assert np.mean(spanned.fit(X, y).predict(X) == wanted) > 0.9


def clone_of(model):
    return type(model)(**model.get_params())
