"""Quantiles of features as a small table, and rows mapped to levels in [0, 1] by it.

A feature with long tails squeezes most of its rows into a corner of its range.  Mapped
to their ranks, rows are spread evenly.  The table of a feature holds a few of its
values, ascending, and their levels: ranks scaled to [0, 1], equal values sharing the
middle of their ranks.  Between two values levels are interpolated; outside they go on
with the slope of the whole range, so that far rows stay far.
"""

from typing import NamedTuple

import numpy as np

from treesvm.kernels.compiling import compiled, inner

N_KNOTS = 65


class QuantileTable(NamedTuple):
    """Values and levels of each feature; shorter lists are filled with the last one."""

    values: np.ndarray  # (n_features, n_knots), ascending
    levels: np.ndarray  # (n_features, n_knots)

    def take(self, features):
        """Return the table of some of the features."""
        return QuantileTable(self.values[features], self.levels[features])

    def apply(self, X):
        """Return the levels of rows, shape and type of the dense array `X`."""
        out = np.empty(X.shape, X.dtype)
        _interpolate(np.ascontiguousarray(X), *self, out)
        return out

    def slopes(self, X):
        """Return the slope of the levels at rows; at a knot that to its right."""
        out = np.empty(X.shape)
        _slopes(np.ascontiguousarray(X), *self, out)
        return out


def quantile_table(X):
    """Return the table of the dense rows `X`, in which every feature varies."""
    ordered = np.sort(X.astype(np.float64, copy=False).T, axis=1)
    values = np.empty((len(ordered), N_KNOTS))
    levels = np.empty_like(values)
    _choose_knots(ordered, values, levels)
    return QuantileTable(values, levels)


@compiled(error_model="numpy")
def _choose_knots(ordered, values, levels):
    """Take values at even steps of rank, the first and the last one among them."""
    n_rows, n_knots = ordered.shape[1], values.shape[1]
    step = (n_rows - 1) / (n_knots - 2)
    for f in range(len(ordered)):
        own, filled, wanted, start = ordered[f], 0, 0.0, 0
        while start < n_rows:
            stop = start + 1
            while stop < n_rows and own[stop] == own[start]:
                stop += 1
            if stop - 1 >= wanted or stop == n_rows:
                values[f, filled] = own[start]
                levels[f, filled] = 0.5 * (start + stop - 1)
                filled += 1
                wanted += step
                least = (stop - 1) + 0.5 * step
                wanted = wanted if wanted > least else least
            start = stop
        low, high = levels[f, 0], levels[f, filled - 1]
        for k in range(n_knots):
            if k < filled:
                levels[f, k] = (levels[f, k] - low) / (high - low)
            else:
                values[f, k] = values[f, filled - 1]
                levels[f, k] = 1.0


@compiled(error_model="numpy")
def _interpolate(X, values, levels, out):
    """Write the level of every value to `out`."""
    last = values.shape[1] - 1
    for i in range(len(X)):
        for f in range(X.shape[1]):
            x, own = X[i, f], values[f]
            if x <= own[0] or x >= own[last]:
                edge = 0.0 if x <= own[0] else 1.0
                end = own[0] if x <= own[0] else own[last]
                out[i, f] = edge + (x - end) / (own[last] - own[0])
                continue
            k = _interval(own, x)
            share = (x - own[k]) / (own[k + 1] - own[k])
            out[i, f] = levels[f, k] + share * (levels[f, k + 1] - levels[f, k])


@compiled
def _slopes(X, values, levels, out):
    """Write the slope of the levels at every value to `out`."""
    last = values.shape[1] - 1
    for i in range(len(X)):
        for f in range(X.shape[1]):
            x, own = X[i, f], values[f]
            if x < own[0] or x >= own[last]:
                out[i, f] = 1.0 / (own[last] - own[0])
            else:
                k = _interval(own, x)
                rise = levels[f, k + 1] - levels[f, k]
                out[i, f] = rise / (own[k + 1] - own[k])


@inner
def _interval(own, x):
    """Return k with own[k] <= x < own[k + 1], for x within the values."""
    low, high = 0, len(own) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x < own[middle]:
            high = middle
        else:
            low = middle
    return low
