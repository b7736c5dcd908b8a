"""Single rows: the same answers as arrays of rows, and certain ones only."""

import pickle
from itertools import combinations, product

import numpy as np
import pytest

from treesvm import DTSVMClassifier, KernelSVC
from treesvm.machines.row_decision import sure_winner
from treesvm.machines.voting import class_scores


def possible_winners(values, bands, pairs, n_classes):
    """The classes that win for some values at the ends of their bands."""
    ends = product(*((v - b, v + b) for v, b in zip(values, bands, strict=True)))
    found = (class_scores(np.array([end]), pairs, n_classes).argmax() for end in ends)
    return set(map(int, found))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_a_sure_winner_wins_at_every_end_of_the_bands(seed, multi_class):
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(4), 2)))
    if multi_class == "ovr":
        pairs = np.array([[c, -1] for c in (0, 1, 3)])
    values = rng.normal(size=len(pairs))
    bands = 0.3 * rng.random(len(pairs))
    winner = sure_winner(values, bands, pairs, 4)
    possible = possible_winners(values, bands, pairs, 4)
    assert winner == -1 or possible == {winner}
    best = class_scores(values[None, :], pairs, 4).argmax()
    assert sure_winner(values, 0.0 * bands, pairs, 4) in (
        {best} if multi_class == "ovr" else {best, -1}  # votes may be equal
    )


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("n_classes", [2, 3, 12])
@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_rows_alone_and_together(kernel, n_classes, shift):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(400, 5)) + shift
    y = rng.integers(n_classes, size=400)
    model = KernelSVC(C=3.0, gamma=0.5, kernel=kernel).fit(X, y)
    alone = np.concatenate([model.decision_function(X[i : i + 1]) for i in range(40)])
    together = model.machine_.decisions(X[:40])
    if n_classes == 2:
        np.testing.assert_allclose(alone, together[:, 0], rtol=1e-9, atol=1e-9)
    answer = model.predictor()
    assert [answer(x) for x in X] == model.predict(X).tolist()


def test_the_laid_out_copy_is_not_pickled():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    model = DTSVMClassifier(max_leaf_size=100).fit(X, X[:, 0] * X[:, 1] > 0)
    size = len(pickle.dumps(model))
    answers = [model.predict(X[i : i + 1])[0] for i in range(300)]
    assert len(pickle.dumps(model)) == size
    assert answers == pickle.loads(pickle.dumps(model)).predict(X).tolist()
