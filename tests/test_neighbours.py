"""Libraries that people use beside ours take our estimators as their own."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV

from treesvm import DTSVMClassifier, DTSVRegressor, KernelSVC, KernelSVR, TreeSVC
from treesvm.baselines import LASVMClassifier
from treesvm.datasets import make_waves


@pytest.fixture(scope="module")
def waves():
    X, y = make_waves(900, 2, frequency=2.0)
    return X.astype(float), y


def missing(package):
    return f"{package} is not installed"


def test_mapie_intervals_hold_what_they_promise(waves):
    regression = pytest.importorskip("mapie.regression", reason=missing("MAPIE"))
    X, _ = waves
    y = np.sin(6 * X[:, 0]) + np.random.default_rng(0).normal(0, 0.1, len(X))
    model = DTSVRegressor(max_leaf_size=200).fit(X[:400], y[:400])
    conformal = regression.SplitConformalRegressor(model, confidence_level=0.9)
    conformal.conformalize(X[400:650], y[400:650])
    _, edges = conformal.predict_interval(X[650:])
    inside = (edges[:, 0, 0] <= y[650:]) & (y[650:] <= edges[:, 1, 0])
    assert 0.82 < inside.mean() < 0.98


def test_mapie_sets_of_classes(waves):
    classification = pytest.importorskip(
        "mapie.classification", reason=missing("MAPIE")
    )
    X, y = waves
    model = DTSVMClassifier(max_leaf_size=200, probability=True, random_state=0)
    model.fit(X[:400], y[:400])
    conformal = classification.SplitConformalClassifier(model, confidence_level=0.9)
    conformal.conformalize(X[400:650], y[400:650])
    _, sets = conformal.predict_set(X[650:])
    assert 0.82 < sets[np.arange(250), y[650:], 0].mean() <= 1.0


def test_skrub_pipelines_take_any_table(waves):
    skrub = pytest.importorskip("skrub", reason=missing("skrub"))
    X, y = waves
    frame = pd.DataFrame(X, columns=["east", "north"])
    frame["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(900), "D")
    frame["kind"] = np.where(y == 0, "red", "blue")
    for model in (DTSVMClassifier(), TreeSVC(time_limit=1, random_state=0)):
        pipeline = skrub.tabular_pipeline(model)
        pipeline.fit(frame[:600], y[:600])
        assert pipeline.score(frame[600:], y[600:]) > 0.8


class Counter:
    """A callback of scikit-learn's protocol that counts tasks."""

    def __init__(self):
        self.begun = self.ended = 0

    def setup(self, *arguments, **options):
        pass

    teardown = setup

    def on_fit_task_begin(self, estimator, context, **options):
        self.begun += 1

    def on_fit_task_end(self, estimator, context, **options):
        self.ended += 1
        return False


def test_callbacks_of_searches_around_our_estimators(waves):
    callback = pytest.importorskip(
        "sklearn.callback", reason="this scikit-learn has no callbacks"
    )
    if not issubclass(GridSearchCV, callback.CallbackSupportMixin):
        pytest.skip("searches of this scikit-learn take no callbacks")
    X, y = waves
    search = GridSearchCV(DTSVMClassifier(max_leaf_size=200), {"C": [1, 10]}, cv=2)
    counter = Counter()
    search.set_callbacks(counter)
    assert search.fit(X, y).best_params_["C"] in (1, 10)
    assert counter.begun == counter.ended >= 4  # two values, two folds


def test_svm_smote_finds_its_border_by_our_machines(waves):
    over_sampling = pytest.importorskip(
        "imblearn.over_sampling", reason=missing("imbalanced-learn")
    )
    X, y = waves
    y = (y == 0).astype(int)
    rows = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:60]]
    X, y = X[rows], y[rows]
    model = DTSVMClassifier(max_leaf_size=150, random_state=0).fit(X, y)
    assert np.array_equal(np.unique(model.support_), np.sort(model.support_))
    assert set(y[model.support_]) == {0, 1}
    sampler = over_sampling.SVMSMOTE(svm_estimator=DTSVMClassifier(), random_state=0)
    X_more, y_more = sampler.fit_resample(X, y)
    assert np.array_equal(X_more[: len(X)], X)
    assert (y_more == 1).sum() == (y == 0).sum()


@pytest.mark.parametrize("model", [KernelSVC(), KernelSVR(), LASVMClassifier()])
def test_fit_status_is_scikit_learns(waves, model):
    X, y = waves
    assert not hasattr(model, "fit_status_")
    assert model.fit(X, y).fit_status_ == 0
    with pytest.warns(Warning, match="not (converge|finish)"):
        model.set_params(max_iter=1, C=1e3).fit(X, y)
    assert model.fit_status_ == 1


def test_online_learning_goes_on(waves):
    X, y = waves
    model = LASVMClassifier(C=10, gamma=10.0, random_state=0)
    scores = []
    for rows in np.array_split(np.arange(600), 6):
        model.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        scores.append(model.score(X[600:], y[600:]))
    assert scores[-1] > max(scores[0], 0.8)
    assert model.support_.max() > 500  # numbers go on counting
