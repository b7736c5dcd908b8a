"""What all selectors promise: shares, classes, types, seeds, clear errors."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from tests import naive_candidates as naive
from treesvm.candidates import CBD, CVS, FLD, TRSD, CleanSpread, RandomRows
from treesvm.candidates.quotas import apportion, best_of_each

SELECTORS = {
    "TRSD": TRSD(random_state=0),
    "TRSD, no random rows": TRSD(random_share=0.0, random_state=0),
    "CVS": CVS(),
    "FLD": FLD(random_state=0),
    "CBD": CBD(n_neighbors=20, random_state=0),
    "CleanSpread": CleanSpread(random_state=0),
    "RandomRows": RandomRows(random_state=0),
    "RandomRows, plain": RandomRows(stratify=False, random_state=0),
}


@pytest.fixture(params=SELECTORS)
def selector(request):
    return clone(SELECTORS[request.param])


@pytest.fixture(scope="module")
def three_classes():
    return make_classification(
        400, 6, n_informative=4, n_classes=3, weights=[0.6, 0.35, 0.05], random_state=0
    )


@pytest.mark.parametrize("share", [0.05, 0.1, 0.33, 0.9])
def test_share_of_different_rows_with_every_class(selector, share, three_classes):
    X, y = three_classes
    selector.set_params(share=share)
    X_kept, y_kept = selector.fit_resample(X, y)
    rows = selector.sample_indices_
    assert abs(len(rows) - round(share * len(y))) <= 2  # at most the missing classes
    assert (np.diff(rows) > 0).all()
    assert set(y_kept) == set(y)
    np.testing.assert_array_equal(X_kept, X[rows])
    np.testing.assert_array_equal(y_kept, y[rows])


def test_all_rows_are_the_same_model(selector, three_classes):
    X, y = three_classes
    X_kept, y_kept = selector.set_params(share=1.0).fit_resample(X, y)
    np.testing.assert_array_equal(selector.sample_indices_, np.arange(len(y)))
    np.testing.assert_array_equal(
        SVC().fit(X_kept, y_kept).dual_coef_, SVC().fit(X, y).dual_coef_
    )


def test_rare_class_is_never_lost(selector, rng):
    X = rng.normal(size=(200, 3))
    y = np.array(["often"] * 198 + ["rare", "rarer"])
    _, kept = selector.set_params(share=0.02).fit_resample(X, y)
    assert set(kept) == {"often", "rare", "rarer"}


def test_frames_come_back_as_frames(selector, three_classes):
    X, y = three_classes
    names = [f"x{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names, index=np.arange(len(y)) + 1000)
    labels = pd.Series(y, index=frame.index, name="label")
    X_kept, y_kept = selector.fit_resample(frame, labels)
    assert list(X_kept.columns) == names
    assert y_kept.name == "label"
    assert (X_kept.index == y_kept.index).all()
    assert list(selector.feature_names_in_) == names
    np.testing.assert_array_equal(X_kept.index - 1000, selector.sample_indices_)


def test_sparse_rows_give_the_same_choice(selector, three_classes):
    X, y = three_classes
    X = np.where(np.abs(X) > 0.8, X.round(2), 0.0)
    dense = selector.fit(X, y).sample_indices_
    again = clone(selector)
    kept, _ = again.fit_resample(sparse.coo_matrix(X), y)
    assert sparse.issparse(kept)
    # Distances of sparse rows are rounded otherwise, so near ties may fall otherwise.
    common = np.intersect1d(dense, again.sample_indices_)
    assert len(common) >= 0.9 * len(dense)


def test_a_seed_repeats_and_another_differs(three_classes):
    X, y = three_classes
    for make in (TRSD, RandomRows, CleanSpread):
        first = make(random_state=3).fit(X, y).sample_indices_
        np.testing.assert_array_equal(
            first, make(random_state=3).fit(X, y).sample_indices_
        )
        assert not np.array_equal(first, make(random_state=4).fit(X, y).sample_indices_)


def test_one_class_is_no_error(selector, rng):
    X = rng.normal(size=(60, 2))
    assert len(selector.fit(X, np.ones(60)).sample_indices_) == 6


def test_identical_rows_are_no_error(selector):
    X, y = np.ones((60, 2)), np.arange(60) % 2
    _, kept = selector.fit_resample(X, y)
    assert set(kept) == {0, 1}


@pytest.mark.parametrize("share", [0.0, -0.1, 1.1, np.nan, "0.1", None, True])
def test_impossible_shares(selector, share, three_classes):
    with pytest.raises(ValueError, match=r"share=.* is not possible; use a number"):
        selector.set_params(share=share).fit(*three_classes)


@pytest.mark.parametrize(
    ("bad", "match"),
    [
        (TRSD(random_share=1.5), "random_share=1.5"),
        (TRSD(pruning="some"), "pruning='some'"),
        (TRSD(pruning=1), "pruning=1"),
        (TRSD(pruning=0.95), "pruning=0.95"),
        (TRSD(tree=3), "DecisionTreeClassifier"),
        (FLD(pruning=0), "pruning=0"),
        (CBD(n_neighbors=0), "n_neighbors=0"),
        (CleanSpread(n_neighbors=1.5), "n_neighbors=1.5"),
        (CleanSpread(floor=0.0), "floor=0.0"),
    ],
)
def test_impossible_parameters_are_named(bad, match, three_classes):
    with pytest.raises(ValueError, match=match):
        bad.fit(*three_classes)


def test_regression_targets_are_refused(selector, rng):
    with pytest.raises(ValueError, match="Unknown label type"):
        selector.fit(rng.normal(size=(30, 2)), rng.normal(size=30))


def test_wide_sparse_rows_say_what_to_do(rng):
    X = sparse.eye(3000, 60_000, format="csr")
    y = rng.integers(0, 2, size=3000)
    with pytest.raises(ValueError, match="TruncatedSVD"):
        TRSD(pruning=0.2, random_state=0).fit(X, y)


def test_imbalanced_learn_pipeline():
    pipeline = pytest.importorskip("imblearn.pipeline")
    X, y = make_classification(300, random_state=0)
    model = pipeline.make_pipeline(TRSD(0.3, random_state=0), SVC()).fit(X, y)
    assert len(model[-1].support_) <= 90
    assert model.score(X, y) > 0.8


class PipelineLikeImblearn:
    """What imbalanced-learn's pipeline does with a sampler: clone, fit_resample."""

    def __init__(self, sampler, model):
        assert hasattr(sampler, "fit_resample")
        assert not hasattr(sampler, "transform")
        self.sampler, self.model = clone(sampler), clone(model)

    def fit(self, X, y):
        self.model.fit(*self.sampler.fit_resample(X, y))
        return self


def test_convention_of_imbalanced_learn(selector, three_classes):
    X, y = three_classes
    made = PipelineLikeImblearn(selector.set_params(share=0.5), SVC()).fit(X, y)
    assert made.model.score(X, y) > 0.6


@pytest.mark.parametrize("seed", range(20))
def test_apportion_equals_the_loop(seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 30, size=8)
    caps = rng.integers(0, 20, size=8)
    total = int(rng.integers(0, 100))
    given = apportion(total, weights, caps)
    assert given.tolist() == naive.apportioned(total, weights, caps)
    assert given.sum() == min(total, caps[weights > 0].sum())


def test_largest_remainders_add_up():
    sizes = np.array([5, 5, 5, 85])
    assert apportion(10, sizes, sizes).sum() == 10
    assert apportion(10, sizes, sizes).tolist() == [1, 1, 0, 8]


def test_best_of_each_takes_the_first_among_equals():
    groups = np.array([1, 0, 1, 0, 1, 0])
    scores = np.array([2.0, -np.inf, 5.0, 1.0, 5.0, 1.0])
    rows = best_of_each(groups, scores, np.array([1, 2]))
    assert sorted(rows.tolist()) == [2, 3, 4]
