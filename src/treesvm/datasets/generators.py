"""Seeded problems of any size, for demonstrations and tests."""

import numpy as np

from treesvm.inputs.array_types import Array


def make_waves(
    n_rows: int = 200_000,
    n_features: int = 4,
    *,
    frequency: float = 6.0,
    noise: float = 0.03,
    seed: int = 0,
) -> tuple[Array, Array]:
    """Three classes cut out of a sum of random waves: curved, local, noisy.

    Neither planes nor steps along single features follow the borders well, so kernel
    machines have something to win; and the borders are so many that they take more rows
    to learn than a plain SVM can train on.

    Parameters
    ----------
    n_rows : int, default=200000
        How many.
    n_features : int, default=4
        Columns.
    frequency : float
        How often the height goes up and down along a feature.
    noise : float
        Share of the labels that are drawn at random.
    seed : int
        Of the random numbers.

    Returns
    -------
    X : ndarray of float32, shape (n_rows, n_features)
        In [0, 1].
    y : ndarray of int64, shape (n_rows,)
        0, 1 and 2, equally frequent.

    Examples
    --------
    >>> from treesvm.datasets import make_waves
    >>> X, y = make_waves(300, 2)
    >>> X.shape, sorted(set(y.tolist()))
    ((300, 2), [0, 1, 2])
    """
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, n_features)).astype(np.float32)
    directions = rng.normal(scale=frequency, size=(n_features, 12))
    height = np.cos(2 * np.pi * rng.uniform(size=12) + X @ directions).sum(axis=1)
    y = np.digitize(height, np.quantile(height, [1 / 3, 2 / 3]))
    is_noisy = rng.uniform(size=n_rows) < noise
    y[is_noisy] = rng.integers(3, size=is_noisy.sum())
    return X, y


def make_spirals(
    n_rows: int = 4_000, *, n_turns: float = 1.5, noise: float = 0.02, seed: int = 0
) -> tuple[Array, Array]:
    """Two interleaved spirals in the plane: a picture of what each method can follow.

    Parameters
    ----------
    n_rows : int, default=4000
        How many.
    n_turns : float, default=1.5
        How often a spiral goes round.
    noise : float, default=0.02
        Standard deviation that is added to both features.
    seed : int, default=0
        Of the random numbers.

    Returns
    -------
    X : ndarray of float64, shape (n_rows, 2)
    y : ndarray of int64, shape (n_rows,)
        0 and 1.

    Examples
    --------
    >>> from treesvm.datasets import make_spirals
    >>> X, y = make_spirals(100)
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 2), [0, 1])
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n_rows)
    # The square root spreads the rows evenly over the area instead of the radius.
    radius = np.sqrt(rng.uniform(0.01, 1.0, size=n_rows))
    angle = 2 * np.pi * n_turns * radius + np.pi * y
    X = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return X + rng.normal(scale=noise, size=X.shape), y
