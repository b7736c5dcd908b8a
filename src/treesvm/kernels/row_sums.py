"""Sums over support vectors for single rows, without the overhead of arrays of rows.

For kernels exp(-gamma sum_j |x_j - z_j|^power).  Loops run over the vectors of a tile,
stored feature by feature, so that they compile to vector instructions and what they
write stays in the first level cache.  Distances are sums of differences, without
cancellation.  The type of the vectors is that of the arithmetic: float32 reads half as
many bytes, which is what large machines wait for.
"""

from typing import NamedTuple

import numpy as np

from treesvm.kernels.compiling import compiled, inner

_TILE = 512  # vectors at once
_GROUP = 4  # features, or vectors, of one pass
_WIDE = 8  # machines of a class from which on sums run over machines
_LOG2E, _LN2_HIGH, _LN2_LOW = (
    1.4426950408889634,
    0.693147180369123816490,
    1.90821492927058770002e-10,
)
_FACTORS = 6  # of the series of exp, in one pass
# Terms of that series on |r| <= ln(2) / 2, a whole number of passes and one, and the
# smallest power of two.
_EXP_TERMS = {np.float32: (7, 126), np.float64: (13, 1022)}


class RowLayout(NamedTuple):
    """Machines as `write_row_sums` reads them.

    Attributes
    ----------
    columns : ndarray of shape (width,)
        Features of a row that the machines use.
    affine : ndarray of shape (3, width)
        What is taken from them, the factor, and what is taken from that.
    vectors : ndarray of shape (width, n_vectors)
        Feature by feature, up to a whole pass of features.
    coefficients : ndarray of shape (n_vectors, n_machines of a class)
        Or its transpose, for few machines.
    is_wide : bool
        Which of the two.
    class_starts : ndarray of shape (n_present + 1,)
    machine_ids : ndarray of shape (n_present, n_machines of a class)
    biases : ndarray of shape (n_machines,)
    series, powers : ndarray
        Of the exponential.
    gamma : float
    is_squared : bool
    """

    columns: np.ndarray
    affine: np.ndarray
    vectors: np.ndarray
    coefficients: np.ndarray
    is_wide: bool
    class_starts: np.ndarray
    machine_ids: np.ndarray
    biases: np.ndarray
    series: np.ndarray
    powers: np.ndarray
    gamma: float
    is_squared: bool


def row_layout(kernel, vectors, coefficients, layout, columns, affine, dtype):
    """Return the `RowLayout` of machines in float32 or float64.

    Parameters
    ----------
    kernel : Kernel
        One with a `power`.
    vectors : ndarray of shape (n_vectors, width)
    coefficients : ndarray of shape (n_vectors, n_machines of a class)
    layout : tuple
        Starts of the classes, machines of each class, biases.
    columns : ndarray of shape (width,)
    affine : ndarray of shape (2, width)
        Shift and factor of the features.
    """
    n_vectors, width = vectors.shape
    centre = vectors.mean(axis=0) if n_vectors else np.zeros(width)
    filled = np.zeros((_GROUP * -(-width // _GROUP), n_vectors), dtype)
    filled[:width] = (vectors - centre).T
    starts, machine_ids, biases = layout
    is_wide = coefficients.shape[1] >= _WIDE
    return RowLayout(
        columns.astype(np.int64),
        np.vstack([affine, centre]),
        filled,
        np.ascontiguousarray(coefficients if is_wide else coefficients.T, dtype),
        is_wide,
        starts.astype(np.int64),
        machine_ids.astype(np.int64),
        biases.astype(dtype),
        *exponential_tables(dtype),
        float(kernel.gamma),
        kernel.power == 2,
    )


@compiled(error_model="numpy")
def write_row_sums(x, machines, out):
    """Write the decision values of row `x`, float64, by a `RowLayout` to `out`."""
    vectors, starts, ids = machines.vectors, machines.class_starts, machines.machine_ids
    width, n_vectors = vectors.shape
    # One piece of memory: to allocate five takes as long as the kernels of a few rows.
    memory = np.empty(width + n_vectors + 2 * _TILE + ids.shape[1], vectors.dtype)
    seen, K = memory[:width], memory[width : width + n_vectors]
    sums = memory[width + n_vectors + 2 * _TILE :]
    seen[:], sums[:] = 0, 0
    affine = machines.affine
    for f in range(len(machines.columns)):
        value = (x[machines.columns[f]] - affine[0, f]) * affine[1, f]
        seen[f] = value - affine[2, f]
    scratch = memory[width + n_vectors :][: 2 * _TILE].reshape(2, _TILE)
    for first in range(0, n_vectors, _TILE):  # whatever the class: whole vectors
        own = K[first : min(first + _TILE, n_vectors)]
        _write_distances(seen, vectors, first, machines.is_squared, own)
        exponentials(own, machines.gamma, machines.series, machines.powers, scratch)
    coefficients = machines.coefficients
    for m in range(len(out)):
        out[m] = machines.biases[m]
    for k in range(len(starts) - 1):
        first, last = starts[k], starts[k + 1]
        if machines.is_wide:
            _add_products(K[first:last], coefficients[first:last], sums)
        for j in range(ids.shape[1]):
            if machines.is_wide:
                out[ids[k, j]] += sums[j]
                sums[j] = 0
            else:
                out[ids[k, j]] += _dot(K[first:last], coefficients[j, first:last])


@inner
def _write_distances(x, vectors, first, is_squared, out):
    """Distances of `x` to the vectors from the `first` on, four features a pass."""
    for s in range(len(out)):
        out[s] = 0
    last = first + len(out)
    for f in range(0, len(x), _GROUP):
        a, b, c, d = x[f], x[f + 1], x[f + 2], x[f + 3]
        p, q = vectors[f, first:last], vectors[f + 1, first:last]
        r, t = vectors[f + 2, first:last], vectors[f + 3, first:last]
        if is_squared:
            for s in range(len(out)):
                da, db, dc, dd = a - p[s], b - q[s], c - r[s], d - t[s]
                out[s] += (da * da + db * db) + (dc * dc + dd * dd)
        else:
            for s in range(len(out)):
                low = abs(a - p[s]) + abs(b - q[s])
                out[s] += low + (abs(c - r[s]) + abs(d - t[s]))


def exponential_tables(dtype):
    """Return the series and the powers of two that `exponentials` takes."""
    n_terms, last = _EXP_TERMS[dtype]
    series = (1.0 / np.arange(n_terms, 1, -1)).astype(dtype)
    return series, np.exp2(-np.arange(last + 1.0)).astype(dtype)


@inner
def exponentials(t, gamma, series, powers, scratch):
    """Replace distances `t` by exp(-gamma t) = 2^-k exp(r), |r| <= ln(2) / 2.

    `scratch` holds two rows at least as long as `t`.
    """
    kind = t.dtype.type
    gamma, one, half = kind(gamma), kind(1.0), kind(0.5)
    largest = kind(len(powers) - 1)
    log2e, high, low = kind(_LOG2E), kind(_LN2_HIGH), kind(_LN2_LOW)
    sums, scale = scratch[0], scratch[1]
    for s in range(len(t)):
        x = gamma * t[s]
        steps = x * log2e + half
        k = kind(np.int32(steps if steps < largest else largest))
        r = (k * high - x) + k * low
        t[s] = r if r > -one else -one  # beyond the smallest power: next to nothing
        scale[s] = k
    # A loop of its own: with a table in it, the one above is not made of vectors.
    for s in range(len(t)):
        scale[s] = powers[np.uint32(scale[s])]
        sums[s] = one
    for q in range(0, len(series), _FACTORS):
        a, b, c = series[q], series[q + 1], series[q + 2]
        d, e, f = series[q + 3], series[q + 4], series[q + 5]
        for s in range(len(t)):
            r = t[s]
            v = one + r * b * (one + r * a * sums[s])
            v = one + r * d * (one + r * c * v)
            sums[s] = one + r * f * (one + r * e * v)
    for s in range(len(t)):
        t[s] = scale[s] * (one + t[s] * sums[s])


@inner
def _add_products(K, coefficients, sums):
    """Add ``K @ coefficients``, four vectors a pass."""
    whole = len(K) - len(K) % _GROUP
    for s in range(0, whole, _GROUP):
        a, b, c, d = K[s], K[s + 1], K[s + 2], K[s + 3]
        p, q = coefficients[s], coefficients[s + 1]
        r, t = coefficients[s + 2], coefficients[s + 3]
        for j in range(len(sums)):
            sums[j] += (a * p[j] + b * q[j]) + (c * r[j] + d * t[j])
    for s in range(whole, len(K)):
        for j in range(len(sums)):
            sums[j] += K[s] * coefficients[s, j]


# Reordering the sum is safe: every caller uses this one function, so all of them get
# the same rounding.
@compiled(fastmath={"reassoc", "contract"})
def _dot(a, b):
    """Return the inner product of two vectors."""
    total = a.dtype.type(0)
    for s in range(a.shape[0]):
        total += a[s] * b[s]
    return total
