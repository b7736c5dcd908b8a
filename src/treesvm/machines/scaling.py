"""How a part sees the features of rows: in units of its own rows.

"minmax" maps each feature to [0, 1] on the part's training rows, "quantile" maps it to
its ranks there (see `quantile_table`), "standard" divides it by its standard deviation,
but for features of two values: beside an indicator of a category, numbers then count
for much more than in [0, 1], where most of them are close.  Features that are constant
there say nothing about its classes and are left out.  Rows outside the range keep their
distance from it, up to a bound that keeps squares finite.  Sparse training rows are
divided by the range only: for a distance kernel the shift cancels.  A scaling with a
shift, from dense training rows, makes sparse rows dense.

Feature weights are part of the scaling: a kernel with weights w is the kernel without
them on features multiplied by w (Laplacian) or its square root (Gaussian).  So weights
cost nothing at prediction, and vectors are stored as the machine sees them.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from treesvm.machines.quantile_table import QuantileTable, quantile_table

FARTHEST = 1e15  # from a part's range of [0, 1]; its square fits into float32


class LeafScaling(NamedTuple):
    """A map of the features that a part looks at: first a table, then shift and factor.

    Attributes
    ----------
    columns : ndarray of shape (width,)
        Features that are kept.
    shift, factor : ndarray of shape (width,)
    table : QuantileTable or None
        From values to levels.
    """

    columns: np.ndarray
    shift: np.ndarray
    factor: np.ndarray
    table: QuantileTable | None = None

    def apply(self, X):
        """Return the kept columns of `X`, rescaled."""
        scaled = X[:, self.columns]
        if sparse.issparse(X) and self.table is None and not self.shift.any():
            scaled = (scaled @ sparse.diags(self.factor)).tocsr()
            np.clip(scaled.data, -FARTHEST, FARTHEST, out=scaled.data)
            return scaled
        scaled = scaled.toarray() if sparse.issparse(X) else scaled
        with np.errstate(over="ignore"):
            factor = self.factor.astype(X.dtype)
            if not np.isfinite(factor).all():  # a range that float32 does not know
                return self.apply(X.astype(np.float64))
            if self.table is not None:
                scaled = self.table.apply(scaled)
            scaled -= self.shift.astype(X.dtype)
            scaled *= factor
        return np.clip(scaled, -FARTHEST, FARTHEST, out=scaled)

    def slopes(self, X):
        """Return how fast the kept features change with those given, at the rows."""
        if self.table is None:
            return self.factor[None, :]
        kept = X[:, self.columns]
        kept = kept.toarray() if sparse.issparse(kept) else kept
        return self.table.slopes(kept) * self.factor

    def weighted(self, factor):
        """Return the scaling followed by a factor for each of its features.

        Features whose factor is zero are left out, but for one if all are.
        """
        kept = np.flatnonzero(factor)
        kept = np.zeros(1, np.intp) if len(kept) == 0 else kept
        return LeafScaling(
            self.columns[kept],
            self.shift[kept],
            self.factor[kept] * factor[kept],
            None if self.table is None else self.table.take(kept),
        )


def part_scaling(X, kind):
    """Return the scaling of a part's rows.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
    kind : {"minmax", "standard", "quantile", None}
        None for none.
    """
    if kind is None:
        return None
    if kind != "minmax" and sparse.issparse(X):
        raise ValueError(
            f"leaf_scaling={kind!r} needs dense rows, because what it makes of zeros "
            "is not zero; use 'minmax' or None for sparse rows."
        )
    scaling = minmax_scaling(X)
    if kind == "minmax" or not _varies(X, scaling):
        return scaling
    if kind == "standard":
        return _standardised(X, scaling)
    width = len(scaling.columns)
    table = quantile_table(X[:, scaling.columns])
    return LeafScaling(scaling.columns, np.zeros(width), np.ones(width), table)


def _standardised(X, scaling):
    """Return the scaling to a variance of one; features of two values keep [0, 1]."""
    seen = scaling.apply(X).astype(np.float64)
    spread = seen.std(axis=0)
    has_two_values = ((seen == 0.0) | (seen == 1.0)).all(axis=0)
    return scaling.weighted(np.where(has_two_values, 1.0, 1.0 / spread))


def _varies(X, scaling):
    """Whether a scaling kept features that differ, and not just one of equal ones."""
    first = X[:, scaling.columns[0]]
    return bool(first.max() > first.min())


def identity_scaling(n_features):
    """Return the scaling that leaves rows as they are."""
    return LeafScaling(np.arange(n_features), np.zeros(n_features), np.ones(n_features))


def composed(first, then):
    """Return one scaling for two, applied one after the other; None changes nothing."""
    if first is None or then is None:
        return then if first is None else first
    shift, factor = first.shift[then.columns], first.factor[then.columns]
    return LeafScaling(
        first.columns[then.columns],
        shift + np.divide(then.shift, factor, out=0.0 * factor, where=factor != 0),
        factor * then.factor,
        None if first.table is None else first.table.take(then.columns),
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
    if (
        len(columns) == 0
    ):  # nothing varies: one column of zeros, so that rows have a width
        return LeafScaling(np.zeros(1, np.intp), low[:1], np.zeros(1))
    shift = np.zeros(len(columns)) if sparse.issparse(X) else low[columns]
    return LeafScaling(columns, shift, 1.0 / (high - low)[columns])
