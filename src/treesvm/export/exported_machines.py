"""Members and machines as arrays: sums over vectors, or walks along score trees."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from treesvm.compression.compressed_machine import CompressedMachine
from treesvm.decomposition.part import certain_scores
from treesvm.kernels.kernel import (
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    Sigmoid,
)
from treesvm.machines.quantile_table import QuantileTable
from treesvm.machines.scaling import LeafScaling, identity_scaling
from treesvm.machines.voting import class_evidence, class_scores
from treesvm.partitions import WholeSpace
from treesvm.trees.routing import LEAF

KERNELS = (Gaussian, Laplacian, Linear, Polynomial, Sigmoid)


class Sum(NamedTuple):
    """Values of binary machines: biases plus weighted kernels, in blocks of vectors.

    The vectors ``starts[b]:starts[b + 1]`` of block b take part in the machines
    ``machine_ids[b]``, with the coefficients of their rows.
    """

    scaling: LeafScaling
    kernel: Any
    vectors: np.ndarray  # (n_vectors, width), dense
    starts: np.ndarray  # (n_blocks + 1,)
    machine_ids: np.ndarray  # (n_blocks, n_columns)
    coefficients: np.ndarray  # (n_vectors, n_columns)
    biases: np.ndarray  # (n_machines,)
    pairs: np.ndarray  # (n_machines, 2), as in `KernelMachine`


class Walk(NamedTuple):
    """Values of machines by score trees; see `treesvm.compression.score_tree`."""

    scaling: LeafScaling
    kernel: Any
    vectors: np.ndarray
    trees: tuple[Any, ...]
    pairs: np.ndarray


class Member(NamedTuple):
    """A partition, the machines of its parts, and what answers where there is none."""

    partition: Any
    machines: list[Sum | Walk | None]
    constants: np.ndarray  # (n_parts, n_outputs): scores of parts without machine
    is_scaled: bool  # whether rows are clipped after their scaling
    n_classes: int | None  # None: the values themselves are the output
    gives_evidence: bool = False  # instead of scores: what probabilities are made of

    @property
    def n_outputs(self):
        """Numbers that the member says of a row."""
        return self.constants.shape[1]

    @property
    def walks(self):
        """Whether its machines are score trees."""
        return any(isinstance(machine, Walk) for machine in self.machines)

    @property
    def is_blocked(self):
        """Whether vectors of different blocks take part in different machines."""
        sums = (m for m in self.machines if isinstance(m, Sum))
        return any(len(machine.machine_ids) > 1 for machine in sums)

    @property
    def has_tables(self):
        """Whether its parts map features to quantiles."""
        return any(m is not None and m.scaling.table for m in self.machines)

    @property
    def kernel(self):
        """The kernel of its machines, but for gamma; None where there are none."""
        found = (machine.kernel for machine in self.machines if machine is not None)
        return next(found, None)


def exported_member(member, evidence=False):
    """Return a `Member` of a `Decomposition`, which says scores or evidence."""
    n_classes = member.n_classes
    machines, constants = [], []
    chains = all(
        _is_chain(part.machine) for part in member.parts if part.machine is not None
    )
    for part in member.parts:
        machine, constant = None, np.zeros(1 if n_classes is None else n_classes)
        if part.machine is None:
            constant = certain_scores(part.code, n_classes)
        else:
            machine = _exported(part.machine, part.scaling, chains)
            if len(machine.vectors) == 0:  # its biases alone answer
                say = class_evidence if evidence else scores_of
                constant = say(machine.biases[None, :], machine.pairs, n_classes)
                machine, constant = None, constant[0]
        machines.append(machine)
        constants.append(constant)
    is_scaled = any(part.scaling is not None for part in member.parts)
    machines, constants = with_tables(machines), np.array(constants)
    return Member(member.partition, machines, constants, is_scaled, n_classes, evidence)


def with_tables(machines):
    """Return machines that all have quantile tables, if one of them has.

    A part in which nothing varies has none; it gets one that changes nothing.
    """
    tables = [m.scaling.table for m in machines if m is not None]
    known = next((table for table in tables if table is not None), None)
    if known is None:
        return machines

    def completed(machine):
        if machine is None or machine.scaling.table is not None:
            return machine
        knots = np.ones((len(machine.scaling.columns), known.values.shape[1]))
        knots[:, 0] = 0.0
        table = QuantileTable(knots, knots)
        return machine._replace(scaling=machine.scaling._replace(table=table))

    return list(map(completed, machines))


def whole_member(machine, n_classes, width, pair_values=False, scaling=None):
    """Return the member of one machine for the whole space.

    With `pair_values` its output is the values of the binary machines.
    """
    if not isinstance(machine, Sum):
        machine = _exported(machine, scaling, True)
    n_outputs = len(machine.pairs) if pair_values else n_classes or 1
    n_classes = None if pair_values else n_classes
    constant = np.zeros((1, n_outputs))
    if len(machine.vectors) == 0:
        constant = scores_of(machine.biases[None, :], machine.pairs, n_classes)
        machine = None
    is_scaled = scaling is not None
    return Member(WholeSpace(), [machine], constant, is_scaled, n_classes)


def scores_of(decisions, pairs, n_classes):
    """Return what a member says, from the values of its binary machines."""
    if n_classes is None:
        return decisions
    if n_classes == 2:
        return np.stack([-decisions[:, 0], decisions[:, 0]], axis=1)
    return class_scores(decisions, pairs, n_classes)


def _exported(machine, scaling, chains):
    """Return a `Sum` or a `Walk`."""
    is_compressed = isinstance(machine, CompressedMachine)
    kernel, vectors = _known_kernel(machine, is_compressed)
    vectors = vectors.toarray() if sparse.issparse(vectors) else np.asarray(vectors)
    if scaling is None:
        scaling = identity_scaling(vectors.shape[1])
    if is_compressed and not chains:
        return Walk(scaling, kernel, vectors, machine.trees, machine.pairs)
    if is_compressed:
        coefficients, biases = _chain_sums(machine)
        made = span_machine(kernel, vectors, coefficients, biases, machine.pairs)
        return made._replace(scaling=scaling)
    made = Sum(
        scaling,
        kernel,
        vectors,
        machine.class_starts,
        machine.machine_ids,
        machine.coefficients,
        machine.biases,
        machine.pairs,
    )
    if isinstance(kernel, Linear) and len(vectors):
        normals = machine.coefficient_matrix.T @ vectors
        return linear_machine(normals, machine.biases, machine.pairs)._replace(
            scaling=scaling
        )
    if (machine.machine_ids == machine.machine_ids[0]).all():
        ends = np.array([0, len(vectors)])
        return made._replace(starts=ends, machine_ids=machine.machine_ids[:1])
    return made


def _known_kernel(machine, is_compressed):
    """Return kernel and vectors, or raise a ValueError that names what is in the way.

    A machine that was compressed may be made of weak learners.
    """
    terms = machine.terms if is_compressed else machine
    kernel = getattr(terms, "kernel", None)
    if kernel is None:
        raise ValueError(
            "the model is made of weak learners of another library, which cannot be "
            "exported; compress a kernel machine."
        )
    if not isinstance(kernel, KERNELS):
        names = ", ".join(repr(known.name) for known in KERNELS)
        raise ValueError(
            f"kernel={kernel.name!r} cannot be exported: its values are not a formula "
            f"of the row; use one of {names}."
        )
    return kernel, terms.vectors


def _is_chain(machine):
    """Whether all rows take the same terms."""
    if not isinstance(machine, CompressedMachine):
        return True
    return all(np.count_nonzero(tree.is_leaf) == 1 for tree in machine.trees)


def _chain_sums(machine):
    """Return the coefficients and biases of chains, as of one machine."""
    coefficients, biases = [], []
    for tree in machine.trees:
        ((leaf, path),) = tree.leaf_paths()
        own = np.zeros((machine.n_vectors, tree.n_outputs))
        start = tree.start[leaf]
        np.add.at(own, path, tree.coefficients[start : start + len(path)])
        coefficients.append(own)
        biases.append(tree.offsets[leaf])
    return np.hstack(coefficients), np.concatenate(biases)


def span_machine(kernel, vectors, coefficients, biases, pairs=None):
    """Return the machine in which every vector has a coefficient in every machine."""
    n_machines = len(biases)
    return Sum(
        identity_scaling(vectors.shape[1]),
        kernel,
        vectors,
        np.array([0, len(vectors)]),
        np.arange(n_machines)[None, :],
        coefficients,
        biases,
        _against_the_rest(n_machines) if pairs is None else pairs,
    )


def linear_machine(normals, biases, pairs=None):
    """Return the machine whose values are ``x @ normal + bias``, a block for each."""
    n_machines = len(biases)
    return Sum(
        identity_scaling(normals.shape[1]),
        Linear(),
        normals,
        np.arange(n_machines + 1),
        np.arange(n_machines)[:, None],
        np.ones((n_machines, 1)),
        biases,
        _against_the_rest(n_machines) if pairs is None else pairs,
    )


def _against_the_rest(n_machines):
    if n_machines == 1:
        return np.array([[1, 0]])
    return np.stack([np.arange(n_machines), np.full(n_machines, -1)], axis=1)


def joined_trees(trees):
    """Return arrays of score trees, nodes and coefficients numbered through; roots."""
    firsts = np.cumsum([0, *(tree.n_nodes for tree in trees)])
    starts = np.cumsum([0, *(len(tree.coefficients) for tree in trees)])
    names = ("column", "threshold", "depth", "coefficients", "offsets")
    made = {name: [getattr(tree, name) for tree in trees] for name in names}
    made |= {"left": [], "right": [], "start": []}
    for tree, first, start in zip(trees, firsts, starts, strict=False):
        for side in ("left", "right"):
            link = getattr(tree, side)
            made[side].append(np.where(link == LEAF, LEAF, link + first))
        made["start"].append(tree.start + start)
    joined = {name: np.concatenate(arrays) for name, arrays in made.items()}
    return joined | {"roots": firsts[:-1]}
