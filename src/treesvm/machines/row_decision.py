"""Decision values of single rows, without the overhead of arrays of rows."""

import numpy as np
from scipy import sparse


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
        self._table = None if scaling is None else scaling.table
        self._sums = machine.kernel.row_sums
        self.is_compiled = self._sums is not None and not sparse.issparse(
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
        if self._table is not None:
            x = self._table.apply(x[None, self.scaling.columns])[0]
        out = np.empty(self.machine.n_machines)
        self._sums(x, *self._arrays, out)
        return out


def row_arrays(machine, scaling=None):
    """Lay a machine and its scaling out for a kernel's `row_sums`."""
    vectors = np.asarray(machine.vectors, np.float64)
    width = vectors.shape[1]
    columns, shift, factor = np.arange(width), np.zeros(width), np.ones(width)
    if scaling is not None:
        shift, factor = scaling.shift, scaling.factor
        # A table picks the columns before it is looked into.
        columns = scaling.columns if scaling.table is None else columns
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
