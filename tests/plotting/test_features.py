"""Bars of importances and of one explanation: their sizes, names and order."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine, make_moons

from treesvm import DTSVMClassifier, DTSVRegressor

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from treesvm import plotting  # noqa: E402


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X, DTSVMClassifier(random_state=0).fit(X, y)


def bars(ax):
    """Name -> size, from top to bottom."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    return dict(zip(names, [bar.get_width() for bar in ax.patches], strict=True))


def test_importances_are_bars_with_one_for_the_rest(wine):
    X, model = wine
    found = bars(plotting.importances(model, n_most=4))
    expected = sorted(model.feature_importances_, reverse=True)
    np.testing.assert_allclose(list(found.values())[:4], expected[:4])
    assert list(found)[-1] == "9 others"
    assert sum(found.values()) == pytest.approx(1.0)
    assert next(iter(found)) == X.columns[model.feature_importances_.argmax()]
    assert len(bars(plotting.importances(model, n_most=99))) == 13


def test_explanation_of_a_class(wine):
    X, model = wine
    told = model.explain(X[:1])[0]
    for target, place in ((None, 0), (2, 2)):
        ax = plotting.explanation(model, X[:1], target=target, n_most=13)
        found = bars(ax)
        assert ax.get_xlabel().endswith(f"class {place}")
        assert {name: found[name] for name in X.columns} == pytest.approx(
            dict(zip(X.columns, told[:, place], strict=True))
        )
        sizes = np.abs(list(found.values()))
        assert (np.diff(sizes) <= 1e-12).all()
    with pytest.raises(ValueError, match="target='rose'"):
        plotting.explanation(model, X[:1], target="rose")
    with pytest.raises(ValueError, match="2 rows"):
        plotting.explanation(model, X[:2])


def test_two_classes_and_numbers_have_one_value():
    X, y = make_moons(200, noise=0.2, random_state=0)
    model = DTSVMClassifier(random_state=0).fit(X, y)
    ax = plotting.explanation(model, X[:1])
    assert sorted(bars(ax)) == ["feature 0", "feature 1"]
    assert ax.get_xlabel().endswith("for class 1")
    X, y = load_diabetes(return_X_y=True)
    ax = plotting.explanation(DTSVRegressor(random_state=0).fit(X, y), X[:1], n_most=3)
    assert len(ax.patches) == 4
