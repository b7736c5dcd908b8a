"""Features rescaled to a leaf's own range.

Rescaling (`leaf_scaling="minmax"`) maps each feature to [0, 1] on the leaf's training
rows.  Features that are constant there say nothing about its classes and are left out.
Rows outside the range keep their distance from it, up to a bound that keeps squares
finite.  Sparse training rows are divided by the range only: for an RBF kernel the shift
cancels.  A scaling with a shift, from dense training rows, makes sparse rows dense.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

_FARTHEST = 1e15  # from a leaf's range of [0, 1]; its square fits into float32


class LeafScaling(NamedTuple):
    """An affine map of the features that vary in a leaf."""

    columns: np.ndarray  # features that are kept
    shift: np.ndarray
    factor: np.ndarray

    def apply(self, X):
        """Return the kept columns of `X`, rescaled."""
        scaled = X[:, self.columns]
        if sparse.issparse(X) and not self.shift.any():
            scaled = (scaled @ sparse.diags(self.factor)).tocsr()
            np.clip(scaled.data, -_FARTHEST, _FARTHEST, out=scaled.data)
            return scaled
        scaled = scaled.toarray() if sparse.issparse(X) else scaled
        with np.errstate(over="ignore"):
            factor = self.factor.astype(X.dtype)
            if not np.isfinite(factor).all():  # a range that float32 does not know
                return self.apply(X.astype(np.float64))
            scaled -= self.shift.astype(X.dtype)
            scaled *= factor
        return np.clip(scaled, -_FARTHEST, _FARTHEST, out=scaled)


def composed(first, then):
    """Return one scaling for two, applied one after the other; None changes nothing."""
    if first is None or then is None:
        return then if first is None else first
    shift, factor = first.shift[then.columns], first.factor[then.columns]
    return LeafScaling(
        first.columns[then.columns], shift + then.shift / factor, factor * then.factor
    )


def minmax_scaling(X):
    """Return the scaling that maps every feature of the rows `X` to [0, 1]."""
    if sparse.issparse(X):
        low = X.min(axis=0).toarray().ravel()
        high = X.max(axis=0).toarray().ravel()
    else:
        low, high = X.min(axis=0), X.max(axis=0)
    low, high = low.astype(np.float64), high.astype(np.float64)
    # A range below the smallest normal number has no finite inverse.
    columns = np.flatnonzero(high - low >= np.finfo(X.dtype).tiny)
    if len(columns) == 0:  # nothing varies: keep one column, so that rows have a width
        return LeafScaling(np.zeros(1, np.intp), low[:1], np.ones(1))
    shift = np.zeros(len(columns)) if sparse.issparse(X) else low[columns]
    return LeafScaling(columns, shift, 1.0 / (high - low)[columns])
