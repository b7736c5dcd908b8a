"""RE and RC on the paper's own Table 4, hyperplanes met, the bound of Lemma 3."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from treesvm import HLSVMClassifier
from treesvm.bounds import effective_leaves, oblique_bound
from treesvm.metrics import hyperplane_cost, relative_complexity, relative_error


@pytest.mark.parametrize(
    ("linear", "kernel", "ours", "n_support", "met", "RE", "RC"),
    [
        (7.82, 1.01, 2.36, 3154, 7.28, 0.80, 2.0e-3),  # IJCNN
        (2.21, 0.062, 0.10, 66, 5.18, 0.98, 6.43e-2),  # Shuttle
        (23.66, 18.57, 11.39, 245687.2, 12.93, 2.41, 4.86e-5),  # Covtype
    ],
)
def test_measures_reproduce_table_4(linear, kernel, ours, n_support, met, RE, RC):
    assert relative_error(ours, linear, kernel) == pytest.approx(RE, abs=0.006)
    assert relative_complexity(met, n_support) == pytest.approx(RC, rel=0.02)


def test_undefined_measures_are_refused():
    with pytest.raises(ValueError, match=r"both 0\.1"):
        relative_error(0.05, 0.1, 0.1)
    with pytest.raises(ValueError, match="n_support=1"):
        relative_complexity(3.0, 1)


def test_cost_of_a_model():
    X, y = make_moons(300, noise=0.2, random_state=0)
    model = HLSVMClassifier(random_state=0).fit(X, y)
    cost = hyperplane_cost(model, X)
    assert cost.maximum == model.get_depth()
    assert 0 < cost.mean <= cost.maximum


def test_bound_of_a_tree_from_its_definition():
    X, y = make_moons(500, noise=0.3, random_state=0)
    model = HLSVMClassifier(prune_share=0.0, random_state=0).fit(X, y)
    tree, leaf = model.trees_[0], model.apply(X)
    right = model.predict(X) == y
    share = [np.mean(leaf == k) * right[leaf == k].mean() for k in tree.leaves()]
    share = np.array(share) / right.mean()
    L = tree.n_leaves
    effective = L * (1 - np.sum((share - 1 / L) ** 2))
    T = (effective * 3 * np.log(500) ** 2 * np.log(tree.depth) / 500) ** (1 / 3)
    bound = oblique_bound(tree)
    assert bound.effective_leaves == pytest.approx(effective)
    assert bound.complexity == pytest.approx(T)
    assert bound.training_error == pytest.approx(1 - right.mean())
    assert bound.value(2.0) == pytest.approx(1 - right.mean() + 2 * T)


def test_effective_leaves_at_the_extremes():
    assert effective_leaves(np.full(8, 1 / 8)) == pytest.approx(8.0)
    assert effective_leaves(np.array([1.0, 0.0])) == pytest.approx(1.0)
