"""The data sets of the demonstration: nothing is downloaded."""

from collections.abc import Iterator

from sklearn.datasets import load_digits, make_friedman1

from treesvm.datasets.generators import make_spirals, make_waves, make_words
from treesvm.datasets.table import Table

WAVES_ROWS = 200_000


def embedded_tables(max_rows: int | None = None) -> Iterator[tuple[str, Table]]:
    """Yield (title, Table) of the embedded data sets.

    Parameters
    ----------
    max_rows : int, optional
        Upper limit for generated rows; 200,000 by default.
    """
    X, y = load_digits(return_X_y=True)
    yield "Digits: handwriting, small", Table(X / 16.0, y, "digits")
    n_rows = min(4_000, max_rows or 4_000)
    yield "Spirals: what the methods see", Table(*make_spirals(n_rows), "spirals")
    n_rows = min(WAVES_ROWS, max_rows or WAVES_ROWS)
    yield f"Waves: {n_rows:,} generated rows", Table(*make_waves(n_rows), "waves")
    n_rows = min(2_000, max_rows or 2_000)
    yield "Words: wide and sparse", Table(*make_words(n_rows), "words")
    n_rows = min(10_000, max_rows or 10_000)
    X, y = make_friedman1(n_rows, noise=1.0, random_state=0)
    yield "Friedman: a number to predict", Table(X, y, "friedman")
