"""Support vectors met and kept, against counting row by row."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from tests import naive_decomposition
from treesvm import DTSVMClassifier, KernelSVC
from treesvm.baselines import BaggedSVC, RDSVMClassifier
from treesvm.metrics import support_vector_cost


def blobs(n=600):
    return make_blobs(n, centers=4, cluster_std=3.0, random_state=0)


def dense_coefficients(part):
    """One row for each vector, one column for each machine; None without a machine."""
    if part.machine is None:
        return None
    machine = part.machine
    table = np.zeros((machine.n_vectors, machine.n_machines))
    for k, ids in enumerate(machine.machine_ids):
        own = slice(machine.class_starts[k], machine.class_starts[k + 1])
        table[own, ids] = machine.coefficients[own]
    return table


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_decomposition_equals_counting_row_by_row(multi_class):
    X, y = blobs()
    model = DTSVMClassifier(1.0, 1.0, 60, multi_class=multi_class, random_state=0).fit(
        X[:400], y[:400]
    )
    member = model.decompositions_[0]
    tables = [dense_coefficients(part) for part in member.parts]
    cost = support_vector_cost(model, X[400:])
    naive = naive_decomposition.vectors_met(member.apply(X[400:]), tables)
    assert (cost.nesv, cost.nesv_distinct) == pytest.approx(naive)
    assert cost.tnsv == sum(np.count_nonzero(t) for t in tables if t is not None)
    assert cost.tnsv_distinct == model.n_support_vectors_
    assert cost.nesv_distinct <= cost.nesv


def test_share_of_rows_in_one_class_leaves():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 1))
    y = np.where(X[:, 0] < 0.75, 0, rng.integers(0, 2, 400))
    model = DTSVMClassifier(1.0, 1.0, 150, random_state=0).fit(X, y)
    leaves = model.apply(X)
    pure = [leaf for leaf in set(leaves) if len(set(y[leaves == leaf])) == 1]
    cost = support_vector_cost(model, X)
    assert cost.one_class_share == pytest.approx(np.isin(leaves, pure).mean())
    met = support_vector_cost(model, X[np.isin(leaves, pure)])
    assert met.nesv == met.nesv_distinct == 0.0


@pytest.mark.parametrize("machine", [SVC, KernelSVC])
@pytest.mark.parametrize("classes", [2, 4])
def test_one_machine_is_met_whole(machine, classes):
    X, y = blobs()
    model = machine(C=1.0, gamma=0.1).fit(X, y % classes)
    cost = support_vector_cost(model, X[:5])
    assert cost.nesv == cost.tnsv == np.count_nonzero(model.dual_coef_)
    assert cost.nesv_distinct == cost.tnsv_distinct == len(model.support_)
    assert cost.one_class_share == 0.0


def test_members_are_added_up():
    X, y = blobs()
    one = support_vector_cost(
        RDSVMClassifier([1.0], [0.1], random_state=0).fit(X, y), X
    )
    assert one.nesv_distinct == one.tnsv_distinct
    bag = BaggedSVC([1.0], [0.1], 50, random_state=0).fit(X, y)
    cost = support_vector_cost(bag, X)
    assert cost.tnsv_distinct == bag.n_support_vectors_
    assert cost.nesv_distinct == pytest.approx(cost.tnsv_distinct)


def test_other_models_are_refused():
    X, y = blobs()
    with pytest.raises(ValueError, match="LogisticRegression has no support vectors"):
        support_vector_cost(LogisticRegression().fit(X, y), X)
