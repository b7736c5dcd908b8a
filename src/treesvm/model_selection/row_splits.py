"""Training and validation rows for a share, a number of folds, or a splitter."""

from numbers import Integral

import numpy as np
from sklearn.model_selection import (
    KFold,
    StratifiedKFold,
    check_cv,
    train_test_split,
)

from treesvm.decomposition.checkpointing import checksum

_FEW, _SOME = 1500, 6000  # rows below which five folds judge, and below which three
_HELD_OUT = 0.2


def split_rows(cv, target, seed, kept=None):
    """Return pairs of training and validation rows for a share, a count or a splitter.

    Rows are numbered among `kept`, those with weight (by default all).  A splitter may
    know rows by their number, so it sees all of them; a share or a count is one of the
    kept rows.  "auto" is several folds where rows are few, else a fifth.
    """
    kept = np.arange(len(target)) if kept is None else kept
    own = target[kept]
    is_classes = own.dtype.kind != "f"
    if isinstance(cv, str):
        folds = _by_size(own, seed, is_classes)
    elif isinstance(cv, float):
        folds = [_held_out_share(cv, own, seed, is_classes)]
    elif cv is None or isinstance(cv, Integral):
        folds = check_cv(cv, own, classifier=is_classes).split(own[:, None], own)
    else:
        number = np.full(len(target), -1)
        number[kept] = np.arange(len(kept))
        folds = [
            [number[rows][number[rows] >= 0] for rows in fold]
            for fold in check_cv(cv).split(target[:, None], target)
        ]
    if is_classes:
        folds = [_with_every_class(train, val, own) for train, val in folds]
    splits = list(folds)
    if isinstance(cv, str):  # of few rows, some may all be needed for training
        splits = [split for split in splits if len(split[1])]
    if len(splits) == 0 or min(len(val) for _, val in splits) == 0:
        raise ValueError(
            f"cv={cv!r} holds out no row of n_samples={len(own)} with weight; give "
            "more rows, or take an estimator without a search and give it C and gamma."
        )
    return splits


def _by_size(target, seed, is_classes):
    """Five folds, three, or one cut: one fifth of few rows would be noise."""
    n_rows = len(target)
    if n_rows >= _SOME:
        return [_held_out_share(_HELD_OUT, target, seed, is_classes)]
    n_folds = min(5 if n_rows < _FEW else 3, n_rows)
    if n_folds < 2:
        return []
    is_even = is_classes and np.bincount(target).min() >= n_folds
    kind = StratifiedKFold if is_even else KFold
    folds = kind(n_folds, shuffle=True, random_state=seed)
    return folds.split(target[:, None], target if is_even else None)


def _held_out_share(share, target, seed, is_classes):
    """Hold out a share of the rows, stratified where every class allows it."""
    if not 0.0 < share < 1.0:
        raise ValueError(
            f"cv={share!r} is not possible; use a share between 0 and 1, a number of "
            "folds, or a splitter."
        )
    options = {"test_size": share, "random_state": seed}
    rows = np.arange(len(target))
    is_even = is_classes and np.bincount(target).min() >= 2
    try:
        train, val = train_test_split(
            rows, stratify=target if is_even else None, **options
        )
    except ValueError:  # more classes than held-out rows
        train, val = train_test_split(rows, **options)
    return np.sort(train), np.sort(val)


def _with_every_class(train, val, codes):
    """Move one row of each class that only the validation rows have to the others."""
    missing = np.setdiff1d(codes[val], codes[train])
    if len(missing) == 0:
        return train, val
    moved = np.array([val[np.flatnonzero(codes[val] == c)[0]] for c in missing])
    return np.sort(np.concatenate([train, moved])), np.setdiff1d(val, moved)


def splits_identity(splits):
    """Return a short text that is the same for equal splits only."""
    return " ".join(checksum(rows) for split in splits for rows in split)
