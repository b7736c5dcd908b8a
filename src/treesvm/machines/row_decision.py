"""Decision values and answers of single rows, without the overhead of arrays of rows.

An answer is wanted more often than the values: it is found in float32, which reads half
as much memory, and in float64 only where rounding might decide.
"""

import numpy as np
from scipy import sparse

from treesvm.kernels.compiling import compiled
from treesvm.kernels.row_sums import row_layout, write_row_sums


class RowSums:
    """Values and answers of binary machines whose kernel has compiled sums.

    Parameters
    ----------
    kernel : Kernel
    vectors : ndarray of shape (n_vectors, width)
    coefficients : ndarray of shape (n_vectors, n_machines of a class)
    layout : tuple
        Starts of the classes, machines of each class, biases.
    pairs : ndarray of shape (n_machines, 2)
    n_classes : int
    bands : ndarray of shape (n_machines,) or None
        What float32 may be off by; None if that is too much.
    scaling : LeafScaling, optional
        Applied to the row first.
    """

    def __init__(
        self,
        kernel,
        vectors,
        coefficients,
        layout,
        pairs,
        n_classes,
        bands,
        scaling=None,
    ):
        vectors = np.asarray(vectors, np.float64)
        width = vectors.shape[1]
        columns, affine = np.arange(width), np.stack([np.zeros(width), np.ones(width)])
        if scaling is not None:
            affine = np.stack([scaling.shift, scaling.factor])
            # A table picks the columns before it is looked into.
            columns = scaling.columns if scaling.table is None else columns
        self._scaling = scaling
        self._table = None if scaling is None else scaling.table
        self._parts = (kernel, vectors, coefficients, layout, columns, affine)
        self._layouts = {}
        self._pairs, self._n_classes, self._bands = pairs, n_classes, bands

    def values(self, x, dtype=np.float64):
        """Return the decision values of a row of shape (n_features,)."""
        machines = self._layouts.get(dtype)
        if machines is None:  # most are asked for one of the two only
            machines = self._layouts[dtype] = row_layout(*self._parts, dtype)
        x = np.ascontiguousarray(x, dtype=np.float64)
        if self._table is not None:
            x = self._table.apply(x[None, self._scaling.columns])[0]
        out = np.empty(len(self._pairs), dtype)
        write_row_sums(x, machines, out)
        return out

    def sure_code(self, x):
        """Return the class code of a row, -1 where rounding might decide it."""
        if self._bands is None:
            return -1
        values = self.values(x, np.float32)
        if self._n_classes > 2:
            return sure_winner(values, self._bands, self._pairs, self._n_classes)
        value = values[0]
        return int(value > 0.0) if abs(value) > self._bands[0] else -1


@compiled
def sure_winner(values, bands, pairs, n_classes):
    """Return the class that wins however values move within their bands, -1 if none.

    Of one-against-one machines it has more votes that are certain than any other class
    could get.
    """
    least, most = np.zeros(n_classes), np.zeros(n_classes)
    if pairs[0, 1] < 0:  # one against the rest: a class without machine cannot win
        least[:], most[:] = -np.inf, -np.inf
    for m in range(len(values)):
        value, band = values[m], bands[m]
        if pairs[0, 1] < 0:
            least[pairs[m, 0]], most[pairs[m, 0]] = value - band, value + band
            continue
        for side in range(2):
            lead = value if side == 0 else -value
            least[pairs[m, side]] += lead > band
            most[pairs[m, side]] += lead >= -band
    best = np.argmax(least)
    for c in range(n_classes):
        if c != best and most[c] >= least[best]:
            return -1
    return best


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
        self.is_compiled = machine.kernel.power is not None and not sparse.issparse(
            machine.vectors
        )
        if self.is_compiled:
            self._sums = RowSums(
                machine.kernel,
                machine.vectors,
                machine.coefficients,
                (machine.class_starts, machine.machine_ids, machine.biases),
                machine.pairs,
                machine.n_classes,
                machine.float32_bands(),
                scaling,
            )

    def __call__(self, x):
        """Return an array of shape (n_machines,) for a row of shape (1, n_features)."""
        if not self.is_compiled:
            x = x if self.scaling is None else self.scaling.apply(x)
            return self.machine.decisions(x)[0]
        x = x.toarray() if sparse.issparse(x) else x
        return self.of_array(x.reshape(-1))

    def of_array(self, x):
        """The same for an array of shape (n_features,)."""
        if not self.is_compiled:
            return self(np.ascontiguousarray(x, dtype=np.float64)[None, :])
        return self._sums.values(x)

    def sure_code(self, x):
        """Return the class code of the same row, -1 if it takes the values to know."""
        return self._sums.sure_code(x) if self.is_compiled else -1
