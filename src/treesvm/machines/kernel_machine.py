"""A trained set of kernel machines: support vectors, coefficients, decisions.

Support vectors are sorted by class, and every row of `coefficients` holds one vector's
coefficients in the machines of its class, in ascending order of the opposing class (the
layout of scikit-learn's ``dual_coef_``, transposed).  A kernel value is thus computed
once, however many machines use it.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from treesvm.kernels.families import Kernel
from treesvm.machines.row_decision import RowDecider
from treesvm.machines.voting import class_scores

# A float32 kernel value is off by about 6e-8 (1 + gamma R^2); a decision value by that
# times the norm of the coefficients.  16 such errors have never been seen.
_ROUNDING = {np.float32: 1e-6, np.float64: 1e-13}
_PARTIAL_SUMS = 0.5
_WIDEST_BAND = 3e-2  # with a wider band than this, predict in float64
_SMALL_BLOCK = 2**16  # kernel values so few that float64 costs nothing
_DECIDER = "_decider"
_FEW_ROWS = 8  # answered one by one before arrays of them are prepared


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
    def most_steps(self):
        """Steps of the binary machine that took most."""
        return int(self.records["n_iter"].max())

    @property
    def n_coefficients(self):
        """Support vectors summed over the binary machines."""
        return int(np.count_nonzero(self.coefficients))

    @property
    def coefficient_matrix(self):
        """The coefficients spread to (n_vectors, n_machines)."""
        W = np.zeros((self.n_vectors, self.n_machines))
        for k, ids in enumerate(self.machine_ids):
            own = slice(self.class_starts[k], self.class_starts[k + 1])
            W[own, ids] = self.coefficients[own]
        return W

    def _error_scale(self, X):
        """Rounding errors of decision values, as multiples of that of one.

        One row for every row of `X` or one for all, one column for every machine.
        """
        reach = np.ones(1)
        if self.n_vectors:
            reach = self.kernel.reach(self.kernel.facing(X, self.support), self.vectors)
        lengths, partial = self._coefficient_sizes()
        return reach[:, None] * lengths + partial

    def _coefficient_sizes(self):
        """Return what the errors of each machine's sum of kernel values grow with.

        Errors of the values, which have a reach, with the length of the coefficients
        and, as far as they are a row's own and so the same in all values, with the
        bias; those of the partial sums with a share of the coefficients' sum, since
        positive and negative ones may nearly cancel in the end.
        """
        squares, sums = np.zeros(self.n_machines), np.zeros(self.n_machines)
        for k in range(len(self.machine_ids)):
            own = self.coefficients[self.class_starts[k] : self.class_starts[k + 1]]
            squares[self.machine_ids[k]] += np.einsum("ij,ij->j", own, own)
            sums[self.machine_ids[k]] += np.abs(own).sum(axis=0)
        return np.sqrt(squares) + np.abs(self.biases), _PARTIAL_SUMS * sums

    def float32_bands(self):
        """Return what float32 may be off by in each machine, None if it is too much.

        For kernels whose values are at most one.
        """
        return float32_bands(self.kernel, self.vectors, *self._coefficient_sizes())

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
        out = np.tile(self.biases.astype(dtype), (X.shape[0], 1))
        coefficients = self.coefficients.astype(dtype)
        if self.n_vectors == 0:  # the bias alone answers
            return out
        stored = self.vectors, self.support
        for rows, K in self.kernel.blocks(X, *stored, dtype):
            for k in range(len(self.machine_ids)):
                own = slice(self.class_starts[k], self.class_starts[k + 1])
                out[rows, self.machine_ids[k]] += K[:, own] @ coefficients[own]
        return out

    def reliable_decisions(self, X, scaling=None):
        """Decision values whose signs and order do not depend on how rows are batched.

        Rows are evaluated together, in float32 where the coefficients allow it.  Where
        rounding could decide, a row is evaluated in float64, and where it still could,
        alone, by the code that serves single rows.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n, n_features)
        scaling : LeafScaling, optional
            Applied to the rows first, in float64 where rounding could decide.
        """
        if X.shape[0] <= _FEW_ROWS and not sparse.issparse(X):
            decide = self.row_decider(scaling)
            if decide.is_compiled:
                return np.array([decide.of_array(x) for x in X])
        seen = X if scaling is None else scaling.apply(X)
        dtype, scale = np.float32, self._error_scale(seen)
        small = X.shape[0] * self.n_vectors <= _SMALL_BLOCK
        wide = (_ROUNDING[np.float32] * scale > _WIDEST_BAND).any()
        if small or wide or not self.kernel.trusts_float32:
            dtype = np.float64
        out = self.decisions(seen, dtype).astype(np.float64, copy=False)
        doubtful = self._doubtful(out, _ROUNDING[dtype] * scale)
        if len(doubtful) and (dtype == np.float32 or scaling is not None):
            rows = X[doubtful]
            if scaling is not None:
                rows = scaling.apply(rows.astype(np.float64))
            out[doubtful] = self.decisions(rows)
            scale = scale if len(scale) == 1 else scale[doubtful]
            still = self._doubtful(out[doubtful], _ROUNDING[np.float64] * scale)
            doubtful = doubtful[still]
        if len(doubtful):
            decide = self.row_decider(scaling)
            for i in doubtful:
                out[i] = decide(X[i : i + 1])
        return out

    def _doubtful(self, decisions, band):
        """Rows with a decision value, or a lead of the winner, inside the band."""
        close = (np.abs(decisions) <= band).any(axis=1)
        if self.n_machines > 1:
            scores = class_scores(decisions, self.pairs, self.n_classes)
            scores.partition(self.n_classes - 2, axis=1)
            lead = scores[:, -1] - scores[:, -2]
            close |= lead <= 2 * band.max(axis=1)
        return np.flatnonzero(close)

    def row_decider(self, scaling=None):
        """Return a function from one row, not scaled yet, to its decision values.

        It is kept for the next call.
        """
        known = vars(self).get(_DECIDER)
        if known is None or known.scaling is not scaling:
            known = vars(self)[_DECIDER] = RowDecider(self, scaling)
        return known

    def __getstate__(self):
        """What is pickled: not the second copy of the vectors."""
        return {name: own for name, own in vars(self).items() if name != _DECIDER}

    def scores(self, decisions):
        """Return one score for each class, the largest for the answer.

        Two classes: minus and plus the decision value.
        """
        if self.n_classes == 2:
            return np.stack([-decisions[:, 0], decisions[:, 0]], axis=1)
        return class_scores(decisions, self.pairs, self.n_classes)


def float32_bands(kernel, vectors, lengths, partial=0.0):
    """Return what float32 may be off by in each machine, None if it is too much.

    Parameters
    ----------
    kernel : Kernel
        One with a `power`, whose values are at most one.
    vectors : ndarray of shape (n_vectors, width)
    lengths : ndarray of shape (n_machines,)
        Of each machine's coefficients.
    partial : ndarray of shape (n_machines,) or float
        What the errors of partial sums grow with.
    """
    reach = kernel.reach(vectors, vectors)[0] if len(vectors) else 1.0
    bands = _ROUNDING[np.float32] * (reach * lengths + partial)
    return None if (bands > _WIDEST_BAND).any() else bands
