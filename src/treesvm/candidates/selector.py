"""What every selector does around its one question: which rows to keep.

The convention is imbalanced-learn's: ``fit_resample(X, y)`` returns the kept part, the
row numbers are in ``sample_indices_``. That package is not needed.
"""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.utils import _safe_indexing, check_random_state

from treesvm.inputs.array_types import ArrayLike, MatrixLike
from treesvm.inputs.estimator import Estimator
from treesvm.inputs.training_rows import checked_rows, class_codes
from treesvm.inputs.whole_fit import all_or_nothing

_MOST_BYTES = 2**30  # of sparse rows made dense


class CandidateSelector(Estimator, ABC):
    """Base of all selectors; a subclass answers `_select`.

    Subclasses have the parameters `share` and `random_state`.
    """

    def fit_resample(self, X: MatrixLike, y: ArrayLike) -> tuple[Any, Any]:
        """Return the kept rows of X and y, of the types given.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)

        Returns
        -------
        X_kept, y_kept
            Rows ``sample_indices_``, in ascending order.
        """
        kept = self.fit(X, y).sample_indices_
        X = X.tocsr() if hasattr(X, "tocsr") else X
        return _safe_indexing(X, kept), _safe_indexing(y, kept)

    @all_or_nothing
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Choose the rows; they are in ``sample_indices_`` afterwards.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Rows to choose from.
        y : array-like of shape (n_rows,)
            Their labels.

        Returns
        -------
        self
        """
        self.check_parameters()
        X, y = checked_rows(self, X, y)
        codes = class_codes(y)[1]
        rng = check_random_state(self.random_state)
        n_kept = max(1, round(self.share * len(codes)))
        if n_kept >= len(codes):
            self.sample_indices_ = np.arange(len(codes))
        else:
            rows = self._select(X, codes, n_kept, rng)
            self.sample_indices_ = np.sort(with_every_class(rows, codes, rng))
        return self

    @abstractmethod
    def _select(self, X, codes, n_kept, rng):
        """Return `n_kept` different row numbers, fewer than there are rows.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_rows, n_features)
        codes : ndarray of int, shape (n_rows,)
            Class codes from 0.
        n_kept : int
        rng : RandomState
        """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def with_every_class(rows, codes, rng):
    """Add a random row of each class that `rows` lack."""
    n_classes = int(codes.max()) + 1
    missing = np.setdiff1d(np.arange(n_classes), codes[rows])
    extra = [rng.choice(np.flatnonzero(codes == code)) for code in missing]
    return np.concatenate([rows, np.array(extra, dtype=np.intp)])


def dense_rows(X, what):
    """Return X as a dense float64 array, if that does not take too much memory."""
    n_bytes = 8 * X.shape[0] * X.shape[1]
    if not hasattr(X, "toarray"):
        return np.asarray(X, dtype=np.float64)
    if n_bytes > _MOST_BYTES:
        raise ValueError(
            f"{what} measures distances from centroids, which are dense: {X.shape[0]} "
            f"rows of {X.shape[1]} features would take {n_bytes / 2**30:.1f} GB. Use "
            "RandomRows or CBD, or reduce the features first (TruncatedSVD)."
        )
    return X.toarray().astype(np.float64)
