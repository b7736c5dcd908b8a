"""Compressed machines of one model, joined to a few arrays.

Nodes of all support vector trees stand one after the other. Depths and the places of
coefficients follow from the links and are made again, so they cannot be wrong: leaves
own their coefficients in the order of their numbers, as many as their path has nodes.
"""

import numpy as np

from treesvm.compression.compressed_machine import CompressedMachine
from treesvm.compression.score_tree import ScoreTree
from treesvm.compression.terms import KernelTerms
from treesvm.files.checked_arrays import pieces_of
from treesvm.files.failures import require
from treesvm.files.json_values import field
from treesvm.machines.scaling import identity_scaling
from treesvm.persistence.packed_kernels import (
    read_kernels,
    read_scalings,
    write_kernels,
    write_scalings,
)
from treesvm.persistence.packed_trees import parents_of
from treesvm.persistence.packed_vectors import read_vectors, write_vectors
from treesvm.trees.routing import LEAF

_MACHINE_BYTES = 2**14  # what the objects of one machine take, generously
_TREE_BYTES = 2**12
_MAX_COUNT = 2**31 - 1
_NODES = {
    "column": ("i4", 0),
    "threshold": ("f8", None),
    "left": ("i4", LEAF),
    "right": ("i4", LEAF),
    "n_rows": ("i8", 0),
}


def write_compressed(machines, scalings, arrays):
    """Put compressed machines and their scalings into `arrays`; return a section."""
    kernels = [getattr(machine.terms, "kernel", None) for machine in machines]
    if None in kernels:
        raise ValueError(
            "the terms are weak learners, which a model file cannot hold because "
            "nothing in it is ever executed; compress a machine with a named kernel."
        )
    section = {"kernel": write_kernels(kernels, arrays)}
    is_gram = kernels[0].is_precomputed
    sizes = [
        (m.n_vectors, 0 if is_gram else m.terms.vectors.shape[1], len(m.trees),
         len(m.pairs))
        for m in machines
    ]  # fmt: skip
    arrays["compressed.sizes"] = np.array(sizes, np.int64)
    pairs = np.concatenate([machine.pairs for machine in machines])
    arrays["compressed.pairs"] = pairs.astype(np.int32)
    vectors = [machine.terms.vectors for machine in machines]
    if is_gram:
        arrays["compressed.columns"] = np.concatenate(vectors).astype(np.int64)
    _write_trees([tree for machine in machines for tree in machine.trees], arrays)
    return section | {
        "scaling": write_scalings(_alike(scalings, machines), arrays),
        "vectors": "gram" if is_gram else write_vectors(vectors, arrays),
    }


def _alike(scalings, machines):
    """Scalings of all machines if one has any: those that change nothing for others."""
    if all(scaling is None for scaling in scalings):
        return scalings
    widths = [machine.terms.vectors.shape[1] for machine in machines]
    return [
        identity_scaling(width) if scaling is None else scaling
        for scaling, width in zip(scalings, widths, strict=True)
    ]


def _write_trees(trees, arrays):
    sizes = [(tree.n_nodes, tree.n_outputs) for tree in trees]
    arrays["scores.sizes"] = np.array(sizes, np.int64)
    for name in _NODES:
        joined = np.concatenate([getattr(tree, name) for tree in trees])
        arrays[f"scores.{name}"] = joined
    arrays["scores.coefficients"] = np.concatenate(
        [tree.coefficients.ravel() for tree in trees]
    )
    arrays["scores.offsets"] = np.concatenate(
        [tree.offsets[tree.is_leaf].ravel() for tree in trees]
    )


def read_compressed(section, arrays, *, n_machines, n_classes, n_features):
    """Return pairs of machine and scaling after checking all numbers in them."""
    arrays.charge(_MACHINE_BYTES * n_machines)
    kernels = read_kernels(field(section, "kernel", str), arrays, n_machines)
    sizes = arrays.take(
        "compressed.sizes", "i8", (n_machines, 4), low=0, high=_MAX_COUNT
    )
    n_vectors, widths, n_trees, n_pairs = sizes.T
    require(bool((n_trees > 0).all() & (n_pairs > 0).all()), "a machine has no tree")
    is_gram = kernels[0].is_precomputed
    scaling = field(section, "scaling", (str, type(None)))
    require(scaling is None or not is_gram, "a Gram matrix has a part's scaling")
    known_width = 0 if is_gram else n_features
    scalings = read_scalings(scaling, arrays, widths, known_width, n_features)
    if is_gram:
        vectors = arrays.take_pieces(
            "compressed.columns", "i8", n_vectors, low=0, high=n_features - 1
        )
    else:
        kind = field(section, "vectors", str)
        vectors = read_vectors(kind, arrays, sizes[:, :2])
    pairs = _read_pairs(arrays, n_pairs, n_classes)
    trees = _read_trees(arrays, n_vectors, n_trees)
    columns = zip(kernels, vectors, trees, pairs, scalings, strict=True)
    machines = []
    for kernel, own_vectors, own_trees, own_pairs, own_scaling in columns:
        require(
            sum(tree.n_outputs for tree in own_trees) == len(own_pairs),
            "the trees of a machine do not answer for all its pairs",
        )
        terms = KernelTerms(kernel, own_vectors)
        machine = CompressedMachine(terms, tuple(own_trees), own_pairs, n_classes)
        machines.append((machine, own_scaling))
    return machines


def _read_pairs(arrays, n_pairs, n_classes):
    """Return the pairs of classes of every machine."""
    found = arrays.take_pieces(
        "compressed.pairs", "i4", n_pairs, width=2, low=-1, high=n_classes - 1
    )
    for pairs in found:
        is_rest = pairs[:, 1] < 0
        require(bool((pairs[:, 0] >= 0).all()), "a machine has no positive class")
        require(bool(is_rest.all() or not is_rest.any()), "its pairs are of two kinds")
        require(
            len(np.unique(pairs, axis=0)) == len(pairs)
            and bool((pairs[:, 0] != pairs[:, 1]).all()),
            "a machine has a pair of classes twice, or a class against itself",
        )
        require(
            n_classes > 2 or len(pairs) == 1,
            "a machine of two classes has more than one pair",
        )
    return [pairs.astype(np.intp) for pairs in found]


def _read_trees(arrays, n_vectors, n_trees):
    """Return the trees of every machine, which has so many vectors and trees."""
    sizes = arrays.take("scores.sizes", "i8", (None, 2), low=1, high=_MAX_COUNT)
    by_machine = pieces_of(sizes, n_trees, "its trees")
    n_nodes, n_outputs = sizes.T.astype(float)  # floats do not overflow
    nodes = {
        name: arrays.take_pieces(f"scores.{name}", dtype, n_nodes, low=low)
        for name, (dtype, low) in _NODES.items()
    }
    arrays.charge(_TREE_BYTES * len(sizes) + int(8 * n_nodes @ (8 + n_outputs)))
    depths, lengths = [], []
    for left, right in zip(nodes["left"], nodes["right"], strict=True):
        depths.append(_depths(left, right))
        lengths.append(depths[-1][left == LEAF].astype(np.int64))
    n_terms = np.array([own.sum() for own in lengths])
    n_leaves = np.array([len(own) for own in lengths])
    coefficients = arrays.take_pieces("scores.coefficients", "f8", n_terms * n_outputs)
    offsets = arrays.take_pieces("scores.offsets", "f8", n_leaves * n_outputs)
    n_known = np.repeat(n_vectors, n_trees)
    trees = []
    for k, (own_nodes, width) in enumerate(
        zip(zip(*nodes.values(), strict=True), sizes[:, 1].tolist(), strict=True)
    ):
        column, _, left, _, _ = own_nodes
        require(int(column.max()) < n_known[k], "a node evaluates no term of it")
        start, constants = np.zeros(len(left), np.int64), np.zeros((len(left), width))
        start[left == LEAF] = np.cumsum(lengths[k]) - lengths[k]
        constants[left == LEAF] = offsets[k].reshape(-1, width)
        own = coefficients[k].reshape(-1, width)
        trees.append(ScoreTree(*own_nodes, start, depths[k], own, constants))
    return pieces_of(trees, [len(own) for own in by_machine], "its trees")


def _depths(left, right):
    """Return the depth of every node, 1 at the root, after checking every link."""
    depth = np.ones(len(left), np.int32)
    for k, parent in enumerate(parents_of(left, right).tolist()):
        if k > 0:  # a parent's number is smaller
            depth[k] = depth[parent] + 1
    return depth
