"""Decision values and answers of single rows, without the overhead of arrays of rows.

An answer is wanted more often than the values: it is found in float32, which reads half
as much memory, and in float64 only where rounding might decide.
"""

import numpy as np
from scipy import sparse

from treesvm.kernels.compiling import compiled, inner
from treesvm.kernels.row_sums import RowLayout, row_layout, write_row_sums


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
        self._packed = {}
        self._at_once = None  # for rows that no table has to see first
        self._pairs, self._n_classes, self._bands = pairs, n_classes, bands

    def values(self, x):
        """Return the decision values of a row of shape (n_features,)."""
        out = np.empty(len(self._pairs))
        _write_values(self._seen(x), *self._arrays(np.float64), out)
        return out

    def sure_code(self, x):
        """Return the class code of a row, -1 where rounding might decide it."""
        arrays = self._at_once
        if arrays is None:
            if self._bands is None:
                return -1
            x, arrays = self._seen(x), self._arrays(np.float32)
            self._at_once = arrays if self._table is None else None
        whole, own, double = arrays  # named: a call with a star takes longer
        return _sure_code(np.ascontiguousarray(x, np.float64), whole, own, double)

    def _arrays(self, dtype):
        """Return the machines in one precision; most are asked for one only."""
        if dtype not in self._packed:
            machines = row_layout(*self._parts, dtype)
            bands = np.zeros(0) if self._bands is None else self._bands
            packed = _packed(machines, self._pairs, bands, self._n_classes)
            self._packed[dtype] = packed
        return self._packed[dtype]

    def _seen(self, x):
        """Return the row in double precision, by the quantiles of a table."""
        x = np.ascontiguousarray(x, np.float64)
        if self._table is None:
            return x
        return self._table.apply(x[None, self._scaling.columns])[0]


# Taking an argument apart costs a compiled call more than the kernels of a small
# machine: whole numbers, numbers of the machines' precision and double ones lie end to
# end in three arrays.
_N_COUNTS = 10


def _packed(machines, pairs, bands, n_classes):
    """Return a `RowLayout` and what makes answers of values as three arrays."""
    m = machines
    counts = [
        len(m.columns),
        *m.vectors.shape,
        *m.machine_ids.shape,
        len(pairs),
        len(m.series),
        n_classes,
        m.is_wide,
        m.is_squared,
    ]
    whole = (counts, m.columns, m.class_starts, m.machine_ids, pairs)
    own = (m.vectors, m.coefficients, m.biases, m.series, m.powers)
    return (
        _end_to_end(whole, np.int64),
        _end_to_end(own, m.vectors.dtype),
        _end_to_end((m.affine, [m.gamma], bands), np.float64),
    )


def _end_to_end(arrays, dtype):
    return np.concatenate([np.asarray(array, dtype).ravel() for array in arrays])


@inner
def _layout(whole, own, double):
    """Return the `RowLayout` that was packed, and the machines' pairs and bands."""
    width, n_filled, n_vectors = whole[0], whole[1], whole[2]
    n_present, n_own, n_machines, n_series = whole[3], whole[4], whole[5], whole[6]
    is_wide, is_squared = whole[8] == 1, whole[9] == 1
    starts = _N_COUNTS + width
    ids = starts + n_present + 1
    pairs = ids + n_present * n_own
    coefficients = n_filled * n_vectors
    biases = coefficients + n_vectors * n_own
    series = biases + n_machines
    powers = series + n_series
    machines = RowLayout(
        whole[_N_COUNTS:starts],
        double[: 3 * width].reshape(3, width),
        own[:coefficients].reshape(n_filled, n_vectors),
        own[coefficients:biases].reshape(
            n_vectors if is_wide else n_own, n_own if is_wide else n_vectors
        ),
        is_wide,
        whole[starts:ids],
        whole[ids:pairs].reshape(n_present, n_own),
        own[biases:series],
        own[series:powers],
        own[powers:],
        double[3 * width],
        is_squared,
    )
    return machines, whole[pairs:].reshape(n_machines, 2), double[3 * width + 1 :]


@compiled
def _write_values(x, whole, own, double, out):
    """Write the values of row `x` to `out`."""
    write_row_sums(x, _layout(whole, own, double)[0], out)


@compiled
def _sure_code(x, whole, own, double):
    """Return the class of row `x`, -1 where the rounding of values might decide it."""
    machines, pairs, bands = _layout(whole, own, double)
    values = np.empty(len(pairs), own.dtype)
    write_row_sums(x, machines, values)
    n_classes = whole[7]
    if n_classes > 2:
        return sure_winner(values, bands, pairs, n_classes)
    if abs(values[0]) > bands[0]:
        return 1 if values[0] > 0.0 else 0
    return -1


@compiled
def sure_winner(values, bands, pairs, n_classes):
    """Return the class that wins however values move within their bands, -1 if none.

    Of one-against-one machines it has more votes that are certain than any other class
    could get.
    """
    ends = np.zeros((2, n_classes))
    least, most = ends[0], ends[1]
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


def not_sure(x):
    """Stand for a `sure_code` where it takes the values to know the class of a row."""
    return -1


class RowDecider:
    """Decision values of one row for all machines of a `KernelMachine`.

    `sure_code` is that of `RowSums`: a method around it would cost a tenth of a
    microsecond.

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
        self.sure_code = not_sure
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
            self.sure_code = self._sums.sure_code

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
