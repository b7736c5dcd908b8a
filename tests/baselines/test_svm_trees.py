"""SVM Trees: a cascade whose settled sides are pure."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons

from treesvm import HLSVMClassifier
from treesvm.baselines import SVMTreesClassifier


def test_every_node_but_the_last_settles_a_pure_side():
    X, y = make_moons(400, noise=0.15, random_state=0)
    model = SVMTreesClassifier(random_state=0).fit(X, y)
    tree = model.trees_[0]
    inner = np.flatnonzero(~tree.is_leaf)
    assert len(inner) > 1
    for k in inner[:-1]:  # the last one may part the rest by the SVM's own offset
        children = [tree.left[k], tree.right[k]]
        pure = [np.count_nonzero(tree.value[c]) == 1 for c in children]
        assert any(pure)
    assert tree.depth == len(inner)  # a cascade: one path through all nodes
    assert model.score(X, y) > 0.85


def test_separable_classes_take_one_hyperplane_for_each_pair():
    X, y = make_blobs(300, centers=3, cluster_std=0.3, random_state=3)
    model = SVMTreesClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert len(model.trees_) == 3
    assert model.hyperplanes_met(X).tolist() == [3] * 300


def test_hlsvm_is_more_accurate_on_moons():
    X, y = make_moons(2000, noise=0.3, random_state=1)
    cascade = SVMTreesClassifier(random_state=0).fit(X[:1000], y[:1000])
    tree = HLSVMClassifier(random_state=0).fit(X[:1000], y[:1000])
    assert tree.score(X[1000:], y[1000:]) > cascade.score(X[1000:], y[1000:])


def test_wrong_parameters_are_named():
    with pytest.raises(ValueError, match="alpha=-2"):
        SVMTreesClassifier(alpha=-2).fit([[0.0], [1.0]], [0, 1])
