"""The kernels and the scalings of many machines, one of each for every machine.

All machines of a model share the name, degree and coef0 of their kernel; each has a
gamma of its own. Scalings are of one kind, which the header names.
"""

import numpy as np

from treesvm.files.failures import require
from treesvm.files.json_values import field, real_number, whole_number
from treesvm.kernels.kernel import ALIASES, LARGEST_GAMMA, NAMES, Kernel
from treesvm.machines.scaling import LeafScaling

_MINMAX = "minmax"


def write_kernels(kernels, arrays):
    """Put the gammas into `arrays`; return the section of what they share."""
    alike = {kernel.with_gamma(1.0) for kernel in kernels}
    shared = alike.pop()
    if shared.name not in NAMES:
        raise ValueError(
            "kernel is a Python function, which a model file cannot hold because "
            "nothing in it is ever executed; use one of the named kernels "
            f"({', '.join(NAMES)})."
        )
    if alike:
        raise ValueError("the parts have different kernels; a model file holds one.")
    gammas = [kernel.gamma for kernel in kernels]
    arrays["kernels.gamma"] = np.array(gammas, np.float64)
    return {
        "name": shared.name,
        "degree": int(shared.degree),
        "coef0": float(shared.coef0),
    }


def read_kernels(section, arrays, n_kernels):
    """Return so many kernels."""
    name = field(section, "name", str)
    require(name in NAMES, f"its kernel {name!r:.50} is unknown")
    shared = Kernel(
        name,
        1.0,
        whole_number(section, "degree", 0, 2**31 - 1),
        real_number(section, "coef0"),
    )
    gammas = arrays.take("kernels.gamma", "f8", (n_kernels,))
    fits = (gammas > 0.0) & (gammas <= LARGEST_GAMMA)
    require(bool(fits.all()), "a gamma of its kernels is out of range")
    return [shared.with_gamma(gamma) for gamma in gammas.tolist()]


def check_kernel(kernel, model):
    """Refuse a kernel that is not the one of the model's parameters, if it has any."""
    wanted = getattr(model, "kernel", kernel.name)
    require(
        ALIASES.get(wanted, wanted) == kernel.name,
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
