"""Rows prepared for majorization: centred, and their second moments taken apart once.

For weights p and rows centred at their weighted mean, every step of SVM-Maj with one
curvature a solves (a G + lambda I) d = r with G = X'PX. With G = U diag(D) U' that is

    d = U ((U'r) / (a D + lambda))

for every a and every lambda, and the intercept, which is not penalised, separates.

If there are more features than rows, G has no more non-zero eigenvalues than rows.
They come from the n × n matrix P^1/2 X X' P^1/2 = V diag(D) V' instead, and everything
is computed in the coordinates X U = P^-1/2 V D^1/2 ("in the dual").
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from treesvm.inputs.row_access import row_arrays, row_matrix
from treesvm.solvers.row_moments import bordered_moments

_RANK = 1e-12  # eigenvalues smaller than this share of the largest are rounding errors


class MajorizedRows(NamedTuple):
    """Rows in the coordinates in which a solver works."""

    Z: object  # (n_rows, r) float64 array in C order, or CSR
    arrays: tuple  # Z as compiled code reads it
    shift: np.ndarray  # (r,) mean that Z still has: 0 if dense, since it is centred
    mean: np.ndarray  # (n_features,) weighted mean of X, 0 without intercept
    weight: np.ndarray  # (n_rows,) float64
    directions: np.ndarray  # (r, r) U
    eigenvalues: np.ndarray  # (r,) D, not negative
    back: np.ndarray | None  # (n_features, r) from these coordinates to features
    has_bias: bool

    def unfold(self, w, bias):
        """Return weights and intercept for the original features."""
        w = w if self.back is None else self.back @ w
        return w, float(bias - self.mean @ w)

    def fold(self, w, bias):
        """Return weights and intercept in the coordinates of Z."""
        bias = float(bias + self.mean @ w)
        return (w if self.back is None else self.back.T @ w), bias

    def take(self, chosen):
        """Return some of the rows, with the moments of all."""
        Z = self.Z[chosen]
        return self._replace(Z=Z, arrays=row_arrays(Z), weight=self.weight[chosen])

    def bordered_gram(self, weight):
        """Return the second moments of (x - shift, 1) with other weights."""
        r = len(self.shift)
        out = np.empty((r + 1, r + 1))
        bordered_moments(self.arrays, weight, self.shift, out)
        return out


def majorized_rows(X, weight=None, *, fit_intercept=True):
    """Centre rows and decompose their second moments.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        Sparse rows are not filled: their mean is subtracted where it is needed.
    weight : ndarray of shape (n_rows,), optional
        Positive weights p.
    fit_intercept : bool
        Without an intercept nothing is centred.

    Returns
    -------
    MajorizedRows
    """
    X = row_matrix(X)
    n_rows, n_features = X.shape
    weight = np.ones(n_rows) if weight is None else np.asarray(weight, np.float64)
    mean = np.zeros(n_features)
    if fit_intercept:
        mean = np.asarray(X.T @ weight, np.float64) / weight.sum()
    is_sparse = sparse.issparse(X)
    Z = X.astype(np.float64) if is_sparse else X - mean
    shift = mean if is_sparse else np.zeros(n_features)
    if n_features > n_rows:
        return _in_the_dual(Z, shift, mean, weight, fit_intercept)
    arrays, moments = row_arrays(Z), np.empty((n_features + 1, n_features + 1))
    bordered_moments(arrays, weight, shift, moments)
    eigenvalues, directions = np.linalg.eigh(moments[:-1, :-1])
    return MajorizedRows(
        Z,
        arrays,
        shift,
        mean,
        weight,
        np.ascontiguousarray(directions),
        np.maximum(eigenvalues, 0.0),
        None,
        fit_intercept,
    )


def _in_the_dual(Z, shift, mean, weight, has_bias):
    """Return the rows in at most n coordinates."""
    root = np.sqrt(weight)
    inner = Z @ Z.T
    inner = inner.toarray() if sparse.issparse(inner) else inner
    cross = np.asarray(Z @ shift)
    inner = inner - cross[:, None] - cross[None, :] + shift @ shift
    eigenvalues, V = np.linalg.eigh(inner * np.outer(root, root))
    kept = eigenvalues > _RANK * max(eigenvalues[-1], np.finfo(float).tiny)
    eigenvalues, V = eigenvalues[kept], V[:, kept]
    spread = root[:, None] * V / np.sqrt(eigenvalues)
    back = np.asarray(Z.T @ spread) - np.outer(shift, spread.sum(axis=0))
    coordinates = np.ascontiguousarray(V * np.sqrt(eigenvalues) / root[:, None])
    r = len(eigenvalues)
    return MajorizedRows(
        coordinates,
        row_arrays(coordinates),
        np.zeros(r),
        mean,
        weight,
        np.eye(r),
        eigenvalues,
        back,
        has_bias,
    )
