"""Training and validation rows for a share, a number of folds, or a splitter."""

from numbers import Integral

import numpy as np
from sklearn.model_selection import check_cv, train_test_split

from treesvm.decomposition.checkpointing import checksum


def split_rows(cv, codes, seed, kept=None):
    """Return pairs of training and validation rows for a share, a count or a splitter.

    Rows are numbered among `kept`, those with weight (by default all).  A splitter may
    know rows by their number, so it sees all of them; a share or a count is one of the
    kept rows.
    """
    kept = np.arange(len(codes)) if kept is None else kept
    own = codes[kept]
    if isinstance(cv, float):
        folds = [_held_out_share(cv, own, seed)]
    elif cv is None or isinstance(cv, Integral):
        folds = check_cv(cv, own, classifier=True).split(own[:, None], own)
    else:
        number = np.full(len(codes), -1)
        number[kept] = np.arange(len(kept))
        folds = [
            [number[rows][number[rows] >= 0] for rows in fold]
            for fold in check_cv(cv).split(codes[:, None], codes)
        ]
    splits = [_with_every_class(train, val, own) for train, val in folds]
    if len(splits) == 0 or min(len(val) for _, val in splits) == 0:
        raise ValueError(
            f"cv={cv!r} holds out no row of the {len(own)} with weight; give more "
            "rows, or take DTSVMClassifier with given C and gamma."
        )
    return splits


def _held_out_share(share, codes, seed):
    """Hold out a share of the rows, stratified where every class allows it."""
    if not 0.0 < share < 1.0:
        raise ValueError(
            f"cv={share!r} is not possible; use a share between 0 and 1, a number of "
            "folds, or a splitter."
        )
    options = {"test_size": share, "random_state": seed}
    rows = np.arange(len(codes))
    stratify = codes if np.bincount(codes).min() >= 2 else None
    try:
        train, val = train_test_split(rows, stratify=stratify, **options)
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
