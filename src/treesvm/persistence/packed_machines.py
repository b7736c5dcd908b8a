"""The kernel machines of one model, joined to a few arrays.

Numbers of all machines stand one after the other; `machines.sizes` holds for each
machine its support vectors, their width, the classes that occur, and the training rows.
All machines of a model share the kernel.
"""

from dataclasses import fields
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from treesvm.files.checked_arrays import edges_of
from treesvm.files.failures import require
from treesvm.kernels.kernel import KERNELS, LARGEST_GAMMA
from treesvm.machines.kernel_machine import KernelMachine
from treesvm.machines.layout import class_layout
from treesvm.machines.path import RECORD
from treesvm.machines.scaling import LeafScaling
from treesvm.persistence.json_values import field, real_number, whole_number
from treesvm.persistence.machine_layout import (
    LAYOUTS,
    layout_of,
    machine_counts,
    present_classes,
)
from treesvm.persistence.packed_vectors import read_vectors, write_vectors

_MACHINE_BYTES = 2**14  # what the objects of one machine take, generously
_MAX_ROWS = 2**53
_REPORTED = {"violation": "f8", "gap": "f8", "norm": "f8", "n_iter": "i8"}
_FLAGS = ("converged", "held")
_NUMBERS = {  # of kernels
    "gamma": lambda section: real_number(
        section, "gamma", above=0.0, most=LARGEST_GAMMA
    ),
    "degree": lambda section: whole_number(section, "degree", 0, 2**31 - 1),
    "coef0": lambda section: real_number(section, "coef0"),
}


class PackedMachine(NamedTuple):
    """A machine and the scaling before it, as they lie in a file."""

    machine: KernelMachine
    scaling: LeafScaling | None


def write_machines(leaves, arrays):
    """Put objects with `machine` and `scaling` into `arrays`; return their section."""
    if not leaves:
        return None
    machines = [leaf.machine for leaf in leaves]
    kernel, layout = machines[0].kernel, layout_of(machines)
    if any(machine.kernel != kernel for machine in machines):
        raise ValueError("the leaves have different kernels; a model file holds one.")
    if not kernel.is_storable:
        raise ValueError(
            "kernel is a Python function, which a model file cannot hold because "
            "nothing in it is ever executed; use one of the named kernels "
            f"({', '.join(KERNELS)})."
        )
    present = [present_classes(machine, layout) for machine in machines]
    sizes = [
        (m.n_vectors, m.vectors.shape[1], len(m.class_starts) - 1, m.n_training_rows)
        for m in machines
    ]
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
    is_scaled = leaves[0].scaling is not None
    if is_scaled:
        for name in LeafScaling._fields:
            parts = [getattr(leaf.scaling, name) for leaf in leaves]
            joined[name] = np.concatenate(parts)
    arrays |= {f"machines.{name}": array for name, array in joined.items()}
    return {
        "kernel": kernel.as_json(),
        "layout": layout,
        "is_scaled": is_scaled,
        "vectors": write_vectors([m.vectors for m in machines], arrays),
    }


def read_machines(section, arrays, *, n_machines, n_classes, n_features):
    """Return a list of `PackedMachine` after checking all numbers in them.

    Parameters
    ----------
    section : dict or None
    arrays : ArrayReader
    n_machines : int
        How many there must be.
    n_classes : int
        2 for regressors.
    n_features : int
        Width of the rows that are to be answered.
    """
    if n_machines == 0:
        require(section is None, "it describes machines that belong to no leaf")
        return []
    kernel = read_kernel(field(section, "kernel", dict))
    layout, is_scaled = field(section, "layout", str), field(section, "is_scaled", bool)
    require(layout in LAYOUTS, f"its machines have the unknown layout {layout!r}")
    arrays.charge(_MACHINE_BYTES * n_machines)
    sizes = arrays.take("machines.sizes", "i8", (n_machines, 4), low=0, high=_MAX_ROWS)
    pieces = _Pieces(sizes, layout, arrays, n_classes)
    width = sizes[:, 1]
    scalings = [None] * n_machines
    if is_scaled:
        scalings = read_scalings(arrays, width, n_features)
    else:
        known = 0 if kernel.is_precomputed else n_features
        require(bool((width == known).all()), "its support vectors have a wrong width")
    vectors = read_vectors(field(section, "vectors", str), arrays, sizes[:, :2])
    require(
        not kernel.is_precomputed or not (is_scaled or sparse.issparse(vectors[0])),
        "a machine with a precomputed kernel has vectors of its own",
    )
    return [
        PackedMachine(pieces.machine(k, kernel, vectors[k], n_classes), scalings[k])
        for k in range(n_machines)
    ]


def read_kernel(section):
    """Return the kernel of a section."""
    name = field(section, "name", str)
    require(name in KERNELS, f"its kernel {name!r:.50} is unknown")
    found = KERNELS[name]
    return found(**{own.name: _NUMBERS[own.name](section) for own in fields(found)})


def read_scalings(arrays, width, n_features):
    """Return the scaling of each leaf."""
    columns = arrays.take(
        "machines.columns", "i8", (None,), low=0, high=n_features - 1
    ).astype(np.intp, copy=False)
    shift = arrays.take("machines.shift", "f8", columns.shape)
    factor = arrays.take("machines.factor", "f8", columns.shape)
    edges = edges_of(width, len(columns), "its scalings")
    return [
        LeafScaling(columns[a:b], shift[a:b], factor[a:b]) for a, b in pairwise(edges)
    ]


class _Pieces:
    """The joined arrays of all machines but their vectors, checked."""

    def __init__(self, sizes, layout, arrays, n_classes):
        n_vectors, _, n_present, n_rows = sizes.T
        self.layout, self.n_rows = layout, n_rows
        self._take_classes(arrays, n_vectors, n_present, n_classes)
        n_machines, width = machine_counts(n_present, layout)
        self.support = arrays.take("machines.support", "i8", (None,), low=0)
        self.vector_edges = edges_of(n_vectors, len(self.support), "support vectors")
        require(
            bool((self.support < np.repeat(n_rows, n_vectors)).all()),
            "a support vector is beyond the training rows",
        )
        self.width = width
        self.coefficients = arrays.take("machines.coefficients", "f8", (None,))
        self.coefficient_edges = edges_of(
            n_vectors.astype(float) * width, len(self.coefficients), "coefficients"
        )
        self.biases = arrays.take("machines.biases", "f8", (None,))
        total = len(self.biases)
        self.edges = edges_of(n_machines, total, "its machines")
        arrays.charge(32 * int((n_present * width).sum()) + 16 * total)
        self.records = np.zeros(total, RECORD)
        self.records["bias"] = self.biases
        for name, dtype in _REPORTED.items():
            # Reports only: a gap may be infinite, and no answer depends on it.
            self.records[name] = arrays.take(
                f"machines.{name}", dtype, (total,), is_finite=False
            )
        for name in _FLAGS:
            self.records[name] = arrays.take(f"machines.{name}", "b1", (total,))

    def _take_classes(self, arrays, n_vectors, n_present, n_classes):
        """Take the classes of each machine and how many vectors each class has."""
        is_regression = self.layout == "regression"
        least, most = (1, 1) if is_regression else (2, n_classes)
        require(
            bool(((n_present >= least) & (n_present <= most)).all()),
            "a machine has too few or too many classes",
        )
        n_coded = np.zeros_like(n_present) if is_regression else n_present
        self.present = arrays.take(
            "machines.present", "i4", (None,), low=0, high=n_classes - 1
        )
        self.present_edges = edges_of(n_coded, len(self.present), "present classes")
        inside = np.ones(len(self.present), bool)
        inside[self.present_edges[:-1][n_coded > 0]] = False
        rises = np.diff(self.present, prepend=-1) > 0
        require(bool(rises[inside].all()), "the classes of a machine are not sorted")
        self.counts = arrays.take("machines.class_counts", "i8", (None,), low=0)
        self.count_edges = edges_of(n_present, len(self.counts), "class counts")
        require(
            bool(
                (np.add.reduceat(self.counts, self.count_edges[:-1]) == n_vectors).all()
            ),
            "the vectors of the classes do not add up to those of the machine",
        )
        require(
            is_regression or bool((n_vectors > 0).all()),
            "a machine has no support vector",
        )

    def machine(self, k, kernel, vectors, n_classes):
        """Put the k-th machine together."""
        own = slice(*self.vector_edges[k : k + 2])
        values = slice(*self.coefficient_edges[k : k + 2])
        binary = slice(*self.edges[k : k + 2])
        counts = self.counts[slice(*self.count_edges[k : k + 2])]
        present = self.present[slice(*self.present_edges[k : k + 2])]
        layout = class_layout(present, self.layout)
        return KernelMachine(
            kernel=kernel,
            vectors=vectors,
            support=self.support[own],
            class_starts=np.concatenate([[0], np.cumsum(counts)]),
            machine_ids=layout.machine_ids,
            coefficients=self.coefficients[values].reshape(-1, self.width[k]),
            biases=self.biases[binary],
            pairs=layout.pairs,
            n_classes=n_classes,
            n_training_rows=int(self.n_rows[k]),
            records=self.records[binary],
        )
