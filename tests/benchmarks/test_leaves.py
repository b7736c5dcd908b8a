"""Leaves for the engine's benchmark, from a small generated set."""

import numpy as np
import pytest

from benchmarks import leaves


@pytest.fixture
def folder(tmp_path, rng, monkeypatch):
    """A set whose entropy tree has leaves between the (lowered) bounds."""
    monkeypatch.setattr(leaves, "CEILING", 150)
    monkeypatch.setattr(leaves, "SMALLEST", 60)
    X = rng.uniform(size=(1200, 3)) * [1, 10, 100]
    y = (np.sin(9 * X[:, 0]) + rng.normal(scale=0.8, size=1200) > 0).astype(int)
    np.savez(tmp_path / "noisy.npz", X=X, y=y)
    np.savez(tmp_path / "pure.npz", X=X, y=(X[:, 0] > 0.5).astype(int))
    return tmp_path


def test_leaves_are_mixed_bounded_and_scaled(folder):
    found = leaves.largest_leaves(folder, "noisy", 2)
    assert len(found) == 2
    for leaf in found:
        assert 60 <= len(leaf.y) <= 150
        assert len(np.unique(leaf.y)) == 2
        assert leaf.X.min() >= 0.0
        assert leaf.X.max() <= 1.0 + 1e-9
    assert len(found[0].y) >= len(found[1].y)


def test_validation_rows_lie_in_the_leaf(folder):
    leaf = leaves.largest_leaves(folder, "noisy", 1)[0]
    assert len(leaf.y_val) > 0
    # A leaf is a box: no training row of it may be separated from all validation rows
    # in the only informative feature by more than the box is wide.
    low, high = leaf.X[:, 0].min(), leaf.X[:, 0].max()
    margin = 0.2 * (high - low) + 0.05
    assert leaf.X_val[:, 0].min() >= low - margin
    assert leaf.X_val[:, 0].max() <= high + margin


def test_set_without_mixed_leaves_gives_random_rows_and_says_so(folder):
    (leaf,) = leaves.largest_leaves(folder, "pure", 3)
    assert leaf.name == "pure, 150 random rows"
    assert len(leaf.y_val) == 37
