"""Local weights: what a feature counts for, bin by bin along its values.

A learned weight is one number for a feature.  A jump at one value of a feature wants a
large number there and small ones elsewhere, which no single number is.  So let the
weight be a step function along the feature: with squared derivatives summed over rows i
of bin b of feature j,

    G_jb = (sum_i (df / dx_j)^2 + k G_j) / (n_b + k),   G_j their mean over all rows,
    w_jb = w_j (G_jb / G_j)^(1/2),

where w_j is the feature's weight without bins, and k rows of the feature's mean keep
bins of few rows from making up their own.  The kernel then measures distances along

    T_j(x) = integral of w_jb^(1/p),  p = 1 (Laplacian) or 2 (Gaussian),

a table like that of quantiles: steep where the machine's values change, flat elsewhere.
With one bin it is the weight.
"""

import numpy as np
from scipy import sparse

from treesvm.machines.gradients import gradient_squares
from treesvm.machines.quantile_table import QuantileTable, quantile_table
from treesvm.machines.scaling import LeafScaling

MOST_BINS = 16
_PRIOR_ROWS = 30.0  # of the feature's mean, in every bin


class LocalWeights:
    """Weights that differ along the features of a part.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
        Rows as given; a feature of them varies.
    base : LeafScaling
        Without weights.
    power : int
        Of the kernel.
    most_bins : int
        Of each feature.
    """

    n_rows = 500  # whose gradients are summed

    def __init__(self, X, base, power, most_bins=MOST_BINS):
        self._width, self._power = len(base.columns), power
        self._own = np.flatnonzero(varying(X, base))
        self._columns = base.columns[self._own]
        own = X[:, self._columns]
        table = base.table
        table = quantile_table(own) if table is None else table.take(self._own)
        at_knots = table.values if base.table is None else table.levels
        self._values = table.values
        shift, factor = base.shift[self._own, None], base.factor[self._own, None]
        self._gaps = np.diff((at_knots - shift) * factor, axis=1)
        self._n_gaps = (np.diff(table.values, axis=1) > 0).sum(axis=1)
        n_bins, n_gaps = np.minimum(self._n_gaps, most_bins), self._n_gaps
        self._bins = np.arange(self._gaps.shape[1]) * n_bins[:, None] // n_gaps[:, None]
        self._shape = np.ones(self._gaps.shape)
        self._steepness, self._seen = self._shape, np.arange(self._width)

    def outer(self, machine, X, given, codes):
        """Return G_j of a machine, by the features of the base, and note the bins'.

        Parameters
        ----------
        machine : KernelMachine
        X : ndarray of shape (n, n_seen)
            Rows as the machine sees them, by the last scaling.
        given : ndarray of shape (n, n_features)
            The same rows as given.
        codes : ndarray of shape (n,) or None
            Classes.
        """
        squares = np.zeros((len(X), self._width))
        squares[:, self._seen] = gradient_squares(machine, X, codes)
        squares, gap_of = squares[:, self._own], self._gap_of(given)
        features = np.arange(len(self._own))
        # The chain rule's factors: derivatives by what the base makes of features.
        squares *= self._steepness[features, gap_of] ** 2
        total = squares.sum(axis=0)
        self._shape = self._bin_shapes(squares, self._bins[features, gap_of], total)
        out = np.zeros(self._width)
        out[self._own] = total
        return out

    def _gap_of(self, given):
        """Return the gap between knots of every value of rows."""
        columns = given[:, self._columns].T
        places = [
            np.searchsorted(knots[:n], x, side="right") - 1
            for knots, n, x in zip(self._values, self._n_gaps, columns, strict=True)
        ]
        return np.maximum(places, 0).T

    def _bin_shapes(self, squares, bins, total):
        """Return (G_jb / G_j)^(1/2) of every gap between knots."""
        shape = np.ones(self._gaps.shape)
        for j, mean in enumerate(total / len(squares)):
            if mean > 0:
                n_rows = np.bincount(bins[:, j], minlength=self._bins[j].max() + 1)
                found = np.bincount(bins[:, j], squares[:, j], len(n_rows))
                found = (found / mean + _PRIOR_ROWS) / (n_rows + _PRIOR_ROWS)
                shape[j] = np.sqrt(found)[self._bins[j]]
        return shape

    def scaling(self, weight):
        """Return the scaling with weights of the base's features in it."""
        local = weight[self._own, None] * self._shape
        self._steepness = local ** (1.0 / self._power)
        levels = np.cumsum(self._steepness * self._gaps, axis=1)
        reach = levels[:, -1].copy()
        levels /= np.where(reach > 0, reach, 1.0)[:, None]
        levels = np.column_stack([np.zeros(len(reach)), levels])
        levels[:, -1] = 1.0  # also of weights of zero, which are left out
        table = QuantileTable(self._values, levels)
        kept = np.flatnonzero(reach)
        self._seen = self._own[kept if len(kept) else [0]]
        unit = np.ones(len(reach))
        return LeafScaling(self._columns, 0.0 * unit, unit, table).weighted(reach)


def varying(X, base):
    """Return which features of the base vary in dense rows."""
    if sparse.issparse(X):
        raise ValueError(
            "feature_weights='local' needs dense rows, because what it makes of zeros "
            "is not zero; use 'learned' for sparse rows."
        )
    own = X[:, base.columns]
    ranges = own.max(axis=0).astype(np.float64) - own.min(axis=0)
    # A range below the smallest normal number has no finite inverse.
    return (ranges >= np.finfo(X.dtype).tiny) & (base.factor > 0)
