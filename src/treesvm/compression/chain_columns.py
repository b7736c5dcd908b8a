"""The columns of a chain's rows, less what the chain explains of them.

All nodes of a chain hold the same rows. With Q an orthonormal basis of the path's
columns and the constant, the parts W = (1 - QQ')K of the columns outside the path need
not be formed to know their sums:

    W'E = K'(E - QQ'E)        |W_k|^2 = |K_k|^2 - |Q'K_k|^2

and a new column adds one direction to Q, so a step costs two products with K.
"""

import numpy as np

from treesvm.compression.column_sums import ColumnSums, squares_of


class ChainColumns:
    """Sums of the columns outside a path that grows.

    Parameters
    ----------
    K : ndarray of shape (n, m), C order
        Terms of the rows. They must stay in their order.
    path : list of int
        Columns of the path.
    """

    def __init__(self, K, path):
        self._K, self._n_columns = K, len(path)
        self._basis = path_basis(K, path)
        self._squares = squares_of(K) - ((K.T @ self._basis) ** 2).sum(axis=1)

    def extend_to(self, path):
        """Let the path grow to `path`, which begins with the columns known so far."""
        for column in path[self._n_columns :]:
            self._add(self._K[:, column])
        self._n_columns = len(path)

    def _add(self, column):
        direction = self._outside(self._outside(column))  # twice is enough
        length = np.linalg.norm(direction)
        if length == 0.0:
            return
        direction /= length
        self._squares -= (self._K.T @ direction) ** 2
        self._basis = np.column_stack([self._basis, direction])

    def sums(self, residual):
        """Return the `ColumnSums` of the columns' parts outside the path."""
        return ColumnSums(self._K.T @ self._outside(residual), self._squares)

    def _outside(self, values):
        return values - self._basis @ (self._basis.T @ values)


def path_basis(K, path):
    """Return an orthonormal basis of the columns of a path and a constant."""
    A = np.column_stack([K[:, path], np.ones(len(K))])
    return np.linalg.qr(A)[0]
