"""The search over a table: what may stand in for the winner where time is short."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1, make_moons

from treesvm.decomposition.training import MachineOptions
from treesvm.inputs.rows import Rows
from treesvm.model_selection import table_search
from treesvm.model_selection.candidates_of_tables import first_thetas
from treesvm.model_selection.deadline import Deadline
from treesvm.model_selection.search_fold import SearchFold
from treesvm.model_selection.table_folds import table_folds
from treesvm.model_selection.table_search import TableSearch
from treesvm.partitions.axis_tree import AxisTree


@pytest.fixture(scope="module")
def search():
    X, y = make_moons(300, noise=0.25, random_state=0)
    rows = Rows(X, y, np.ones(len(y)), 2)
    folds, ceiling = table_folds(rows, 0)
    thetas = first_thetas(False, 2)
    options = MachineOptions(thetas[0], 1e-3, None, 2**26)
    how = {"first_ceiling": ceiling, "seed": 0, "deadline": Deadline()}
    made = TableSearch(rows, folds, thetas, options, **how)
    made.finding = made.run()
    return made


def test_plainer_machines_have_the_loss_of_the_winner(search):
    for loss in ("hinge", "squared"):
        winner = next(
            t
            for t in first_thetas(False, 2)
            if t.loss == loss and t.feature_weights == "learned"
        )
        best, first = search._plainer(winner)
        assert {best.loss, first.loss} == {loss}
        assert best.feature_weights is None
        looked_at = search.finding.table["feature_weights"] == "None"
        assert best.C in search.finding.table["C"][looked_at]
        assert first == next(t for t in first_thetas(False, 2) if t.loss == loss)


def test_a_winner_without_weights_is_the_best_of_its_kind(search):
    (first,) = search._plainer(first_thetas(False, 2)[5])
    assert first == first_thetas(False, 2)[0]


def test_tables_beyond_a_search_have_no_least_squares():
    assert {t.loss for t in first_thetas(False, 2)} == {"hinge", "squared"}
    assert {t.loss for t in first_thetas(False, 2, has_squares=False)} == {"hinge"}


def test_regressors_grow_beyond_least_squares_by_the_hinge(monkeypatch):
    X, y = make_friedman1(900, noise=0.1, random_state=0)
    rows = Rows(X, (y - y.mean()) / y.std(), np.ones(len(y)), None)
    monkeypatch.setattr(table_search, "FACTORISED_ROWS", 200)
    folds = [SearchFold(rows, np.arange(600), np.arange(600, 900), AxisTree(), 150)]
    squared = [t for t in first_thetas(False, None) if t.loss == "squared"][:9]
    options = MachineOptions(squared[0], 1e-3, None, 2**26, None, 0.05)
    how = {"first_ceiling": 150, "seed": 0, "deadline": Deadline()}
    found = TableSearch(rows, folds, squared, options, **how).run()
    assert found.max_leaf_size > 200
    assert {theta.loss for theta in found.thetas} == {"hinge"}
