"""Splits of the support vector tree benchmark: sizes, scales, nothing leaks."""

import numpy as np
import pytest

from benchmarks import svtree_table
from benchmarks.papers.svtree import majority, nodes_met, rounded_budget
from benchmarks.runner import Context
from benchmarks.svtree_problems import TRAINING_ROWS, Split, tuned_budget
from treesvm import KernelSVC, SupportVectorTreeClassifier
from treesvm.baselines import CPSPClassifier


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(3.0, 2.0, size=(300, 5))
    X[:, 4] = 1.0  # a constant feature
    y = np.where(X[:, 0] + X[:, 1] > 6.0, 2, 1)
    np.savez(tmp_path / "ida_thyroid.npz", X=X, y=y)
    return tmp_path


def test_split_has_the_papers_size_and_training_scale(folder):
    split = Split(folder, "ida_thyroid", 0)
    assert len(split.X) == TRAINING_ROWS["ida_thyroid"]
    assert len(split.X) + len(split.X_test) == 300
    assert set(split.y.tolist()) == {-1, 1}
    np.testing.assert_allclose(split.X.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(split.X[:, :4].std(axis=0), 1.0)
    joined = {row.tobytes() for row in split.X} & {r.tobytes() for r in split.X_test}
    assert not joined
    again, other = Split(folder, "ida_thyroid", 0), Split(folder, "ida_thyroid", 1)
    np.testing.assert_array_equal(split.X, again.X)
    assert not np.array_equal(split.y, other.y)


def test_tuning_sees_training_rows_only(folder):
    split = Split(folder, "ida_thyroid", 0)
    split.X_test = split.y_test = None
    assert split.tuned_machine().score(split.X, split.y) > 0.9
    seen = []

    def make(C, gamma):
        seen.append((C, gamma))
        return CPSPClassifier(3, C=C, gamma=gamma)

    assert tuned_budget(split, make).n_iter_ == 3
    assert len(set(seen)) == 6


def test_nodes_met_counts_every_node_on_the_path(folder):
    split = Split(folder, "ida_thyroid", 0)
    machine = KernelSVC(gamma=0.2).fit(split.X, split.y)
    tree = SupportVectorTreeClassifier(machine, 1, refit=False).fit(split.X)
    assert nodes_met(tree, split.X_test) == 1.0
    tree = SupportVectorTreeClassifier(machine, refit=False, random_state=0)
    tree.fit(split.X)
    met = nodes_met(tree, split.X_test)
    assert met >= tree.kernel_evaluations(split.X_test).mean() > 1.0


def test_budget_is_rounded_as_in_the_paper():
    assert [rounded_budget(n) for n in (8.2, 9.9, 10.04, 0.3)] == [9, 10, 11, 1]


def test_dummy_answers_the_larger_class():
    assert majority(np.array([1, -1, 1])) == 1


def test_splits_are_kept_by_code_and_data(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(svtree_table, "SPLITS", tmp_path / "splits")
    context = Context(data=folder, rivals=None)
    first = svtree_table._store(context, "ida_thyroid", 3)
    assert svtree_table._store(context, "ida_thyroid", 3) == first
    other = tmp_path / "other"
    other.mkdir()
    np.savez(other / "ida_thyroid.npz", X=np.ones((3, 2)), y=[0, 1, 1])
    changed = Context(data=other, rivals=None)
    assert svtree_table._store(changed, "ida_thyroid", 3) != first
    monkeypatch.setattr(svtree_table, "SOURCES", ("benchmarks/timing.py",))
    assert svtree_table._store(context, "ida_thyroid", 3) != first
