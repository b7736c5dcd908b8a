"""A share of the rows held out to measure on."""

import numpy as np
from sklearn.model_selection import train_test_split

from treesvm.inputs.array_types import Array


def train_test_rows(y: Array, test_share: float, seed: int) -> tuple[Array, Array]:
    """Return row numbers for training and testing, stratified where possible.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Labels.
    test_share : float
        Between 0 and 1.
    seed : int
        Of the draw.

    Returns
    -------
    train, test : ndarray of int

    Raises
    ------
    ValueError
        If the share is not between 0 and 1, or all labels are the same.

    Examples
    --------
    >>> import numpy as np
    >>> from treesvm.datasets import train_test_rows
    >>> train, test = train_test_rows(np.array([0, 0, 0, 0, 1, 1, 1, 1]), 0.25, seed=0)
    >>> len(train), len(test)
    (6, 2)
    """
    if not 0.0 < test_share < 1.0:
        raise ValueError(f"test_share={test_share}; use a share between 0 and 1.")
    labels, counts = np.unique(y, return_counts=True)
    if len(counts) < 2:
        raise ValueError(
            f"all labels are {labels.tolist()[0]!r}, and there is nothing to learn; "
            "name another label column."
        )
    n_test = round(test_share * len(y))
    can_stratify = counts.min() >= 2 and len(counts) <= min(n_test, len(y) - n_test)
    train, test = train_test_split(
        np.arange(len(y)),
        test_size=test_share,
        random_state=seed,
        stratify=y if can_stratify else None,
    )
    if len(np.unique(y[train])) < 2:
        raise ValueError(
            f"without the test rows ({len(test):,} of {len(y):,}) there is one label "
            f"only, {y[train].tolist()[0]!r}; give more rows, or hold out fewer."
        )
    return train, test
