"""Rows at random: the baseline that every selector has to beat."""

import numpy as np

from treesvm.candidates.quotas import apportion, best_of_each
from treesvm.candidates.selector import CandidateSelector
from treesvm.inputs.array_types import Seed


class RandomRows(CandidateSelector):
    """Keep a random share of the rows.

    Parameters
    ----------
    share : float in (0, 1], default=0.1
        Share of the rows to keep.
    stratify : bool, default=True
        Draw from each class in proportion to its rows; this makes the baseline a little
        stronger on few rows.
    random_state : int, RandomState or None
        Seeds what is random; an integer makes fits repeatable.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_kept,)
        Rows kept, ascending; every class is among them.

    Notes
    -----
    When not to use it: where one class is rare or the border between classes is long
    and sharp, `TRSD` keeps more useful rows. On noisy data random rows are hard to
    beat, and cost nothing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treesvm.candidates import RandomRows
    >>> X, y = load_iris(return_X_y=True)
    >>> X_kept, y_kept = RandomRows(0.2, random_state=0).fit_resample(X, y)
    >>> X_kept.shape
    (30, 4)
    """

    def __init__(
        self, share: float = 0.1, *, stratify: bool = True, random_state: Seed = None
    ) -> None:
        self.share = share
        self.stratify = stratify
        self.random_state = random_state

    def _select(self, X, codes, n_kept, rng):
        if not self.stratify:
            return rng.choice(len(codes), n_kept, replace=False)
        sizes = np.bincount(codes)
        quotas = apportion(n_kept, sizes, sizes)
        return best_of_each(codes, rng.random_sample(len(codes)), quotas)
