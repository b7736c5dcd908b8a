"""The kernels and the scalings of many machines, one of each for every machine.

All machines of a model share the name of their kernel; its numbers are arrays with an
entry for each machine. Scalings are of one kind, which the header names.
"""

from dataclasses import fields

import numpy as np

from treesvm.files.failures import require
from treesvm.kernels.kernel import KERNELS, LARGEST_GAMMA
from treesvm.machines.scaling import LeafScaling

_MINMAX = "minmax"
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
    """Refuse a kernel that is not the one of the model's parameters, if it has any."""
    wanted = getattr(model, "kernel", kernel.name)
    require(
        KERNELS.get(wanted) is type(kernel),
        f"its kernel is {kernel.name!r} where its parameters say {wanted!r:.50}",
    )


def write_scalings(scalings, arrays):
    """Put the scalings into `arrays`; return the name of their kind, None without."""
    if scalings[0] is None:
        return None
    for name in LeafScaling._fields:
        joined = np.concatenate([getattr(scaling, name) for scaling in scalings])
        arrays[f"machines.{name}"] = joined
    return _MINMAX


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
    require(kind == _MINMAX, f"its scaling is of unknown kind {kind!r:.50}")
    columns = arrays.take_pieces(
        "machines.columns", "i8", widths, low=0, high=n_features - 1
    )
    shift = arrays.take_pieces("machines.shift", "f8", widths)
    factor = arrays.take_pieces("machines.factor", "f8", widths)
    return [LeafScaling(*own) for own in zip(columns, shift, factor, strict=True)]
