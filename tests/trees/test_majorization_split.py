"""Splits by SVM-Maj, and nodes that answer something else than their majority."""

import naive_majorization as naive
import numpy as np
import pytest

from treesvm.solvers.hinges import find_hinge
from treesvm.trees.majorization_split import (
    MajorizationOptions,
    MajorizationSplit,
    balanced_weights,
)
from treesvm.trees.node_answers import last_predictions, with_answers
from treesvm.trees.oblique import grow_oblique_tree
from treesvm.trees.pruning import errors_along, pruning_path, training_risk


def waves(seed, n_rows=300, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    height = X[:, 0] + np.sin(3.0 * X[:, 1]) + 0.3 * rng.normal(size=n_rows)
    return X, np.digitize(height, np.linspace(-1, 1, n_classes + 1)[1:-1])


def grown(X, y, n_classes=2, **options):
    plane = MajorizationOptions(find_hinge("quadratic"), 1.0, **options)
    return grow_oblique_tree(
        X,
        y,
        n_classes=n_classes,
        plane=plane,
        finder=MajorizationSplit,
        max_leaf_weight=10,
    )


@pytest.mark.parametrize("is_balanced", [False, True])
def test_split_is_the_machine_of_the_node(is_balanced):
    X, y = waves(0)
    plane = MajorizationOptions(
        find_hinge("quadratic"), 1.0, is_balanced=is_balanced, tol=1e-12
    )
    finder = MajorizationSplit(X, y, n_classes=2, options=plane)
    rows = np.arange(0, 300, 2)
    split = finder(rows, 0)
    sides, weight = 2.0 * y[rows] - 1.0, np.ones(150)
    if is_balanced:
        weight = np.where(sides > 0, 75 / np.sum(sides > 0), 75 / np.sum(sides < 0))
    w, c = naive.smooth_svm(X[rows], sides, weight, 1.0, "quadratic")
    np.testing.assert_allclose(split.weights, w, rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(split.goes_left, X[rows] @ w + c <= 0)


def test_balanced_sides_weigh_the_same():
    y, weight = np.array([1.0, 1.0, 1.0, -1.0]), np.array([1.0, 2.0, 3.0, 4.0])
    balanced = balanced_weights(y, weight)
    assert balanced[y > 0].sum() == pytest.approx(5.0)
    assert balanced[y < 0].sum() == pytest.approx(5.0)
    np.testing.assert_allclose(balanced[:3] / balanced[0], [1.0, 2.0, 3.0])


def test_nodes_answer_their_side():
    X, y = waves(1)
    tree = grown(X, y, is_balanced=True)
    answer = last_predictions(tree)
    inner = ~tree.is_leaf
    assert (answer[tree.left[inner]] == 0).all()
    assert (answer[tree.right[inner]] == 1).all()
    changed = with_answers(tree, answer)
    np.testing.assert_array_equal(changed.value.argmax(axis=1), answer)
    np.testing.assert_allclose(changed.value.sum(axis=1), tree.value.sum(axis=1))


def test_last_prediction_needs_two_classes():
    X, y = waves(2, n_classes=4)
    tree = grown(X, y, n_classes=4)
    with pytest.raises(ValueError, match="4 classes"):
        last_predictions(tree)


def test_pruning_counts_the_errors_of_the_given_answers():
    X, y = waves(3)
    tree = grown(X, y, is_balanced=True)
    answer = last_predictions(tree)
    risk = training_risk(tree, answer)
    expected = [
        tree.value[k].sum() - tree.value[k, answer[k]] for k in range(tree.n_nodes)
    ]
    np.testing.assert_allclose(risk * 300, expected)
    path = pruning_path(tree, risk)
    X_new, y_new = waves(4)
    errors = errors_along(tree, path, tree.apply(X_new), y_new, answer=answer)
    for n_cuts in range(len(path.nodes) + 1):
        nodes = path.nodes[:n_cuts]
        cut = with_answers(tree, answer).cut(nodes)
        wrong = np.sum(cut.value.argmax(axis=1)[cut.apply(X_new)] != y_new)
        assert errors[n_cuts] == pytest.approx(wrong)
