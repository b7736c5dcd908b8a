"""A trained set of kernel machines: support vectors, coefficients, decisions.

Support vectors are sorted by class, and every row of `coefficients` holds one vector's
coefficients in the machines of its class, in ascending order of the opposing class (the
layout of scikit-learn's ``dual_coef_``, transposed).  A kernel value is thus computed
once, however many machines use it.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from treesvm.kernels.kernel import Kernel
from treesvm.solvers.row_decision import RowDecider
from treesvm.solvers.voting import class_scores

_BLOCK_BYTES = 64 * 2**20  # kernel values held at once while predicting
# A float32 kernel value is off by about 6e-8 (1 + gamma R^2); a decision value by that
# times the norm of the coefficients.  16 such errors have never been seen.
_FLOAT32_BAND = 1e-6
_FLOAT64_BAND = 1e-13
_WIDEST_BAND = 1e-2  # with a wider band than this, predict in float64
_SMALL_BLOCK = 2**16  # kernel values so few that float64 costs nothing


@dataclass(frozen=True, eq=False)
class KernelMachine:
    """Binary kernel machines over shared support vectors.

    Attributes
    ----------
    kernel : Kernel
    vectors : ndarray or CSR matrix of shape (n_vectors, n_features)
        Support vectors sorted by class.  For a precomputed kernel, shape (n_vectors,
        0).
    support : ndarray of shape (n_vectors,)
        Their numbers among the training rows.
    class_starts : ndarray of shape (n_present + 1,)
        Vectors of the k-th class that occurs are ``class_starts[k]:class_starts[k +
        1]``.
    machine_ids : ndarray of shape (n_present, width)
        Machines that the vectors of each class take part in.
    coefficients : ndarray of shape (n_vectors, width)
    biases : ndarray of shape (n_machines,)
    pairs : ndarray of shape (n_machines, 2)
        Positive and negative class of each machine, -1 for "all others".
    n_classes : int
    n_training_rows : int
    records : structured ndarray of shape (n_machines,)
        Violation, gap, n_iter and converged of each machine.
    """

    kernel: Kernel
    vectors: object
    support: np.ndarray
    class_starts: np.ndarray
    machine_ids: np.ndarray
    coefficients: np.ndarray
    biases: np.ndarray
    pairs: np.ndarray
    n_classes: int
    n_training_rows: int
    records: np.ndarray

    @property
    def n_machines(self):
        return len(self.pairs)

    @property
    def n_vectors(self):
        """Distinct support vectors."""
        return len(self.support)

    @property
    def n_coefficients(self):
        """Support vectors summed over the binary machines."""
        return int(np.count_nonzero(self.coefficients))

    def rounding_band(self, dtype):
        """Decision values nearer to zero than this may have the wrong sign."""
        norm = np.zeros(self.n_machines)
        for k in range(len(self.machine_ids)):
            own = self.coefficients[self.class_starts[k] : self.class_starts[k + 1]]
            norm[self.machine_ids[k]] += (own**2).sum(axis=0)
        reach = 1.0
        if self.kernel.name == "rbf" and self.n_vectors:
            reach += self.kernel.gamma * _largest_norm(self.vectors)
        unit = _FLOAT32_BAND if dtype == np.float32 else _FLOAT64_BAND
        return unit * reach * np.sqrt(norm)

    def decisions(self, X, dtype=np.float64):
        """Return the decision value of every row for every machine.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)
            For a precomputed kernel, rows of kernel values with all training rows.

        Returns
        -------
        ndarray of shape (n, n_machines)
        """
        n = X.shape[0]
        out = np.tile(self.biases.astype(dtype), (n, 1))
        coefficients = self.coefficients.astype(dtype)
        step = max(1, _BLOCK_BYTES // (np.dtype(dtype).itemsize * (self.n_vectors + 1)))
        for start in range(0, n, step):
            rows = slice(start, start + step)
            K = self._kernel_block(X[rows], dtype)
            for k in range(len(self.machine_ids)):
                own = slice(self.class_starts[k], self.class_starts[k + 1])
                out[rows, self.machine_ids[k]] += K[:, own] @ coefficients[own]
        return out

    def _kernel_block(self, X, dtype):
        if self.kernel.name == "precomputed":
            return np.asarray(X[:, self.support], dtype=dtype)
        if self.kernel.name == "rbf" and not sparse.issparse(self.vectors):
            centre = self.vectors.mean(axis=0)  # distances keep more digits near zero
            X = X.toarray() if sparse.issparse(X) else X
            return self.kernel.block(X - centre, self.vectors - centre, dtype)
        return self.kernel.block(X, self.vectors, dtype)

    def reliable_decisions(self, X, decide_alone=None):
        """Decision values whose signs and order do not depend on how rows are batched.

        Rows are evaluated together, in float32 where the coefficients allow it; a row
        on which rounding could decide is evaluated alone, by the code that serves
        single rows.

        Parameters
        ----------
        decide_alone : callable, optional
            From a row number to its decision values, when `X` was transformed and
            single rows are not.
        """
        dtype = np.float32
        small = X.shape[0] * self.n_vectors <= _SMALL_BLOCK
        if small or (self.rounding_band(np.float32) > _WIDEST_BAND).any():
            dtype = np.float64
        out = self.decisions(X, dtype).astype(np.float64)
        doubtful = self._doubtful(out, self.rounding_band(dtype))
        if len(doubtful) and decide_alone is None:
            decider = self.row_decider()

            def decide_alone(i):
                return decider(X[i : i + 1])

        for i in doubtful:
            out[i] = decide_alone(i)
        return out

    def _doubtful(self, decisions, band):
        """Rows with a decision value, or a lead of the winner, inside the band."""
        close = (np.abs(decisions) <= band).any(axis=1)
        if self.n_machines > 1:
            scores = class_scores(decisions, self.pairs, self.n_classes)
            top = np.sort(scores, axis=1)[:, -2:]
            close |= top[:, 1] - top[:, 0] <= 2 * band.max()
        return np.flatnonzero(close)

    def row_decider(self):
        """Return a function from one row to its decision values, in float64."""
        return RowDecider(self)

    def scores(self, decisions):
        """Return one score for each class, the largest for the answer.

        Two classes: minus and plus the decision value.
        """
        if self.n_classes == 2:
            return np.stack([-decisions[:, 0], decisions[:, 0]], axis=1)
        return class_scores(decisions, self.pairs, self.n_classes)


def _largest_norm(vectors):
    """Largest squared distance of a support vector from their mean."""
    if sparse.issparse(vectors):
        return float(vectors.multiply(vectors).sum(axis=1).max())
    centred = vectors - vectors.mean(axis=0)
    return float(np.einsum("ij,ij->i", centred, centred).max())
