"""Pictures hold what they should show; their looks are judged by eye."""

import matplotlib as mpl
import pytest
from sklearn.datasets import make_moons

mpl.use("Agg")

from matplotlib import pyplot as plt

from treesvm import HLSVMClassifier
from treesvm.plotting import (
    plot_error_against_cost,
    plot_growth,
    plot_regions,
    plot_tree,
)


@pytest.fixture
def model():
    X, y = make_moons(400, noise=0.2, random_state=0)
    return HLSVMClassifier(prune_share=0.0, random_state=0).fit(X, y), X, y


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_tree_picture_has_a_box_for_each_node(model):
    fitted, _, _ = model
    tree = fitted.trees_[0]
    whole = plot_tree(fitted, max_depth=tree.depth)
    assert len(whole.texts) == tree.n_nodes
    assert len(whole.lines) == tree.n_nodes - 1
    top = plot_tree(fitted, max_depth=2)
    assert len(top.texts) == (tree.node_depth <= 2).sum()
    places = [text.get_position() for text in top.texts]
    assert len(set(places)) == len(places)


def test_regions_need_two_features(model):
    fitted, X, y = model
    ax = plot_regions(fitted, X, y, n_grid=50)
    assert len(ax.collections) >= 2
    with pytest.raises(ValueError, match="X has 1 features"):
        plot_regions(fitted, X[:, :1], y)


def test_curves_draw_every_row():
    rows = [
        {"method": "A", "error %": 3.0, "cost": 1, "rows": 10, "fit s": 1.0},
        {"method": "B", "error %": 1.0, "cost": 900, "rows": 99, "fit s": 2.0},
    ]
    ax = plot_error_against_cost({"one": rows})
    assert len(ax.get_legend().get_texts()) == 3
    more = {"inner nodes": 4, "training error %": 1.0, "test error %": 2.0}
    axes = plot_growth([{**row, **more} for row in rows])
    assert [len(panel.lines) for panel in axes] == [1, 1, 2]
