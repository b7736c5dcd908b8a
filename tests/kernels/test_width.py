"""Gamma as a word: against slow medians, on what a part sees, and on familiar sets."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import MinMaxScaler

from treesvm import DTSVMClassifier
from treesvm.kernels.kernel import Gaussian, Laplacian
from treesvm.kernels.width import settle_gamma

KERNELS = {"rbf": Gaussian(), "laplacian": Laplacian()}


def naive_median(X, power):
    """The median over pairs of different rows, pair by pair."""
    found = [
        sum(abs(a - b) ** power for a, b in zip(X[i], X[j], strict=True))
        for i in range(len(X))
        for j in range(i)
    ]
    return np.median(found)


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_median_is_that_of_all_pairs(name, as_sparse, rng):
    X = np.round(rng.normal(size=(40, 3)), 2)
    X[rng.random(X.shape) < 0.3] = 0.0
    rows = sparse.csr_matrix(X) if as_sparse else X
    expected = 1.0 / naive_median(X, KERNELS[name].power)
    assert settle_gamma(KERNELS[name], "median", rows) == pytest.approx(expected, 1e-5)


@pytest.mark.parametrize("name", KERNELS)
def test_rows_that_are_all_equal_have_a_width(name):
    assert settle_gamma(KERNELS[name], "median", np.full((30, 2), 7.0)) == 1.0
    X = np.repeat([[0.0], [2.0]], 10, axis=0)
    y = np.repeat([0, 1], 10)
    assert DTSVMClassifier(kernel=name).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("name", KERNELS)
def test_where_most_rows_are_equal_the_others_tell_the_width(name, rng):
    kernel = KERNELS[name]
    X = np.repeat(rng.normal(size=(1, 5)), 60, axis=0)
    X[:6] = rng.normal(size=(6, 5))
    apart = [naive_median(X[[i, j]], kernel.power) for i in range(6) for j in range(i)]
    apart += 54 * [naive_median(X[[i, -1]], kernel.power) for i in range(6)]
    expected = 1.0 / np.median(apart)
    assert settle_gamma(kernel, "median", X) == pytest.approx(expected, 1e-5)


@pytest.mark.parametrize("word", ["median", "scale", "auto"])
def test_gamma_scale_multiplies_words_only(word, rng):
    X = rng.normal(size=(20, 4))
    plain = settle_gamma(Gaussian(), word, X)
    assert settle_gamma(Gaussian(), word, X, 3.0) == pytest.approx(3.0 * plain)
    assert settle_gamma(Gaussian(), 0.7, X, 3.0) == 0.7


def test_words_are_settled_on_what_the_part_sees(rng):
    X = rng.normal(size=(60, 3)) * [1.0, 1e4, 1e-4]
    y = (X[:, 0] > 0).astype(int)
    seen = MinMaxScaler().fit_transform(X)
    expected = {"scale": 1 / (3 * seen.var()), "auto": 1 / 3}
    for word, gamma in expected.items():
        model = DTSVMClassifier(gamma=word, kernel="rbf").fit(X, y)
        (part,) = model.decompositions_[0].parts
        assert part.machine.kernel.gamma == pytest.approx(gamma, 1e-6)


def test_unknown_words_and_widths_without_end_are_refused():
    with pytest.raises(ValueError, match="gamma='wide' is unknown"):
        settle_gamma(Gaussian(), "wide", np.eye(3))
    with pytest.raises(ValueError, match="not possible"):
        settle_gamma(Gaussian(), "scale", np.eye(3) * 1e-25)


@pytest.mark.parametrize("gamma", ["median", "scale"])
def test_units_of_features_do_not_matter(gamma):
    X, y = load_breast_cancer(return_X_y=True)
    model = DTSVMClassifier(gamma=gamma, random_state=0)
    raw = cross_val_score(model, X, y, cv=3).mean()
    scaled = cross_val_score(model, MinMaxScaler().fit_transform(X), y, cv=3).mean()
    assert raw == pytest.approx(scaled, abs=2 / len(y))
    assert raw > 0.95


def test_defaults_suit_digits():
    X, y = load_digits(return_X_y=True)
    model = DTSVMClassifier(random_state=0)
    assert cross_val_score(model, X, y, cv=3).mean() > 0.95
