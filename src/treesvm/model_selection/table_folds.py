"""Which rows judge a search over a table, and how the space is cut for it."""

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from treesvm.model_selection.row_order import pieces_in_order
from treesvm.model_selection.search_fold import SearchFold
from treesvm.partitions.axis_tree import AxisTree
from treesvm.partitions.whole_space import WholeSpace

FIRST_CEILING = 1500
_ONE_PART = 3000  # training rows up to which one machine sees all of them
# A part of 1,500 rows of as many classes has a million pairs of them to train.
_MANY_CLASSES, _MANY_CEILING = 100, 200
_SEARCHED_ROWS = 40_000  # a search looks at no more rows than these
_FEW, _SOME = 1500, 6000  # rows below which five folds judge, and below which three
_HELD_OUT = 0.2


def searched_rows(rows, seed):
    """Return the rows that a search looks at: all, or a random sample of them."""
    n_rows = len(rows.target)
    if n_rows <= _SEARCHED_ROWS:
        return rows
    rng = np.random.default_rng([seed, 7])
    return rows.take(np.sort(rng.choice(n_rows, _SEARCHED_ROWS, replace=False)))


def table_folds(rows, seed, is_ordered=False):
    """Return the folds of a search, and the ceiling at which they are cut.

    Of rows whose order matters, see `row_order`, stretches are held out.
    """
    splits = _stretches(rows) if is_ordered else _splits(rows, seed)
    n_train = max(len(train) for train, _ in splits)
    recipe, ceiling = AxisTree(), FIRST_CEILING
    if rows.n_classes is not None and rows.n_classes > _MANY_CLASSES:
        ceiling = _MANY_CEILING
    elif n_train <= _ONE_PART:
        recipe, ceiling = WholeSpace(), max(FIRST_CEILING, n_train)
    folds = [
        SearchFold(rows, train, val, recipe, ceiling, seed, number)
        for number, (train, val) in enumerate(splits)
    ]
    return folds, ceiling


def _splits(rows, seed):
    n_rows = len(rows.target)
    numbers = np.arange(n_rows)
    is_numbers = rows.n_classes is None
    smallest = n_rows if is_numbers else np.bincount(rows.target).min()
    stratify = rows.target if not is_numbers and smallest >= 2 else None
    if n_rows >= _SOME:
        if stratify is not None and rows.n_classes > int(_HELD_OUT * n_rows):
            raise ValueError(
                f"y has {rows.n_classes:,} classes in {n_rows:,} rows, too few rows of "
                "a class to hold some back; join rare classes, or check that these "
                "labels are classes."
            )
        halves = train_test_split(
            numbers, test_size=_HELD_OUT, stratify=stratify, random_state=seed
        )
        return [tuple(np.sort(part) for part in halves)]
    n_folds = min(5 if n_rows < _FEW else 3, n_rows)
    if stratify is not None and smallest >= n_folds:
        made = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        return list(made.split(numbers, rows.target))
    made = KFold(n_folds, shuffle=True, random_state=seed)
    return [_with_every_class(*split, rows) for split in made.split(numbers)]


def _stretches(rows):
    """Hold out each of a few stretches: how hard they are differs much."""
    n_rows = len(rows.target)
    n_pieces = min(5 if n_rows < _FEW else 3, n_rows)
    pieces = pieces_in_order(rows, n_pieces)
    return [
        _with_every_class(
            np.flatnonzero(pieces != k), np.flatnonzero(pieces == k), rows
        )
        for k in range(n_pieces)
    ]


def _with_every_class(train, val, rows):
    """Move a row of each class that only the judges have to the training rows."""
    if rows.n_classes is None:
        return train, val
    missing = np.setdiff1d(rows.target[val], rows.target[train])
    moved = [val[np.flatnonzero(rows.target[val] == c)[0]] for c in missing]
    return np.sort(np.append(train, moved).astype(train.dtype)), np.setdiff1d(
        val, moved
    )
