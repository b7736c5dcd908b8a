"""SVMMajClassifier: answers, λ by folds, forms of input, what is refused."""

import pickle

import naive_majorization as naive
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import PredefinedSplit
from sklearn.svm import LinearSVC

from treesvm import SVMMajClassifier, load_model, save_model


def rows(n_classes=2, n_rows=300):
    X, y = make_classification(
        n_rows,
        n_features=8,
        n_informative=5,
        n_classes=n_classes,
        flip_y=0.1,
        random_state=0,
    )
    return X, np.array(["ant", "bee", "cat", "dog"])[y]


def test_quadratic_hinge_is_the_primal_of_linear_svc():
    X, y = rows()
    ours = SVMMajClassifier(alpha=2.0).fit(X, y)
    # A large intercept scaling makes liblinear's penalty on the intercept vanish.
    theirs = LinearSVC(C=0.25, dual=False, intercept_scaling=100.0, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-2, atol=1e-3)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.gap_.max() < 1e-6


@pytest.mark.parametrize("hinge", ["quadratic", "absolute", "huber"])
@pytest.mark.parametrize("alpha", [0.5, "cv"])
def test_many_classes_are_one_machine_each(hinge, alpha):
    X, y = rows(n_classes=4)
    model = SVMMajClassifier(hinge, alpha=alpha, cv=3, random_state=0).fit(X, y)
    assert model.coef_.shape == (4, 8)
    scores = model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X), model.classes_[scores.argmax(1)])
    assert model.score(X, y) > 0.4
    labels = np.where(y == "bee", 1.0, -1.0)
    single = SVMMajClassifier(hinge, alpha=model.alpha_).fit(X, labels)
    np.testing.assert_allclose(model.coef_[1], single.coef_[0], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("hinge", ["quadratic", "absolute", "huber"])
def test_plain_steps_are_those_of_the_thesis(hinge):
    X, y = rows()
    labels = np.where(y == "bee", 1.0, -1.0)
    w, c = np.zeros(8), 0.0
    for _ in range(4):
        w, c = naive.majorization_step(X, labels, np.ones(300), 0.5, hinge, w, c)
    options = {"alpha": 0.5, "steps": "plain", "tol": 1e-12}
    with pytest.warns(ConvergenceWarning, match="max_iter=4"):
        model = SVMMajClassifier(hinge, max_iter=4, **options).fit(X, y)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-6)
    assert model.intercept_[0] == pytest.approx(c, rel=1e-6)
    assert model.n_iter_ == 4


def test_plain_steps_reach_the_same_machine_in_more_steps(tmp_path):
    X, y = rows()
    fitted = {
        steps: SVMMajClassifier(alpha="cv", cv=3, steps=steps, random_state=0).fit(X, y)
        for steps in ("plain", "doubled", "conjugate")
    }
    usual, plain = fitted["conjugate"], fitted["plain"]
    assert SVMMajClassifier().steps == "conjugate"
    assert plain.n_iter_ > usual.n_iter_
    for model in fitted.values():
        assert model.alpha_ == usual.alpha_
        np.testing.assert_allclose(model.coef_, usual.coef_, rtol=1e-2, atol=1e-3)
    save_model(plain, tmp_path / "model")
    assert load_model(tmp_path / "model").steps == "plain"
    with pytest.raises(ValueError, match="steps='long'"):
        SVMMajClassifier(steps="long").fit(X, y)


def test_folds_are_numbers_splitters_or_lists():
    X, y = rows()
    fold = np.arange(300) % 3
    by_splitter = SVMMajClassifier(alpha="cv", cv=PredefinedSplit(fold)).fit(X, y)
    pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    by_list = SVMMajClassifier(alpha="cv", cv=pairs).fit(X, y)
    assert by_splitter.alpha_ == by_list.alpha_
    labels = np.where(y == by_list.classes_[1], 1, -1)

    def fit(A, b, alpha):
        model = SVMMajClassifier(alpha=alpha).fit(A, b)
        return model.coef_[0], model.intercept_[0]

    grid = by_list.cv_results_["alpha"]
    assert len(grid) == 47
    assert by_list.alpha_ == naive.choose_penalty(fit, X, labels, pairs, grid)
    best = by_list.cv_results_["mean_test_score"].max()
    assert by_list.cv_results_["mean_test_score"][grid == by_list.alpha_] == best


def test_model_does_not_depend_on_n_jobs():
    X, y = rows()
    models = [
        SVMMajClassifier(alpha="cv", n_jobs=n, random_state=3).fit(X, y) for n in (1, 2)
    ]
    assert models[0].alpha_ == models[1].alpha_
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)


def test_forms_of_input_agree():
    X, y = rows()
    model = SVMMajClassifier().fit(X, y)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(8)])
    from_frame = SVMMajClassifier().fit(frame, y)
    assert from_frame.feature_names_in_.tolist() == list(frame.columns)
    np.testing.assert_array_equal(from_frame.predict(frame), model.predict(X))
    thin = SVMMajClassifier().fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.coef_, model.coef_, rtol=1e-4, atol=1e-6)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))


def test_weights_of_rows_and_classes_multiply():
    X, y = rows()
    weight = np.where(y == "bee", 3.0, 1.0)
    by_rows = SVMMajClassifier().fit(X, y, sample_weight=weight)
    by_class = SVMMajClassifier(class_weight={"bee": 3.0}).fit(X, y)
    np.testing.assert_allclose(by_rows.coef_, by_class.coef_, rtol=1e-10)
    weight[:50] = 0.0
    dropped = SVMMajClassifier().fit(X[50:], y[50:], sample_weight=weight[50:])
    zero = SVMMajClassifier().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(zero.coef_, dropped.coef_, rtol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_probabilities_agree_with_predict(n_classes):
    X, y = rows(n_classes)
    model = SVMMajClassifier(probability=True, random_state=0).fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        model.classes_[shares.argmax(axis=1)], model.predict(X)
    )
    assert not hasattr(SVMMajClassifier(), "predict_proba")


def test_unfinished_solve_warns():
    X, y = rows()
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        SVMMajClassifier("absolute", alpha=1e-3, max_iter=2).fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hinge", "cubic"),
        ("huber_k", -1.0),
        ("alpha", 0.0),
        ("alpha", "best"),
        ("fit_intercept", 2),
        ("tol", 0),
        ("max_iter", 0.5),
    ],
)
def test_wrong_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        SVMMajClassifier(**{name: value}).fit(*rows())


def test_one_class_is_refused():
    X, _ = rows()
    with pytest.raises(ValueError, match="one class"):
        SVMMajClassifier().fit(X, np.zeros(300))


def test_probabilities_of_a_class_with_one_row():
    X, y = rows(3, 60)
    alone = np.flatnonzero(y == "cat")[0]
    kept = np.flatnonzero((y != "cat") | (np.arange(len(y)) == alone))
    model = SVMMajClassifier(probability=True, random_state=0).fit(X[kept], y[kept])
    said = model.predict_proba(X)
    assert np.array_equal(model.classes_[said.argmax(axis=1)], model.predict(X))
