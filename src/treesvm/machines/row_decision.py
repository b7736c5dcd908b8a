"""Decision values of single rows, without the overhead of arrays of rows.

Loops run over support vectors, stored feature by feature, so that they compile to
vector instructions; distances are sums of squared differences, without cancellation.
"""

import numpy as np
from numba import njit
from scipy import sparse

from treesvm.kernels.exponential import exp_minus_one_in_place


class RowDecider:
    """Decision values of one row for all machines of a `KernelMachine`.

    Parameters
    ----------
    machine : KernelMachine
    scaling : LeafScaling, optional
        Applied to the row first.
    """

    def __init__(self, machine, scaling=None):
        self.machine, self.scaling = machine, scaling
        self.is_compiled = machine.kernel.name == "rbf" and not sparse.issparse(
            machine.vectors
        )
        if self.is_compiled:
            self._arrays = row_arrays(machine, scaling)

    def __call__(self, x):
        """Return an array of shape (n_machines,) for a row of shape (1, n_features)."""
        if not self.is_compiled:
            x = x if self.scaling is None else self.scaling.apply(x)
            return self.machine.decisions(x)[0]
        x = x.toarray() if sparse.issparse(x) else x
        return self.of_array(x.reshape(-1))

    def of_array(self, x):
        """The same for an array of shape (n_features,)."""
        x = np.ascontiguousarray(x, dtype=np.float64)
        if not self.is_compiled:
            return self(x[None, :])
        out = np.empty(self.machine.n_machines)
        rbf_decisions(x, *self._arrays, out)
        return out


def row_arrays(machine, scaling=None):
    """Lay a machine and its scaling out for `rbf_decisions`."""
    vectors = np.asarray(machine.vectors, np.float64)
    width = vectors.shape[1]
    columns, shift, factor = np.arange(width), np.zeros(width), np.ones(width)
    if scaling is not None:
        columns, shift, factor = scaling
    return (
        columns.astype(np.int64),
        np.stack([shift, factor]),
        np.ascontiguousarray(vectors.T),
        np.ascontiguousarray(machine.coefficients.T),
        machine.class_starts.astype(np.int64),
        machine.machine_ids.astype(np.int64),
        machine.biases,
        float(machine.kernel.gamma),
    )


@njit(cache=True, nogil=True)
def rbf_decisions(
    x,
    columns,
    affine,
    vectors,
    coefficients,
    class_starts,
    machine_ids,
    biases,
    gamma,
    out,
):
    """Write the decision values of row `x` to `out`.

    Parameters
    ----------
    columns : ndarray of shape (width,)
        Features of `x` that the machine uses.
    affine : ndarray of shape (2, width)
        Their shift and factor.
    vectors : ndarray of shape (width, n_vectors)
    coefficients : ndarray of shape (n_machines of a class, n_vectors)
    """
    n = vectors.shape[1]
    K = np.zeros(n)
    for f in range(vectors.shape[0]):
        feature = vectors[f]
        value = (x[columns[f]] - affine[0, f]) * affine[1, f]
        for s in range(n):
            d = feature[s] - value
            K[s] += d * d
    for s in range(n):
        K[s] *= gamma
    exp_minus_one_in_place(K)
    for s in range(n):
        K[s] += 1.0
    for m in range(len(out)):
        out[m] = biases[m]
    for k in range(len(class_starts) - 1):
        own = K[class_starts[k] : class_starts[k + 1]]
        for j in range(machine_ids.shape[1]):
            row = coefficients[j, class_starts[k] : class_starts[k + 1]]
            out[machine_ids[k, j]] += _dot(own, row)


# Reordering the sum is safe: every caller uses this one function, so all of them get
# the same rounding.
@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _dot(a, b):
    """Return the inner product of two vectors."""
    total = 0.0
    for s in range(a.shape[0]):
        total += a[s] * b[s]
    return total
