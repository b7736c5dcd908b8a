"""DTSVM's benchmark and its paper's methods: who sees which rows and candidates."""

import numpy as np
import pytest

from benchmarks import (
    candidate_rivals,
    dtsvm_problems,
    dtsvm_rivals,
    dtsvm_sets,
    dtsvm_svc,
)
from benchmarks.rival_cache import RivalCache
from benchmarks.runner import Context


@pytest.fixture
def context(tmp_path):
    """A folder with one small set that has an official test part."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 3)) * [1.0, 10.0, 100.0]
    y = (X[:, 0] + 0.3 * rng.normal(size=700) > 0).astype(int)
    np.savez(
        tmp_path / "pendigits.npz", X=X[:600], y=y[:600], X_test=X[600:], y_test=y[600:]
    )
    return Context(data=tmp_path, rivals=RivalCache(tmp_path / "rivals.jsonl"))


def test_parts_are_four_to_one_to_one_of_the_pooled_rows(context):
    problem = dtsvm_problems.load(context, "pendigits")
    sizes = problem.n_train, len(problem.validation[1]), len(problem.y_test)
    assert sizes == (466, 117, 117)


def test_scaling_knows_the_training_rows_only(context):
    problem = dtsvm_problems.load(context, "pendigits")
    X = problem.train[0]
    assert X.min(axis=0) == pytest.approx(0.0)
    assert X.max(axis=0) == pytest.approx(1.0)
    assert problem.X_test.max() > 1.0 or problem.validation[0].max() > 1.0


def test_search_validates_on_the_validation_rows(context):
    problem = dtsvm_problems.load(context, "pendigits")
    ((train, val),) = problem.cv.split()
    assert train.tolist() == list(range(problem.n_train))
    assert val.tolist() == list(range(problem.n_train, len(problem.y)))


@pytest.mark.parametrize("name", ["shuttle", "letter", "poker", "kdd99_10pct"])
def test_sampled_grid_has_every_gamma(name):
    sampled = dtsvm_svc.points_of(name)
    assert {gamma for _, gamma in sampled} == set(dtsvm_problems.GAMMAS)
    assert len(sampled) >= 9


def test_the_papers_search_grows_its_tree_on_all_rows():
    assert dtsvm_sets.paper_search()["partition"].max_tree_rows is None


def test_random_parts_and_bags_search_all_candidates(context):
    problem = dtsvm_problems.load(context, "pendigits")
    for make in (dtsvm_sets.random_parts, dtsvm_sets.bag):
        model = make(problem)
        assert model.Cs is None  # the paper's 63 points
        assert model.gammas is None
        small = make(problem, Cs=[1.0], gammas=[1.0])
        run = dtsvm_sets.with_theta(dtsvm_rivals.fit(problem, small))
        assert run.note.startswith("C=1, γ=1")


def test_the_grid_goes_round_every_gamma_first():
    points = candidate_rivals.round_the_grid((1.0, 2.0, 4.0), (0.1, 0.2))
    assert {gamma for _, gamma in points[:2]} == {0.1, 0.2}
    assert sorted(points) == [(C, g) for C in (1.0, 2.0, 4.0) for g in (0.1, 0.2)]


def test_cbd_and_lasvm_choose_on_validation_rows(context):
    problem = dtsvm_problems.load(context, "pendigits")
    grid = {"Cs": (1.0, 10.0), "gammas": (0.1, 1e4)}
    for rival in (candidate_rivals.cbd, candidate_rivals.lasvm):
        run = rival(problem, **grid)
        assert run.model.gamma == 0.1  # 1e4 remembers rows and knows no others
        assert run.accuracy > 80.0
        assert len(run.model.support_) > 0
        assert run.note.startswith("C=")
    assert "1 of 4 points" in candidate_rivals.lasvm(problem, **grid, budget=0.0).note
