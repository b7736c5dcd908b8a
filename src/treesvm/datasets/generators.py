"""Seeded problems of any size, for demonstrations and tests."""

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

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
    n_rows, n_features : int
    frequency : float
        How often the height goes up and down along a feature.
    noise : float
        Share of the labels that are drawn at random.
    seed : int

    Returns
    -------
    X : ndarray of float32, shape (n_rows, n_features)
        In [0, 1].
    y : ndarray of int64, shape (n_rows,)
        0, 1 and 2, equally frequent.
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

    Returns
    -------
    X : ndarray of float64, shape (n_rows, 2)
    y : ndarray of int64, shape (n_rows,)
        0 and 1.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n_rows)
    # The square root spreads the rows evenly over the area instead of the radius.
    radius = np.sqrt(rng.uniform(0.01, 1.0, size=n_rows))
    angle = 2 * np.pi * n_turns * radius + np.pi * y
    X = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return X + rng.normal(scale=noise, size=X.shape), y


def make_words(
    n_rows: int = 2_000,
    n_words: int = 5_000,
    *,
    n_topics: int = 4,
    length: int = 40,
    seed: int = 0,
) -> tuple[sparse.csr_matrix, Array]:
    """Short texts about topics: wide, sparse rows of word frequencies.

    Words are as frequent as in a language (Zipf); each topic prefers some of them, and
    half of the words of a text are about its topic.

    Parameters
    ----------
    n_rows : int, default=2000
        How many.
    n_words : int, default=5000
        Columns.
    n_topics : int, default=4
        Classes.
    length : int, default=40
        Words in a text.
    seed : int, default=0
        Of the random numbers.

    Returns
    -------
    X : csr_matrix of float64, shape (n_rows, n_words)
        Rows of length one.
    y : ndarray of int64, shape (n_rows,)
        The topic.

    Examples
    --------
    >>> from treesvm.datasets import make_words
    >>> X, y = make_words(100, 500)
    >>> X.shape, bool(X.nnz < 100 * 40)
    ((100, 500), True)
    """
    rng = np.random.default_rng(seed)
    frequency = 1.0 / np.arange(10, n_words + 10)
    common = np.cumsum(frequency / frequency.sum())
    preferred = frequency * rng.lognormal(sigma=1.0, size=(n_topics, n_words))
    of_topic = np.cumsum(preferred / preferred.sum(axis=1, keepdims=True), axis=1)
    y = rng.integers(n_topics, size=n_rows)
    drawn = rng.uniform(size=(n_rows, length))
    words = np.searchsorted(common, drawn)
    for topic in range(n_topics):
        rows = np.flatnonzero(y == topic)
        words[rows, : length // 2] = np.searchsorted(
            of_topic[topic], drawn[rows, : length // 2]
        )
    words = np.minimum(words, n_words - 1)  # where rounding leaves a gap at one
    rows = np.repeat(np.arange(n_rows), length)
    counts = sparse.coo_matrix(
        (np.ones(rows.size), (rows, words.ravel())), (n_rows, n_words)
    )
    return normalize(sparse.csr_matrix(counts)), y
