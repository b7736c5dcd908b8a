"""Predictors answer like `predict`, row by row and in batches, also in ties."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel

from treesvm import (
    DTSVMClassifier,
    DTSVMClassifierCV,
    HLSVMClassifier,
    KernelSVC,
    SupportVectorTreeClassifier,
)


def mirrored(rng, n_classes):
    """Symmetric rows, duplicates with other labels, few distinct values: ties."""
    X = rng.integers(-2, 3, (150, 2)).astype(float)
    y = rng.integers(0, n_classes, 150)
    X, y = np.concatenate([X, -X]), np.concatenate([y, (y + 1) % n_classes])
    return np.concatenate([X, X[:40]]), np.concatenate([y, (y[:40] + 1) % n_classes])


def queries(rng, X, n=10_000):
    """Training rows, rows on the grid (between them cuts lie), and any rows."""
    on_grid = rng.integers(-4, 5, (n // 3, X.shape[1])) / 2
    anywhere = rng.normal(size=(n - n // 3 - len(X), X.shape[1]))
    rows = np.concatenate([X, on_grid, anywhere])
    return rows.astype(np.float32).astype(np.float64)  # the same rows in both


def rbf_of_far(A, B):
    return rbf_kernel(A, B, gamma=1e-5)


MODELS = {
    "svc": KernelSVC(gamma=0.7),
    "svc, ties broken": KernelSVC(gamma=0.7, break_ties=True),
    "svc, one against the rest": KernelSVC(gamma=0.7, multi_class="ovr"),
    "svc, linear": KernelSVC(kernel="linear"),
    "dtsvm": DTSVMClassifier(max_leaf_size=60, random_state=0),
    "dtsvm, paper": DTSVMClassifier(max_leaf_size=60, leaf_scaling=None),
    "dtsvm, ovr": DTSVMClassifier(max_leaf_size=60, multi_class="ovr"),
    "dtsvm, votes": DTSVMClassifier(max_leaf_size=60, n_estimators=4, random_state=0),
    "dtsvm, polynomial": DTSVMClassifier(max_leaf_size=60, kernel="poly", coef0=1.0),
    "search": DTSVMClassifierCV([1.0, 10.0], [0.1, 1.0], 60, random_state=0),
    "hlsvm": HLSVMClassifier(random_state=0),
    "hlsvm, committee": HLSVMClassifier(random_state=0, multi_class="ovo"),
    "compressed svc": SupportVectorTreeClassifier(
        KernelSVC(gamma=0.7), 6, split_rows=30, random_state=0
    ),
    "compressed dtsvm": SupportVectorTreeClassifier(
        DTSVMClassifier(max_leaf_size=60), 4, split_rows=30, random_state=0
    ),
    "compressed dtsvm, votes, polynomial": SupportVectorTreeClassifier(
        DTSVMClassifier(
            max_leaf_size=100, kernel="poly", coef0=1.0, n_estimators=2, random_state=0
        ),
        3,
        split_rows=30,
        random_state=0,
    ),
}
FEW = ["svc", "dtsvm", "dtsvm, votes", "hlsvm", "compressed dtsvm"]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("name", MODELS)
def test_equal_to_predict(rng, name, n_classes):
    X, y = mirrored(rng, n_classes)
    labels = np.array(["north", "east", "south", "west"])
    model = MODELS[name].fit(X, labels[y])
    asked = queries(rng, X)
    answer = model.predictor()
    expected, values = model.predict(asked), model.decision_function(asked)
    np.testing.assert_array_equal(answer(asked), expected)
    np.testing.assert_allclose(answer.decision(asked), values, atol=1e-9)
    for i in range(0, len(asked), 5):
        assert answer(asked[i]) == expected[i]
    for i in range(0, len(asked), 97):
        np.testing.assert_allclose(answer.decision(asked[i]), values[i], atol=1e-3)
    single = asked.astype(np.float32)
    np.testing.assert_array_equal(answer(single), expected)
    np.testing.assert_array_equal([answer(x) for x in single[:400]], expected[:400])
    np.testing.assert_array_equal(answer(asked[:1]), expected[:1])


@pytest.mark.parametrize("name", MODELS)
def test_answers_do_not_depend_on_the_batch(rng, name):
    X, y = mirrored(rng, 4)
    model = MODELS[name].fit(X, y)
    asked = queries(rng, X, 2000)
    whole = model.predict(asked)
    parts = [model.predict(part) for part in np.array_split(asked, 37)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    order = rng.permutation(len(asked))
    np.testing.assert_array_equal(model.predict(asked[order]), whole[order])


@pytest.mark.parametrize(
    ("kernel", "gamma", "C"),
    [
        ("rbf", 1e-5, 1.0),
        ("linear", 1.0, 1e-3),
        ("poly", 1e-3, 1e-3),
        ("sigmoid", 1e-6, 1e3),
        (rbf_of_far, 1.0, 1.0),
    ],
)
def test_rows_on_the_boundary_of_machines_with_large_features(rng, kernel, gamma, C):
    X = rng.normal(size=(200, 2)) * 300
    y = (X[:, 0] + X[:, 1] + 100 * rng.normal(size=200) > 0).astype(int)
    model = KernelSVC(C, kernel=kernel, gamma=gamma, coef0=0.1).fit(X, y)
    low, high = rng.normal(size=(2, 200, 2)) * 300
    sign = np.sign(model.decision_function(low))
    other = sign != np.sign(model.decision_function(high))
    low, high, sign = low[other], high[other], sign[other]
    for _ in range(50):  # bisect towards the boundary
        middle = (low + high) / 2
        same = np.sign(model.decision_function(middle)) == sign
        low = np.where(same[:, None], middle, low)
        high = np.where(same[:, None], high, middle)
    asked = np.concatenate([low, high, rng.normal(size=(400, 2)) * 300])
    assert len(low) > 50
    answer = model.predictor()
    np.testing.assert_array_equal([answer(x) for x in asked], model.predict(asked))


@pytest.mark.parametrize("name", ["svc", "dtsvm", "dtsvm, votes"])
def test_models_of_sparse_rows_answer_dense_ones(rng, name):
    X, y = mirrored(rng, 3)
    model = MODELS[name].fit(sparse.csr_array(X), y)
    answer, expected = model.predictor(), model.predict(sparse.csr_array(X))
    np.testing.assert_array_equal(answer(X), expected)
    assert [answer(x) for x in X[:100]] == expected[:100].tolist()


@pytest.mark.parametrize("name", FEW)
def test_threads_may_share_a_predictor_and_it_may_be_sent_away(name):
    X, y = make_moons(600, noise=0.2, random_state=0)
    model = MODELS[name].fit(X, y)
    answer, expected = pickle.loads(pickle.dumps(model.predictor())), model.predict(X)
    with ThreadPoolExecutor(8) as pool:
        rounds = list(pool.map(lambda _: [answer(x) for x in X], range(8)))
    np.testing.assert_array_equal(rounds, np.tile(expected, (8, 1)))


@pytest.mark.parametrize("name", FEW)
def test_a_row_may_be_a_list(name):
    X, y = make_moons(300, noise=0.2, random_state=0)
    model = MODELS[name].fit(X, y)
    assert model.predictor()(X[0].tolist()) == model.predict(X[:1])[0]
    assert model.predictor()(X[:2].tolist()).shape == (2,)
    for wrong in ([0.0, 1.0, 2.0], np.zeros(3), np.zeros((2, 3))):
        with pytest.raises(ValueError, match="3 features"):
            model.predictor()(wrong)
        with pytest.raises(ValueError, match="3 features"):
            model.predictor().decision(wrong)
