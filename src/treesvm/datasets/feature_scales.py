"""Shift and factor of every feature of a matrix."""

import numpy as np
from scipy import sparse


def scales_of(X, scale):
    """Return (shift, factor) of each feature; constant ones keep their size."""
    width = X.shape[1]
    if scale == "none" or X.shape[0] == 0:
        return np.zeros(width), np.ones(width)
    if sparse.issparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        spread = np.sqrt(np.maximum(square - mean**2, 0.0))
        if scale == "minmax":
            spread = np.abs(X).max(axis=0).toarray().ravel()
        shift = np.zeros(width)
    elif scale == "minmax":
        shift, spread = X.min(axis=0), np.ptp(X, axis=0)
    else:
        shift, spread = X.mean(axis=0), X.std(axis=0)
    return shift, factors_of(spread)


def factors_of(spread):
    """Return what features of some spread are multiplied by; constant ones by one."""
    is_flat = ~(spread > 1e-300)  # smaller spreads would overflow as a divisor
    return 1.0 / np.where(is_flat, 1.0, spread)


def in_scale(X, shift, factor):
    """Return X in its scale, dense rows in place."""
    if sparse.issparse(X):
        return X @ sparse.diags_array(factor)
    X -= shift
    X *= factor
    return X
