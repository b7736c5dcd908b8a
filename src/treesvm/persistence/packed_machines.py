"""The kernel machines of one model, joined to a few arrays.

Numbers of all machines stand one after the other; `machines.sizes` holds for each
machine its support vectors, their width, the classes that occur, and the training rows.
`treesvm.machines.layout` numbers the binary machines of a set of classes in a fixed
order, so a file holds the classes only; pairs and machine numbers are made again from
them, and cannot be wrong.
"""

import numpy as np
from scipy import sparse

from treesvm.files.checked_arrays import pieces_of
from treesvm.files.failures import require
from treesvm.files.json_values import field
from treesvm.machines.kernel_machine import KernelMachine
from treesvm.machines.layout import class_layout
from treesvm.machines.path import RECORD
from treesvm.persistence.packed_kernels import (
    read_kernels,
    read_scalings,
    write_kernels,
    write_scalings,
)
from treesvm.persistence.packed_vectors import read_vectors, write_vectors

_LAYOUTS = ("ovo", "ovr", "regression")
_MACHINE_BYTES = 2**14  # what the objects of one machine take, generously
_MAX_ROWS = 2**53
# Reports only: a gap may be infinite, and no answer depends on it.
_REPORTED = {"violation": "f8", "gap": "f8", "norm": "f8", "n_iter": "i8"}
_FLAGS = ("converged", "held")


def write_machines(machines, scalings, arrays):
    """Put machines and their scalings into `arrays`; return their section."""
    layout = _layout_of(machines)
    sizes = [
        (m.n_vectors, m.vectors.shape[1], len(m.class_starts) - 1, m.n_training_rows)
        for m in machines
    ]
    present = [_present_classes(machine, layout) for machine in machines]
    joined = {
        "sizes": np.array(sizes, np.int64),
        "present": np.concatenate(present).astype(np.int32),
        "class_counts": np.concatenate([np.diff(m.class_starts) for m in machines]),
        "support": np.concatenate([m.support for m in machines]).astype(np.int64),
        "coefficients": np.concatenate([m.coefficients.ravel() for m in machines]),
        "biases": np.concatenate([m.biases for m in machines]),
    }
    records = np.concatenate([machine.records for machine in machines])
    joined |= {name: records[name].copy() for name in (*_REPORTED, *_FLAGS)}
    arrays |= {f"machines.{name}": array for name, array in joined.items()}
    return {
        "kernel": write_kernels([machine.kernel for machine in machines], arrays),
        "layout": layout,
        "scaling": write_scalings(scalings, arrays),
        "vectors": write_vectors([machine.vectors for machine in machines], arrays),
    }


def _layout_of(machines):
    """The layout that the machines have in common."""
    if any(len(machine.class_starts) == 2 for machine in machines):
        return "regression"
    is_ovr = any((machine.pairs[:, 1] < 0).any() for machine in machines)
    return "ovr" if is_ovr else "ovo"


def _present_classes(machine, layout):
    """The classes that occur in a machine, ascending; none in a regressor."""
    if layout == "regression":
        return np.zeros(0, np.intp)
    classes = np.unique(machine.pairs)
    return classes[classes >= 0]


def read_machines(section, arrays, *, n_machines, n_classes, n_features):
    """Return pairs of machine and scaling after checking all numbers in them.

    Parameters
    ----------
    section : dict
    arrays : ArrayReader
    n_machines : int
        How many there must be.
    n_classes : int or None
        None for regressors.
    n_features : int
        Width of the rows that are to be answered.
    """
    arrays.charge(_MACHINE_BYTES * n_machines)
    kernels = read_kernels(field(section, "kernel", str), arrays, n_machines)
    layout = field(section, "layout", str)
    require(layout in _LAYOUTS, f"its machines have the unknown layout {layout!r:.50}")
    kind = "regression" if n_classes is None else "classification"
    is_fit = (layout == "regression") == (n_classes is None)
    require(is_fit, f"a machine of it is not made for {kind}")
    sizes = arrays.take("machines.sizes", "i8", (n_machines, 4), low=0, high=_MAX_ROWS)
    is_gram = kernels[0].is_precomputed
    scaling = field(section, "scaling", (str, type(None)))
    scalings = read_scalings(
        scaling, arrays, sizes[:, 1], 0 if is_gram else n_features, n_features
    )
    vectors = read_vectors(field(section, "vectors", str), arrays, sizes[:, :2])
    require(
        not is_gram or (scaling is None and not sparse.issparse(vectors[0])),
        "a machine with a precomputed kernel has vectors of its own",
    )
    machines = _assembled(sizes, layout, arrays, n_classes or 2, kernels, vectors)
    return list(zip(machines, scalings, strict=True))


def _assembled(sizes, layout, arrays, n_classes, kernels, vectors):
    """Return the machines with given kernels and vectors."""
    n_vectors, _, n_present, n_rows = sizes.T
    present, counts = _read_classes(arrays, n_vectors, n_present, layout, n_classes)
    n_binary, width = machine_counts(n_present, layout)
    joined = arrays.take("machines.support", "i8", (None,), low=0)
    support = pieces_of(joined, n_vectors, "support vectors")
    require(
        bool((joined < np.repeat(n_rows, n_vectors)).all()),
        "a support vector is beyond the training rows",
    )
    coefficients = arrays.take_pieces(
        "machines.coefficients", "f8", n_vectors.astype(float) * width
    )
    biases = arrays.take_pieces("machines.biases", "f8", n_binary)
    arrays.charge(32 * int((n_present * width).sum()) + 16 * int(n_binary.sum()))
    records = _read_records(arrays, n_binary, biases)
    machines = []
    for k in range(len(sizes)):
        own = class_layout(present[k], layout)
        machines.append(
            KernelMachine(
                kernel=kernels[k],
                vectors=vectors[k],
                support=support[k],
                class_starts=np.concatenate([[0], np.cumsum(counts[k])]),
                machine_ids=own.machine_ids,
                coefficients=coefficients[k].reshape(-1, width[k]),
                biases=biases[k],
                pairs=own.pairs,
                n_classes=n_classes,
                n_training_rows=int(n_rows[k]),
                records=records[k],
            )
        )
    return machines


def _read_classes(arrays, n_vectors, n_present, layout, n_classes):
    """Return the classes of each machine and how many vectors each class has."""
    is_regression = layout == "regression"
    least, most = (1, 1) if is_regression else (2, n_classes)
    require(
        bool(((n_present >= least) & (n_present <= most)).all()),
        "a machine has too few or too many classes",
    )
    n_coded = np.zeros_like(n_present) if is_regression else n_present
    joined = arrays.take("machines.present", "i4", (None,), low=0, high=n_classes - 1)
    present = pieces_of(joined, n_coded, "present classes")
    follows = np.ones(len(joined), bool)
    follows[(np.cumsum(n_coded) - n_coded)[n_coded > 0]] = False
    rises = np.diff(joined, prepend=-1) > 0
    require(bool(rises[follows].all()), "the classes of a machine are not sorted")
    joined = arrays.take("machines.class_counts", "i8", (None,), low=0)
    counts = pieces_of(joined, n_present, "class counts")
    totals = np.add.reduceat(joined, np.cumsum(n_present) - n_present)
    require(
        bool((totals == n_vectors).all()),
        "the vectors of the classes do not add up to those of the machine",
    )
    require(
        is_regression or bool((n_vectors > 0).all()), "a machine has no support vector"
    )
    return present, counts


def _read_records(arrays, n_binary, biases):
    """Return what training reported about the binary machines of each machine."""
    records = np.zeros(int(n_binary.sum()), RECORD)
    records["bias"] = np.concatenate(biases)
    for name, dtype in _REPORTED.items():
        shape = records.shape
        records[name] = arrays.take(f"machines.{name}", dtype, shape, is_finite=False)
    for name in _FLAGS:
        records[name] = arrays.take(f"machines.{name}", "b1", records.shape)
    return pieces_of(records, n_binary, "its machines")


def machine_counts(n_present, layout):
    """How many machines there are, and how many of them a class takes part in.

    Parameters
    ----------
    n_present : ndarray of int64
        Classes that occur, for each set of machines.

    Returns
    -------
    n_machines, width : ndarray of int64
    """
    n = np.asarray(n_present, dtype=np.int64)
    if layout == "regression":
        return np.ones_like(n), np.ones_like(n)
    if layout == "ovr":
        return np.where(n == 2, 1, n), np.where(n == 2, 1, n)
    return n * (n - 1) // 2, n - 1
