"""The kernels and the scalings of many machines, one of each for every machine.

All machines of a model share the name of their kernel; its numbers are arrays with an
entry for each machine. Scalings are of one kind, which the header names.
"""

from dataclasses import fields
from itertools import pairwise

import numpy as np

from treesvm.decomposition.theta import OPEN
from treesvm.files.failures import require
from treesvm.kernels.kernel import KERNELS
from treesvm.kernels.width import LARGEST_GAMMA
from treesvm.machines.quantile_table import N_KNOTS, QuantileTable
from treesvm.machines.scaling import LeafScaling

_MINMAX, _QUANTILE = "minmax", "quantile"
_DTYPES = {float: "f8", int: "i8"}
# Smallest and largest value of a kernel's numbers; others are finite.
_BOUNDS = {
    "gamma": (np.nextafter(0.0, 1.0), LARGEST_GAMMA),
    "degree": (0, 2**31 - 1),
}


def write_kernels(kernels, arrays):
    """Put the numbers into `arrays`; return the name that the kernels share."""
    first = kernels[0]
    if not first.is_storable:
        raise ValueError(
            "kernel is a Python function, which a model file cannot hold because "
            "nothing in it is ever executed; use one of the named kernels "
            f"({', '.join(KERNELS)})."
        )
    if any(type(kernel) is not type(first) for kernel in kernels):
        raise ValueError("the parts have different kernels; a model file holds one.")
    for own in fields(first):
        numbers = [getattr(kernel, own.name) for kernel in kernels]
        arrays[f"kernels.{own.name}"] = np.array(numbers, _DTYPES[own.type])
    return first.name


def read_kernels(name, arrays, n_kernels):
    """Return so many kernels."""
    is_known = isinstance(name, str) and name in KERNELS
    require(is_known, f"its kernel {name!r:.50} is unknown")
    columns = {}
    for own in fields(KERNELS[name]):
        low, high = _BOUNDS.get(own.name, (None, None))
        dtype, shape = _DTYPES[own.type], (n_kernels,)
        numbers = arrays.take(f"kernels.{own.name}", dtype, shape, low=low, high=high)
        columns[own.name] = numbers.tolist()
    return [
        KERNELS[name](**{key: numbers[k] for key, numbers in columns.items()})
        for k in range(n_kernels)
    ]


def check_kernel(kernel, model):
    """Refuse a kernel that is not the one of the model's parameters, if it has any.

    Where they left it open, it is the one that was chosen.
    """
    wanted = getattr(model, "kernel", kernel.name)
    wanted = getattr(model, "kernel_", None) if wanted == OPEN else wanted
    require(
        KERNELS.get(wanted) is type(kernel),
        f"its kernel is {kernel.name!r} where its parameters say {wanted!r:.50}",
    )


def write_scalings(scalings, arrays):
    """Put the scalings into `arrays`; return the name of their kind, None without."""
    if scalings[0] is None:
        return None
    for name in ("columns", "shift", "factor"):
        joined = np.concatenate([getattr(scaling, name) for scaling in scalings])
        arrays[f"machines.{name}"] = joined
    tables = [scaling.table for scaling in scalings]
    if all(table is None for table in tables):
        return _MINMAX
    # A part in which nothing varies has no table: its only feature is always level 0.
    arrays["machines.has_table"] = np.array([table is not None for table in tables])
    for name in QuantileTable._fields:
        held = [getattr(table, name) for table in tables if table is not None]
        arrays[f"machines.{name}"] = np.concatenate(held)
    return _QUANTILE


def read_scalings(kind, arrays, widths, known_width, n_features):
    """Return the scaling of each machine, None for each without any.

    Parameters
    ----------
    kind : str or None
    widths : ndarray of int
        Features that each machine sees.
    known_width : int
        What they are without a scaling.
    n_features : int
        Features of the rows that are to be answered.
    """
    if kind is None:
        fits = bool((widths == known_width).all())
        require(fits, "its support vectors have a wrong width")
        return [None] * len(widths)
    is_known = kind in (_MINMAX, _QUANTILE)
    require(is_known, f"its scaling is of unknown kind {kind!r:.50}")
    columns = arrays.take_pieces(
        "machines.columns", "i8", widths, low=0, high=n_features - 1
    )
    shift = arrays.take_pieces("machines.shift", "f8", widths)
    factor = arrays.take_pieces("machines.factor", "f8", widths)
    tables = [None] * len(widths)
    if kind == _QUANTILE:
        tables = _read_tables(arrays, widths)
    pieces = zip(columns, shift, factor, tables, strict=True)
    return [LeafScaling(*own) for own in pieces]


def _read_tables(arrays, widths):
    """Return the table of each machine, None for each without any."""
    has_table = arrays.take("machines.has_table", "b1", widths.shape)
    own = widths[has_table]
    shape = (int(own.sum()), N_KNOTS)
    values = arrays.take("machines.values", "f8", shape)
    levels = arrays.take("machines.levels", "f8", shape, low=0.0, high=1.0)
    rises = all((np.diff(held, axis=1) >= 0).all() for held in (values, levels))
    varies = (values[:, -1] > values[:, 0]).all()
    require(bool(rises and varies), "a table of quantiles in it does not rise")
    edges = np.concatenate([[0], np.cumsum(own)])
    made = iter(QuantileTable(values[a:b], levels[a:b]) for a, b in pairwise(edges))
    return [next(made) if has else None for has in has_table]
