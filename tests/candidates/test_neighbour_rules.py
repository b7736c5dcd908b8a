"""CVS, CBD, CleanSpread and FLD beside plain loops."""

import io
from contextlib import redirect_stderr

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from tests import naive_candidates as naive
from treesvm.candidates import CBD, CVS, FLD, CleanSpread
from treesvm.candidates.cbd import nearest_rows
from treesvm.candidates.clean_spread import vote
from treesvm.candidates.cvs import candidate_scores
from treesvm.candidates.fld import discriminant_distances, fisher_planes
from treesvm.candidates.partition import partition_rows
from treesvm.candidates.quotas import apportion


def rows_of(seed, n=80, d=3, n_classes=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, size=n)
    return rng.normal(size=(n, d)) + rng.normal(size=(n_classes, d))[y], y


@pytest.mark.parametrize("seed", range(3))
def test_cvs_ranks_as_the_loop(seed):
    X, y = rows_of(seed)
    scores = candidate_scores(X, y)
    np.testing.assert_allclose(scores, naive.candidate_scores(X, y), rtol=1e-6)
    kept = CVS(0.3).fit(X, y).sample_indices_
    for code in range(3):
        own = np.flatnonzero(y == code)
        n_kept = np.isin(kept, own).sum()
        assert abs(n_kept - 0.3 * len(own)) < 1
        best = own[np.argsort(-scores[own])][:n_kept]
        assert set(best) <= set(kept)


def test_cvs_puts_coinciding_rows_first():
    X = np.array([[0.0], [1.0], [2.0], [5.0], [6.0], [7.0], [2.0]])
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    assert {2, 6} <= set(CVS(0.3).fit(X, y).sample_indices_)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [5, 12])
def test_cbd_draws_as_the_loop(seed, k):
    X, y = rows_of(seed)
    drawn = naive.boundary_rows(X, y, k, 20)
    assert len(drawn) == 20
    kept = CBD(20 / len(y), n_neighbors=k).fit(X, y).sample_indices_
    assert set(kept) == set(drawn)


def test_cbd_fills_up_at_random_when_the_boundary_is_short():
    X = np.concatenate([np.arange(50.0), 1000 + np.arange(50.0)])[:, None]
    y = np.repeat([0, 1], 50)
    model = CBD(0.3, n_neighbors=5, random_state=0).fit(X, y)
    assert model.n_boundary_ == 0
    assert len(model.sample_indices_) == 30


def test_cbd_never_draws_duplicates_first():
    X, y = make_moons(100, noise=0.1, random_state=0)
    X, y = np.concatenate([X, X]), np.concatenate([y, y])
    # Ten rows: the boundary has more than that, so none is drawn at random.
    kept = CBD(0.05, n_neighbors=10, random_state=0).fit(X, y).sample_indices_
    assert len(np.unique(kept % 100)) == len(kept) == 10


@pytest.mark.parametrize("seed", range(2))
def test_neighbours_equal_sorted_distances(seed):
    X, _ = rows_of(seed)
    found, distances = nearest_rows(X, 7)
    for i, row in enumerate(naive.neighbours(X, 7)):
        assert found[i].tolist() == [t for _, t in row]
        np.testing.assert_allclose(distances[i], [d for d, _ in row], rtol=1e-6)


def test_neighbours_of_duplicates_are_other_rows():
    found, distances = nearest_rows(np.zeros((12, 2)), 4)
    assert (found != np.arange(12)[:, None]).all()
    assert (distances == 0).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_clean_spread_draws_as_the_loop(seed, share):
    X, y = rows_of(seed)
    n_kept = round(share * len(y))
    model = CleanSpread(share, n_neighbors=7, random_state=seed).fit(X, y)
    reach = min(round(len(y) / n_kept), len(y) // 4)
    near, _ = nearest_rows(X, max(7, reach))
    agreement, is_clean = vote(y, near[:, :7])
    draws = np.random.RandomState(seed).random_sample(len(y))
    order = np.argsort(-np.log(draws) / (0.2 + 1.0 - agreement), kind="stable")
    sizes = np.bincount(y)
    quotas = apportion(n_kept, sizes, sizes).tolist()
    drawn = naive.spread_rows(order, is_clean, near.tolist(), y, quotas, reach)
    assert sorted(drawn) == model.sample_indices_.tolist()
    assert model.n_clean_ == is_clean.sum()


def test_votes():
    y = np.array([0, 0, 1, 2])
    agreement, is_clean = vote(y, np.array([[1, 2], [0, 3], [0, 1], [2, 0]]))
    assert agreement.tolist() == [0.5, 0.5, 0.0, 0.0]
    assert is_clean.tolist() == [True, True, False, False]


def test_clean_spread_leaves_wrong_labels_out():
    X, y = make_moons(1000, noise=0.05, random_state=0)
    wrong = np.random.default_rng(0).random(1000) < 0.1
    kept = CleanSpread(0.1, random_state=0).fit(X, np.where(wrong, 1 - y, y))
    assert wrong[kept.sample_indices_].mean() < 0.02


def test_fisher_planes_are_lda_directions():
    X, y = rows_of(0, n=120, n_classes=2)
    A, B = X[y == 0], X[y == 1]
    centroids = np.stack([A.mean(axis=0), B.mean(axis=0)])
    scatters = np.stack([(Z - Z.mean(axis=0)).T @ (Z - Z.mean(axis=0)) for Z in (A, B)])
    normals, offsets = fisher_planes(np.array([[0, 1]]), centroids, scatters)
    np.testing.assert_allclose(normals[0], naive.fisher_direction(A, B, 1e-3))
    lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).coef_[0]
    cosine = abs(normals[0] @ lda) / np.linalg.norm(lda)
    assert cosine > 0.999
    assert offsets[0] == pytest.approx(normals[0] @ centroids.mean(axis=0))


def test_fld_distances_equal_the_loop():
    X, y = rows_of(2, n=150, d=2, n_classes=2)
    partition = partition_rows(X, y, pruning=None, rng=np.random.RandomState(0))
    tree = partition.tree
    boxes = naive.boxes(tree.feature, tree.threshold, tree.left, tree.right, 2)
    nearest = np.full(len(y), np.inf)
    for a, b in naive.adjacent(*boxes):
        if partition.majority[a] == partition.majority[b]:
            continue
        own = [
            np.flatnonzero((partition.leaf == k) & (y == partition.majority[k]))
            for k in (a, b)
        ]
        A, B = X[own[0]], X[own[1]]
        if len(A) + len(B) <= 2:  # one row each: no scatter, the plain difference
            w = (A.mean(axis=0) - B.mean(axis=0)) / np.linalg.norm(A - B)
        else:
            w = naive.fisher_direction(A, B, 1e-3)
        middle = w @ (A.mean(axis=0) + B.mean(axis=0)) / 2
        nearest[own[0]] = np.minimum(nearest[own[0]], np.abs(A @ w - middle))
    np.testing.assert_allclose(
        discriminant_distances(X, y, partition), nearest, rtol=1e-8, atol=1e-12
    )


def test_fld_says_when_there_are_too_many_leaves(monkeypatch, rng):
    monkeypatch.setattr("treesvm.candidates.fld._SCATTER_BYTES", 1000)
    X = rng.normal(size=(200, 5))
    with pytest.raises(ValueError, match="fewer leaves"):
        FLD(pruning=None, random_state=0).fit(X, rng.integers(0, 2, size=200))


def test_progress_only_when_asked():
    X, y = rows_of(0)
    for verbose, expected in ((0, ""), (1, "neighbours of 80 of 80 rows")):
        said = io.StringIO()
        with redirect_stderr(said):
            CBD(0.2, n_neighbors=5, verbose=verbose).fit(X, y)
        assert (expected in said.getvalue()) if expected else not said.getvalue()
