"""KernelSVC against scikit-learn's SVC, its limits and its promises."""

import pickle

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    make_classification,
    make_moons,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC

from treesvm import KernelSVC
from treesvm.machines import training

TIGHT = {"tol": 1e-6}


def iris():
    X, y = load_iris(return_X_y=True)
    return minmax_scale(X), np.array(["setosa", "versicolor", "virginica"])[y]


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return minmax_scale(X)[:300], y[:300]


def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400] / 16.0, y[:400]


def noisy():
    X, y = make_classification(200, 6, n_classes=2, flip_y=0.2, random_state=1)
    return X, np.where(y, 5.0, -3.0)


SETS = {f.__name__: f for f in (iris, cancer, digits, noisy)}


def assert_same_machine(ours, theirs, X):
    """Fitted attributes, shapes, signs and answers."""
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    assert ours.support_vectors_.shape == theirs.support_vectors_.shape
    size = np.abs(theirs.dual_coef_).max()
    np.testing.assert_allclose(
        _dense(ours.dual_coef_), _dense(theirs.dual_coef_), atol=1e-3 * size
    )
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    for shape in ("ovr", "ovo"):
        ours.decision_function_shape = theirs.decision_function_shape = shape
        np.testing.assert_allclose(
            ours.decision_function(X), theirs.decision_function(X), atol=1e-4
        )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def _dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_same_machine_as_svc(name, C):
    X, y = SETS[name]()
    ours = KernelSVC(C, gamma=0.5, **TIGHT).fit(X, y)
    assert_same_machine(ours, SVC(C=C, gamma=0.5, **TIGHT).fit(X, y), X)
    assert ours.converged_.all()
    assert ours.gap_.max() <= 1e-6
    assert ours.n_iter_.shape == ours.intercept_.shape


@pytest.mark.parametrize(
    "kernel",
    [
        {"kernel": "linear"},
        {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": "auto"},
        {"kernel": "sigmoid", "gamma": 0.05},
        {"kernel": laplacian_kernel},
        {"gamma": "scale"},
    ],
    ids=lambda options: getattr(options.get("kernel"), "__name__", str(options)),
)
@pytest.mark.parametrize("data", [iris, noisy])
def test_same_machine_for_every_kernel(data, kernel):
    X, y = data()
    ours = KernelSVC(**kernel, **TIGHT).fit(X, y)
    theirs = SVC(**kernel, **TIGHT).fit(X, y)
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), atol=1e-3
    )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("data", [iris, noisy])
def test_precomputed_kernel_is_the_kernel_itself(data):
    X, y = data()
    K = rbf_kernel(X, gamma=0.5)
    weight = np.ones(len(y))
    weight[::7] = 0.0
    ours = KernelSVC(kernel="precomputed", **TIGHT).fit(K, y, weight)
    rows = KernelSVC(gamma=0.5, **TIGHT).fit(X, y, weight)
    np.testing.assert_array_equal(ours.support_, rows.support_)
    np.testing.assert_allclose(
        ours.decision_function(K[:50]), rows.decision_function(X[:50]), atol=1e-4
    )
    np.testing.assert_array_equal(ours.predictor()(K), ours.predict(K))
    assert ours.support_vectors_.shape == (len(ours.support_), 0)
    assert cross_val_score(ours, K, y).mean() > 0.6  # sliced in both directions


def test_weights_of_rows_and_classes_are_those_of_svc(rng):
    X, y = iris()
    weight = rng.uniform(0.1, 3.0, len(y))
    options = {"gamma": 1.0, "class_weight": {"setosa": 0.5, "virginica": 3.0}, **TIGHT}
    ours = KernelSVC(**options).fit(X, y, weight)
    assert_same_machine(ours, SVC(**options).fit(X, y, weight), X)
    options["class_weight"] = "balanced"
    ours, theirs = KernelSVC(**options).fit(X, y), SVC(**options).fit(X, y)
    assert_same_machine(ours, theirs, X)


def test_rows_of_weight_zero_are_left_out(rng):
    X, y = iris()
    weight = (rng.random(len(y)) > 0.3).astype(float)
    kept = np.flatnonzero(weight)
    some, none = KernelSVC(gamma=1.0), KernelSVC(gamma=1.0)
    some.fit(X[kept], y[kept])
    none.fit(X, y, weight)
    np.testing.assert_array_equal(none.support_, kept[some.support_])
    np.testing.assert_array_equal(none.support_vectors_, X[none.support_])
    np.testing.assert_array_equal(none.decision_function(X), some.decision_function(X))


@pytest.mark.parametrize("data", [iris, noisy])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_sparse_rows_are_dense_rows(data, kernel):
    X, y = data()
    X = np.where(np.abs(X) < 0.3, 0.0, X)
    ours = KernelSVC(kernel=kernel, gamma=0.5, **TIGHT)
    dense, thin = clone(ours).fit(X, y), ours.fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(
        thin.decision_function(sparse.csr_array(X)),
        dense.decision_function(X),
        atol=1e-4,
    )
    assert sparse.issparse(thin.support_vectors_)
    assert sparse.issparse(thin.dual_coef_)
    np.testing.assert_array_equal(thin.predict(X), dense.predict(X))
    np.testing.assert_array_equal(thin.predictor()(X), dense.predict(X))


def test_one_against_the_rest_is_one_svc_for_each_class():
    X, y = iris()
    model = KernelSVC(multi_class="ovr", gamma=1.0, **TIGHT).fit(X, y)
    values = model.decision_function(X)
    for k, label in enumerate(model.classes_):
        alone = SVC(gamma=1.0, **TIGHT).fit(X, y == label)
        np.testing.assert_allclose(values[:, k], alone.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(model.predict(X), model.classes_[values.argmax(1)])
    assert model.dual_coef_.shape == (3, len(model.support_))


def tied_triangle():
    """Three symmetric classes: their centre and its neighbours get equal votes."""
    angle = np.pi / 2 + 2 * np.pi * np.arange(3) / 3
    return np.column_stack([np.cos(angle), np.sin(angle)]), np.arange(3)


def test_ties_between_votes():
    X, y = tied_triangle()
    queries = 0.05 * X @ np.array([[0.0, 1.0], [-1.0, 0.0]])  # a cycle of votes
    for break_ties in (False, True):
        ours = KernelSVC(gamma=1.0, break_ties=break_ties, **TIGHT).fit(X, y)
        theirs = SVC(gamma=1.0, break_ties=break_ties, **TIGHT).fit(X, y)
        np.testing.assert_array_equal(ours.predict(queries), theirs.predict(queries))
        np.testing.assert_array_equal(ours.predict(X), y)


@pytest.mark.parametrize("max_iter", [1, 20])
def test_a_capped_fit_says_so(max_iter):
    X, y = noisy()
    with pytest.warns(ConvergenceWarning, match=f"max_iter={max_iter}"):
        model = KernelSVC(1e4, gamma=0.1, max_iter=max_iter).fit(X, y)
    assert not model.converged_.any()
    assert (model.n_iter_ <= max_iter).all()
    assert model.gap_.min() > 1e-4


@pytest.mark.parametrize("data", [digits, noisy])
def test_working_sets_give_the_same_answers(monkeypatch, data):
    X, y = data()
    ample = KernelSVC(gamma=0.5, tol=1e-5).fit(X, y)
    calls, solve = [], training.solve_blocked
    monkeypatch.setattr(
        training, "solve_blocked", lambda *a, **k: calls.append(1) or solve(*a, **k)
    )
    tight = KernelSVC(gamma=0.5, tol=1e-5, cache_size=0.01).fit(X, y)
    assert len(calls) == len(tight.intercept_)
    assert tight.converged_.all()
    np.testing.assert_allclose(
        tight.decision_function(X), ample.decision_function(X), atol=1e-3
    )
    np.testing.assert_array_equal(tight.predict(X), ample.predict(X))


@pytest.mark.parametrize("cache_size", [0.01, 500])
def test_model_does_not_depend_on_threads(cache_size):
    X, y = iris()
    model = KernelSVC(gamma=0.5, cache_size=cache_size)
    one, two = (clone(model).set_params(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_path_is_the_grid_of_separate_fits(kernel, multi_class):
    X, y = iris()
    Cs, gammas = [10.0, 0.1, 1000.0], [0.1, 2.0]
    model = KernelSVC(kernel=kernel, multi_class=multi_class, break_ties=True, tol=1e-5)
    records = model.path(X[::2], y[::2], Cs, gammas, X[1::2], y[1::2])
    assert not hasattr(model, "classes_")
    assert [(r.gamma, r.C) for r in records] == [
        (gamma, C) for gamma in gammas for C in sorted(Cs)
    ]
    for r in records:
        alone = clone(model).set_params(C=r.C, gamma=r.gamma).fit(X[::2], y[::2])
        assert r.score == alone.score(X[1::2], y[1::2])
        assert r.n_support == pytest.approx(len(alone.support_), abs=1)
        assert r.converged == alone.converged_.all()
        assert 0.0 <= r.gap <= 1e-5


def test_path_of_a_precomputed_kernel_with_rows_left_out():
    X, y = iris()
    weight = np.ones(len(y))
    weight[::3] = 0.0
    K = rbf_kernel(X, gamma=0.5)
    model = KernelSVC(kernel="precomputed", break_ties=True)
    (record,) = model.path(K, y, [5.0], [1.0], K, y, sample_weight=weight)
    assert record.score == model.set_params(C=5.0).fit(K, y, weight).score(K, y)
    with pytest.raises(ValueError, match="y_val"):
        model.path(K, y, [5.0], [1.0], X_val=K)


def test_a_capped_path_is_honest():
    X, y = noisy()
    model = KernelSVC(max_iter=50)
    records = model.path(X, y, [0.01, 1e4], [0.1])
    assert [np.isnan(r.score) for r in records] == [True, True]
    assert [r.converged for r in records] == [r.gap <= 1e-3 for r in records]
    assert not records[-1].converged
    assert all(r.n_iter <= 50 for r in records)


def test_a_path_says_when_its_kernel_values_do_not_fit():
    X, y = iris()
    with pytest.raises(ValueError, match="cache_size"):
        KernelSVC(cache_size=0.1).path(X, y, [1.0], [1.0])


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_most_probable_class_is_the_predicted_one(name, multi_class):
    X, y = SETS[name]()
    model = KernelSVC(
        gamma=0.5, multi_class=multi_class, probability=True, random_state=0
    ).fit(X, y)
    P = model.predict_proba(X)
    assert P.shape == (len(X), len(model.classes_))
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))
    log_loss = -np.log(P[np.arange(len(y)), np.searchsorted(model.classes_, y)]).mean()
    assert log_loss < 0.9 * np.log(len(model.classes_))


def test_most_probable_class_in_ties():
    X, y = tied_triangle()
    X, y = np.repeat(X, 4, axis=0), np.repeat(y, 4)
    X = np.concatenate([X, np.zeros((6, 2))])
    y = np.concatenate([y, [0, 1, 2, 0, 1, 2]])
    queries = np.concatenate([X, 0.05 * X[:, ::-1], np.zeros((3, 2))])
    for break_ties in (False, True):
        model = KernelSVC(gamma=1.0, probability=True, break_ties=break_ties)
        model.set_params(random_state=0).fit(X, y)
        P = model.predict_proba(queries)
        np.testing.assert_array_equal(P.argmax(axis=1), model.predict(queries))


def test_probabilities_are_asked_for_before():
    X, y = iris()
    assert not hasattr(KernelSVC().fit(X, y), "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        KernelSVC().fit(X, y).predict_proba(X)


def test_data_frames_names_and_any_labels():
    pd = pytest.importorskip("pandas")
    X, y = iris()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = KernelSVC(gamma=1.0).fit(frame, pd.Series(y))
    assert list(model.feature_names_in_) == list("abcd")
    np.testing.assert_array_equal(
        model.predict(frame), KernelSVC(gamma=1.0).fit(X, y).predict(X)
    )
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c", "d"]])


def test_weights_can_be_routed():
    X, y = iris()
    weight = np.where(y == "setosa", 1e-3, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = KernelSVC(gamma=1.0).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"C": [1.0]}).fit(X, y, sample_weight=weight)
    alone = KernelSVC(gamma=1.0).fit(X, y, weight)
    np.testing.assert_array_equal(search.best_estimator_.dual_coef_, alone.dual_coef_)


def test_pickled_and_cloned_models():
    X, y = iris()
    model = KernelSVC(3.0, gamma=1.0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.predictor()(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()


def test_nothing_is_kept_but_support_vectors():
    X, y = make_moons(3000, noise=0.1, random_state=0)
    wide = np.hstack([X, np.zeros((3000, 50))])
    model = KernelSVC(10.0, gamma=1.0).fit(wide, y)
    assert len(model.support_) < 300
    assert len(pickle.dumps(model)) < 0.4 * wide.nbytes
    assert len(pickle.dumps(model)) < 3 * model.support_vectors_.nbytes + 20_000


def test_rows_of_float32_are_taken_as_they_are():
    X, y = cancer()
    single = KernelSVC(gamma=0.5).fit(X.astype(np.float32), y)
    double = KernelSVC(gamma=0.5).fit(X, y)
    assert single.support_vectors_.dtype == np.float32
    np.testing.assert_array_equal(single.predict(X), double.predict(X))


def test_a_failed_fit_changes_nothing():
    X, y = iris()
    model = KernelSVC(gamma=1.0)
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, np.zeros(len(y)))
    assert not hasattr(model, "classes_")
    before = model.fit(X, y).decision_function(X)

    def interrupted(A, B):
        raise KeyboardInterrupt

    model.set_params(kernel=interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :2], y == "setosa")
    np.testing.assert_array_equal(model.decision_function(X), before)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_machine_is_the_only_part_of_the_whole_space(rng, n_classes):
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0) * (n_classes - 2)
    model = KernelSVC(break_ties=True)
    assert not hasattr(model, "decompositions_")
    (member,) = model.fit(X, y).decompositions_
    assert member.apply(X, n_jobs=2).tolist() == [0] * 120
    assert member.partition.n_parts == len(member.parts) == 1
    scores = member.scores(X)
    np.testing.assert_array_equal(scores.argmax(axis=1), model.predict(X))
    values = scores[:, 1] if n_classes == 2 else scores
    np.testing.assert_array_equal(values, model.decision_function(X))
