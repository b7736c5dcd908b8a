"""Sums over support vectors for single rows, without the overhead of arrays of rows.

A kernel that has a compiled sum offers it as `row_sums`; the others answer single rows
as they answer many.  Loops run over vectors, stored feature by feature, so that they
compile to vector instructions; distances are sums of differences, without cancellation.
"""

import numpy as np

from treesvm.kernels.compiling import compiled, inner
from treesvm.kernels.exponential import exp_minus_one_in_place


@compiled
def gaussian_row_sums(
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
    K = np.zeros(vectors.shape[1])
    for f in range(vectors.shape[0]):
        feature = vectors[f]
        value = (x[columns[f]] - affine[0, f]) * affine[1, f]
        for s in range(len(K)):
            d = feature[s] - value
            K[s] += d * d
    _write_exponentials(K, gamma)
    write_sums(K, coefficients, class_starts, machine_ids, biases, out)


@compiled
def laplacian_row_sums(
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
    """The same for the Laplacian kernel."""
    K = np.zeros(vectors.shape[1])
    for f in range(vectors.shape[0]):
        feature = vectors[f]
        value = (x[columns[f]] - affine[0, f]) * affine[1, f]
        for s in range(len(K)):
            K[s] += abs(feature[s] - value)
    _write_exponentials(K, gamma)
    write_sums(K, coefficients, class_starts, machine_ids, biases, out)


@inner
def _write_exponentials(K, gamma):
    """Replace distances by kernel values."""
    for s in range(len(K)):
        K[s] *= gamma
    exp_minus_one_in_place(K)
    for s in range(len(K)):
        K[s] += 1.0


@inner
def write_sums(K, coefficients, class_starts, machine_ids, biases, out):
    """Write every machine's bias plus the weighted sum of kernel values `K`."""
    for m in range(len(out)):
        out[m] = biases[m]
    for k in range(len(class_starts) - 1):
        own = K[class_starts[k] : class_starts[k + 1]]
        for j in range(machine_ids.shape[1]):
            row = coefficients[j, class_starts[k] : class_starts[k + 1]]
            out[machine_ids[k, j]] += _dot(own, row)


# Reordering the sum is safe: every caller uses this one function, so all of them get
# the same rounding.
@compiled(fastmath={"reassoc", "contract"})
def _dot(a, b):
    """Return the inner product of two vectors."""
    total = 0.0
    for s in range(a.shape[0]):
        total += a[s] * b[s]
    return total
