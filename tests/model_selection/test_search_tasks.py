"""Tasks that are cut down, nested, and taken in stretches."""

from itertools import pairwise

import numpy as np
import pytest

from treesvm.decomposition.theta import Theta
from treesvm.decomposition.training import MachineOptions
from treesvm.inputs.rows import Rows
from treesvm.kernels.kernel import Laplacian
from treesvm.model_selection import search_fold
from treesvm.model_selection.raced_search import stretches
from treesvm.model_selection.search_fold import LeafTask
from treesvm.model_selection.search_tasks import can_differ, cut_task, finer_tasks


def rows_of(rng, n=60):
    X = rng.normal(size=(n, 2))
    return Rows(X, np.arange(n) % 3, np.ones(n), 3)


def test_a_cut_task_trains_on_some_of_its_rows(rng):
    task = LeafTask(rows_of(rng), np.arange(0, 40), np.arange(40, 60), fold=2)
    cut = cut_task(task, 15, np.random.RandomState(0))
    assert len(np.unique(cut.rows)) == 15
    assert np.isin(cut.rows, task.rows).all()
    assert (np.diff(cut.rows) > 0).all()
    np.testing.assert_array_equal(cut.val_rows, task.val_rows)
    assert cut.fold == 2
    assert cut_task(task, 40, rng) is task
    again = cut_task(task, 15, np.random.RandomState(0))
    np.testing.assert_array_equal(cut.rows, again.rows)


def test_tasks_differ_where_they_are_mixed_and_asked(rng):
    data = rows_of(rng)
    one_class, asked, nobody = np.arange(0, 30, 3), np.arange(40, 60), np.arange(0)
    assert can_differ(LeafTask(data, np.arange(30), asked))
    assert not can_differ(LeafTask(data, one_class, asked))
    assert not can_differ(LeafTask(data, np.arange(30), nobody))


def test_finer_tasks_are_those_whose_rows_a_coarse_one_holds(rng):
    data, train = rows_of(rng), np.arange(30)

    def tasks(*groups):
        return [LeafTask(data, train, np.array(g, int), fold) for fold, g in groups]

    fine = tasks((0, [30, 31]), (0, [40]), (0, []), (1, [30]), (0, [50]))
    coarse = tasks((0, [40, 30, 31]), (1, [30]), (0, [50]))
    assert finer_tasks(fine, coarse) == [[0, 1], [3], [4]]


@pytest.mark.parametrize("wanted", [1, 10, 100, 10_000])
def test_stretches_double_the_rows_that_judge(rng, wanted):
    sizes = rng.integers(0, 40, 50).tolist()
    found = stretches(sizes, wanted)
    assert sum(found) == 50
    assert min(found) > 0
    ends = np.cumsum(sizes)[np.cumsum(found) - 1]
    for before, after in pairwise(ends[:-1]):
        assert after >= 2 * before
    if len(found) > 1:
        assert ends[0] >= wanted
    assert stretches([], wanted) == []


def test_a_task_learns_weights_once_for_all_thetas_of_a_view(rng, monkeypatch):
    """Asked one by one, thetas say what they say together; weights are learned once."""
    asked = []

    def counted(rows, options):
        asked.append(options.theta)
        return seen_scaling(rows, options)

    seen_scaling = search_fold.seen_scaling
    monkeypatch.setattr(search_fold, "seen_scaling", counted)
    data = rows_of(rng)
    thetas = [
        Theta(C, "median", scale, Laplacian(), "minmax", "learned", "ovo")
        for C in (1.0, 10.0)
        for scale in (0.5, 2.0)
    ]
    options = MachineOptions(thetas[0], 1e-6, None, 2**30, None, None)
    first, second = (
        LeafTask(data, np.arange(0, 40), np.arange(40, 60)) for _ in range(2)
    )
    together = first.evaluate(thetas, options, keep=True)
    assert len(asked) == 1
    apart = [second.evaluate([theta], options, keep=True)[0] for theta in thetas]
    assert len(asked) == 2
    for one, other in zip(together, apart, strict=True):
        np.testing.assert_array_equal(one.predicted, other.predicted)
        X = data.X[40:]
        np.testing.assert_allclose(one.part.scores(X), other.part.scores(X), atol=1e-4)
