"""The number that a kernel's gamma stands for, on rows as a machine sees them.

A number stands for itself. A word is a unit, which `gamma_scale` multiplies:

"median"  1 / median distance between rows (of product kernels, median squared length)
"scale"   1 / (n_features * variance of X), as in `sklearn.svm.SVC`
"auto"    1 / n_features
"""

import numpy as np
from scipy import sparse

LARGEST_GAMMA = 1e37  # twice as much is still finite in float32
_MOST_ROWS = 300  # whose distances are measured: the median of 45,000 pairs is settled


def settle_gamma(kernel, gamma, X, gamma_scale=1.0):
    """Return gamma as a number for the rows `X`.

    Parameters
    ----------
    kernel : Kernel
        Whose distances "median" measures.
    gamma : {"median", "scale", "auto"} or float
    X : ndarray or CSR matrix of shape (n, n_features)
    gamma_scale : float
        Multiplies the words.
    """
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma not in _UNITS:
        raise ValueError(
            f"gamma={gamma!r} is unknown; use 'median', 'scale', 'auto' or a number."
        )
    settled = float(gamma_scale) * _UNITS[gamma](kernel, X)
    if not settled <= LARGEST_GAMMA:
        raise ValueError(
            f"gamma={settled:.3g} is not possible; it is at most {LARGEST_GAMMA:.0e}. "
            "If the features are tiny, scale them (StandardScaler, MinMaxScaler)."
        )
    return settled


def _of_median(kernel, X):
    n_rows = X.shape[0]
    step = max(1, n_rows // _MOST_ROWS)
    typical = kernel.typical_size(X[::step][:_MOST_ROWS])
    return 1.0 / typical if typical > 0 else 1.0


def _of_variance(kernel, X):
    if sparse.issparse(X):
        variance = X.multiply(X).mean() - X.mean() ** 2
    else:
        variance = np.var(X, dtype=np.float64)
    if variance > 0:
        # A plain float: NumPy's own would change the type of float32 products.
        return 1.0 / float(X.shape[1] * variance)
    # The variance of tiny features is not the zero that it is rounded to.
    return np.inf if np.prod(X.shape) and X.max() > X.min() else 1.0


def _of_width(kernel, X):
    return 1.0 / X.shape[1]


_UNITS = {"median": _of_median, "scale": _of_variance, "auto": _of_width}
