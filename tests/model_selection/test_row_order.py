"""Rows in an order that matters: noticed, and held out by stretches."""

import numpy as np
import pytest

from treesvm import TreeSVC
from treesvm.decomposition.training import MachineOptions
from treesvm.inputs.rows import Rows
from treesvm.model_selection import table_estimator
from treesvm.model_selection.candidates_of_tables import first_thetas
from treesvm.model_selection.row_order import order_matters, pieces_in_order
from treesvm.model_selection.table_folds import table_folds


def of_sessions(rng, n_sessions=30, n_rows=20):
    """Rows of a session are near each other, and its level decides most labels."""
    n = n_sessions * n_rows
    session = np.repeat(rng.normal(size=(n_sessions, 3)), n_rows, axis=0)
    level = np.repeat(rng.normal(size=n_sessions), n_rows)
    X = np.column_stack([session + 0.05 * rng.normal(size=(n, 3)), rng.normal(size=n)])
    return X, level + X[:, 3]


def few_thetas(*given, **options):
    return first_thetas(*given, **options)[:2]


def matters(X, target, n_classes):
    theta = first_thetas(False, n_classes)[0]
    epsilon = 0.05 if n_classes is None else None
    options = MachineOptions(theta, 1e-3, None, 2**26, None, epsilon)
    rows = Rows(X, target, np.ones(len(target)), n_classes)
    return order_matters(rows, theta, options, 0)


@pytest.mark.parametrize("n_classes", [2, None])
def test_sessions_are_noticed_and_shuffled_rows_are_not(rng, n_classes):
    X, values = of_sessions(rng)
    target = values if n_classes is None else (values > 0).astype(int)
    assert matters(X, target, n_classes)
    order = rng.permutation(len(target))
    assert not matters(X[order], target[order], n_classes)
    # A table sorted by its target has stretches of every class, or size, all the same.
    order = order[np.argsort(target[order], kind="stable")]
    assert not matters(X[order], target[order], n_classes)


def test_chance_is_rarely_taken_for_order(rng):
    wrong = sum(
        matters(rng.normal(size=(90, 3)), rng.integers(0, 2, 90), 2) for _ in range(50)
    )
    assert wrong <= 2


def test_few_rows_say_nothing(rng):
    for n in (2, 5, 29):
        assert not matters(rng.normal(size=(n, 2)), np.arange(n) % 2, 2)


def test_pieces_are_stretches_of_each_class(rng):
    codes = rng.choice(4, 200, p=[0.5, 0.3, 0.19, 0.01])
    pieces = pieces_in_order(Rows(codes[:, None], codes, np.ones(200), 4), 3)
    for code in np.unique(codes):
        own = pieces[codes == code]
        assert (np.diff(own) >= 0).all()
        assert np.ptp(np.bincount(own, minlength=3)) <= 1


def test_folds_of_stretches_hold_out_every_row_once(rng):
    X, values = of_sessions(rng)
    rows = Rows(X, (values > 0).astype(int), np.ones(len(X)), 2)
    folds, _ = table_folds(rows, 0, is_ordered=True)
    held = np.concatenate([fold.val for fold in folds])
    np.testing.assert_array_equal(np.sort(held), np.arange(len(X)))
    for fold in folds:
        assert len(np.intersect1d(fold.train, fold.val)) == 0
        assert np.ptp(fold.val) < len(X) / 2


def test_a_search_expects_what_new_sessions_show(rng, monkeypatch):
    """Of rows held out at random it would expect fewer errors than come."""
    monkeypatch.setattr(table_estimator, "first_thetas", few_thetas)
    X, values = of_sessions(rng, 40)
    y = (values > 0).astype(int)
    train, test = slice(0, 600), slice(600, None)
    in_order = TreeSVC(time_limit=None, random_state=0).fit(X[train], y[train])
    mixed = rng.permutation(600)
    shuffled = TreeSVC(time_limit=None, random_state=0).fit(X[mixed], y[mixed])
    error = 1.0 - in_order.score(X[test], y[test])
    assert shuffled.best_loss_ < in_order.best_loss_ - 0.05
    assert abs(in_order.best_loss_ - error) < abs(shuffled.best_loss_ - error)
