"""Compressed machines of one model, joined to a few arrays.

Nodes of all support vector trees stand one after the other. Depths and the places of
coefficients follow from the links and are made again, so they cannot be wrong: leaves
own their coefficients in the order of their numbers, as many as their path has nodes.
"""

from itertools import pairwise

import numpy as np

from treesvm.compression.compressed_machine import CompressedMachine
from treesvm.compression.score_tree import ScoreTree
from treesvm.compression.terms import KernelTerms
from treesvm.files.checked_arrays import edges_of
from treesvm.files.failures import require
from treesvm.kernels.kernel import KERNELS
from treesvm.machines.scaling import LeafScaling
from treesvm.persistence.json_values import field
from treesvm.persistence.packed_machines import (
    read_kernel,
    read_scalings,
)
from treesvm.persistence.packed_vectors import read_vectors, write_vectors
from treesvm.trees.routing import LEAF

_MACHINE_BYTES = 2**14  # what the objects of one machine take, generously
_TREE_BYTES = 2**12
_MAX_COUNT = 2**31 - 1


def write_compressed(machines, arrays):
    """Put a list of `CompressedMachine` into `arrays`; return a section."""
    if not machines:
        return None
    kernels = {getattr(machine.terms, "kernel", None) for machine in machines}
    kernel = kernels.pop()
    if kernels or kernel is None or not kernel.is_storable:
        raise ValueError(
            "the terms are Python functions or weak learners, which a model file "
            "cannot hold because nothing in it is ever executed; compress a machine "
            f"with one of the named kernels ({', '.join(KERNELS)})."
        )
    is_gram = kernel.is_precomputed
    sizes = [
        (m.n_vectors, 0 if is_gram else m.terms.vectors.shape[1], len(m.trees),
         len(m.pairs))
        for m in machines
    ]  # fmt: skip
    arrays["compressed.sizes"] = np.array(sizes, np.int64)
    pairs = np.concatenate([machine.pairs for machine in machines])
    arrays["compressed.pairs"] = pairs.astype(np.int32)
    is_scaled = machines[0].scaling is not None
    if is_scaled:
        for name in LeafScaling._fields:
            parts = [getattr(machine.scaling, name) for machine in machines]
            arrays[f"machines.{name}"] = np.concatenate(parts)
    vectors = "gram"
    if is_gram:
        columns = [machine.terms.vectors for machine in machines]
        arrays["compressed.columns"] = np.concatenate(columns).astype(np.int64)
    else:
        vectors = write_vectors([machine.terms.vectors for machine in machines], arrays)
    _write_trees([tree for machine in machines for tree in machine.trees], arrays)
    return {
        "kernel": kernel.as_json(),
        "is_scaled": is_scaled,
        "vectors": vectors,
    }


def _write_trees(trees, arrays):
    sizes = [(tree.n_nodes, tree.n_outputs) for tree in trees]
    arrays["scores.sizes"] = np.array(sizes, np.int64)
    for name in ("column", "threshold", "left", "right", "n_rows"):
        joined = np.concatenate([getattr(tree, name) for tree in trees])
        arrays[f"scores.{name}"] = joined
    arrays["scores.coefficients"] = np.concatenate(
        [tree.coefficients.ravel() for tree in trees]
    )
    arrays["scores.offsets"] = np.concatenate(
        [tree.offsets[tree.is_leaf].ravel() for tree in trees]
    )


def read_compressed(section, arrays, *, n_machines, n_classes, n_features):
    """Return a list of `CompressedMachine` after checking all numbers in them."""
    if n_machines == 0:
        require(section is None, "it describes machines that belong to no leaf")
        return []
    kernel = read_kernel(field(section, "kernel", dict))
    is_scaled = field(section, "is_scaled", bool)
    arrays.charge(_MACHINE_BYTES * n_machines)
    sizes = arrays.take(
        "compressed.sizes", "i8", (n_machines, 4), low=0, high=_MAX_COUNT
    )
    n_vectors, width, n_trees, n_pairs = sizes.T
    require(bool((n_trees > 0).all() & (n_pairs > 0).all()), "a machine has no tree")
    is_gram = kernel.is_precomputed
    scalings = [None] * n_machines
    if is_scaled:
        require(not is_gram, "a Gram matrix has a leaf's scaling")
        scalings = read_scalings(arrays, width, n_features)
    else:
        known = 0 if is_gram else n_features
        require(bool((width == known).all()), "its vectors have a wrong width")
    if is_gram:
        columns = arrays.take(
            "compressed.columns", "i8", (None,), low=0, high=n_features - 1
        ).astype(np.intp, copy=False)
        edges = edges_of(n_vectors, len(columns), "its vectors")
        vectors = [columns[a:b] for a, b in pairwise(edges)]
    else:
        kind = field(section, "vectors", str)
        vectors = read_vectors(kind, arrays, sizes[:, :2])
    pairs = _read_pairs(arrays, n_pairs, n_classes)
    trees = _read_trees(arrays, np.repeat(n_vectors, n_trees))
    tree_edges = edges_of(n_trees, len(trees), "its trees")
    machines = []
    for k in range(n_machines):
        own = tuple(trees[tree_edges[k] : tree_edges[k + 1]])
        require(
            sum(tree.n_outputs for tree in own) == len(pairs[k]),
            "the trees of a machine do not answer for all its pairs",
        )
        terms = KernelTerms(kernel, vectors[k])
        machines.append(CompressedMachine(terms, own, pairs[k], n_classes, scalings[k]))
    return machines


def _read_pairs(arrays, n_pairs, n_classes):
    """Return the pairs of classes of every machine."""
    joined = arrays.take(
        "compressed.pairs", "i4", (None, 2), low=-1, high=n_classes - 1
    ).astype(np.intp)
    require(bool((joined[:, 0] >= 0).all()), "a machine has no positive class")
    edges = edges_of(n_pairs, len(joined), "its pairs of classes")
    found = [joined[a:b] for a, b in pairwise(edges)]
    for pairs in found:
        is_rest = pairs[:, 1] < 0
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
    return found


def _read_trees(arrays, n_terms):
    """Return the trees; `n_terms` has the number of terms for each."""
    sizes = arrays.take("scores.sizes", "i8", (len(n_terms), 2), low=1, high=_MAX_COUNT)
    arrays.charge(_TREE_BYTES * len(sizes))
    column = arrays.take("scores.column", "i4", (None,), low=0)
    total = len(column)
    nodes = edges_of(sizes[:, 0], total, "its trees")
    threshold = arrays.take("scores.threshold", "f8", (total,))
    left = arrays.take("scores.left", "i4", (total,), low=LEAF)
    right = arrays.take("scores.right", "i4", (total,), low=LEAF)
    n_rows = arrays.take("scores.n_rows", "i8", (total,), low=0)
    coefficients = arrays.take("scores.coefficients", "f8", (None,))
    offsets = arrays.take("scores.offsets", "f8", (None,))
    arrays.charge(64 * total)
    trees, used, answered = [], 0, 0
    for k, n_outputs in enumerate(sizes[:, 1].tolist()):
        own = slice(*nodes[k : k + 2])
        require(int(column[own].max()) < n_terms[k], "a node evaluates no term of it")
        depth = depths_of(left[own], right[own])
        is_leaf = left[own] == LEAF
        lengths = depth[is_leaf].astype(np.int64)
        n_numbers, n_leaves = int(lengths.sum()) * n_outputs, len(lengths)
        require(
            used + n_numbers <= len(coefficients)
            and answered + n_leaves * n_outputs <= len(offsets),
            "its trees lack coefficients",
        )
        start = np.zeros(len(depth), np.int64)
        start[is_leaf] = np.cumsum(lengths) - lengths
        arrays.charge(8 * len(depth) * n_outputs)
        constants = np.zeros((len(depth), n_outputs))
        constants[is_leaf] = offsets[
            answered : answered + n_leaves * n_outputs
        ].reshape(n_leaves, n_outputs)
        trees.append(
            ScoreTree(
                column[own], threshold[own], left[own], right[own], n_rows[own], start,
                depth, coefficients[used : used + n_numbers].reshape(-1, n_outputs),
                constants,
            )
        )  # fmt: skip
        used, answered = used + n_numbers, answered + n_leaves * n_outputs
    require(
        used == len(coefficients) and answered == len(offsets),
        "its trees have too many coefficients",
    )
    return trees


def depths_of(left, right):
    """Return the depth of every node, 1 at the root, after checking every link.

    Each node but the root must be the child of exactly one node with a smaller number;
    a node whose two links are equal has one child. Paths then end, and do not meet.
    """
    n_nodes = len(left)
    require(n_nodes >= 1, "a tree has no node")
    is_inner = left != LEAF
    require(bool(np.array_equal(is_inner, right != LEAF)), "a node is half a leaf")
    number = np.arange(n_nodes)
    for links in (left, right):
        require(
            bool((links[is_inner] > number[is_inner]).all()),
            "a node of a tree is its own ancestor or stands before its parent",
        )
        require(int(links.max()) < n_nodes, "a tree links to no node of it")
    splits = is_inner & (left != right)
    n_parents = np.bincount(left[is_inner], minlength=n_nodes)
    n_parents = n_parents + np.bincount(right[splits], minlength=n_nodes)
    require(
        bool((n_parents[1:] == 1).all()) and n_parents[0] == 0,
        "a node of a tree has no parent or several parents",
    )
    parent = np.zeros(n_nodes, np.int64)
    parent[left[is_inner]] = number[is_inner]
    parent[right[is_inner]] = number[is_inner]
    depth = np.ones(n_nodes, np.int32)
    for k in range(1, n_nodes):  # a parent's number is smaller
        depth[k] = depth[parent[k]] + 1
    return depth
