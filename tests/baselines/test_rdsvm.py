"""RDSVM: random parts, the paper's search, answers by a hash of the row."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs, make_moons
from sklearn.model_selection import PredefinedSplit
from sklearn.svm import SVC

from tests import naive_decomposition
from treesvm.baselines import RDSVMClassifier
from treesvm.partitions.random_parts import random_partition


def moons(n=600, noise=0.25):
    return make_moons(n, noise=noise, random_state=0)


def last_rows_validate(n, n_val):
    return PredefinedSplit(np.where(np.arange(n) < n - n_val, -1, 0))


@pytest.mark.parametrize("seed", range(3))
def test_search_equals_a_plain_double_loop(seed):
    X, y = moons(360)
    Cs, gammas = [0.1, 1.0, 10.0], [0.1, 1.0, 10.0]
    rules = {"top_k": 3, "growth": 2, "min_gain": 0.004}
    model = RDSVMClassifier(
        Cs, gammas, 60, cv=last_rows_validate(360, 120), random_state=seed, **rules
    ).fit(X, y)
    train, val = np.arange(240), np.arange(240, 360)
    dealt = np.random.RandomState(seed).randint(np.iinfo(np.int32).max)

    def parts_at(size):
        partition = random_partition(240, size, int(dealt))
        return partition.deal(240), partition.apply(X[val])

    thetas = [(C, gamma) for C in Cs for gamma in gammas]
    found = naive_decomposition.search(parts_at, X, y, train, val, thetas, 60, **rules)
    said = model.C_, model.gamma_, model.max_leaf_size_, model.best_score_
    assert said == pytest.approx(found)


def test_one_part_is_an_svm_on_all_rows():
    X, y = moons(300)
    cv = last_rows_validate(300, 60)
    model = RDSVMClassifier([1.0], [1.0], 5000, cv=cv, random_state=0).fit(X, y)
    machine = SVC(C=1.0, gamma=1.0, tol=1e-5).fit(X[:240], y[:240])
    assert model.n_leaves_ == 1
    np.testing.assert_allclose(
        model.decision_function(X), machine.decision_function(X), atol=5e-3
    )


def test_parts_are_as_many_as_the_ceiling_needs_and_almost_equal():
    X, y = moons(625)
    model = RDSVMClassifier([1.0], [1.0], 60, min_gain=1.0, random_state=0).fit(X, y)
    sizes = [part.n_rows for part in model.decompositions_[0].parts]
    assert len(sizes) == model.n_leaves_ == -(-500 // 60)
    assert sum(sizes) == 500
    assert max(sizes) - min(sizes) <= 1


def test_answers_depend_on_the_row_alone():
    X, y = make_blobs(400, centers=3, cluster_std=3.0, random_state=0)
    model = RDSVMClassifier([1.0], [0.1], 50, min_gain=1.0, random_state=0).fit(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    assert (model.predict(X[order]) == model.predict(X)[order]).all()
    assert (model.predict(sparse.csr_matrix(X)) == model.predict(X)).all()


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_model_does_not_depend_on_threads(multi_class):
    X, y = make_blobs(400, centers=4, cluster_std=3.0, random_state=0)
    scores = [
        RDSVMClassifier(
            [1.0, 10.0], [0.1], 50, multi_class=multi_class, n_jobs=n, random_state=0
        )
        .fit(X, y)
        .decision_function(X)
        for n in (1, 2)
    ]
    assert (scores[0] == scores[1]).all()


def test_several_folds_train_on_all_rows():
    X, y = moons(300)
    model = RDSVMClassifier([1.0], [1.0], 100, cv=3, random_state=0).fit(X, y)
    assert sum(part.n_rows for part in model.decompositions_[0].parts) == 300


def test_search_results_are_a_table():
    X, y = moons(300)
    model = RDSVMClassifier([1.0, 10.0], [0.1, 1.0], 100, random_state=0).fit(X, y)
    lengths = {len(column) for column in model.search_results_.values()}
    assert len(lengths) == 1
    assert model.n_leaf_fits_ >= 4 * 3
    assert min(model.seconds_per_ceiling_) == 100


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Cs": []}, r"Cs=\[\]"),
        ({"gammas": [-1.0]}, r"gammas=\[-1.0\]"),
        ({"growth": 1}, "growth=1"),
        ({"min_gain": -0.1}, "min_gain=-0.1"),
        ({"max_leaf_size": 1}, "max_leaf_size=1"),
    ],
)
def test_errors_name_the_value(parameters, message):
    X, y = moons(50)
    with pytest.raises(ValueError, match=message):
        RDSVMClassifier(**parameters).fit(X, y)
