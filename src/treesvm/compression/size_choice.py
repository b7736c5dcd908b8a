"""Machines of several sizes, and how many kernels each region should spend.

Regions of a decomposition differ: some need ten vectors, some hundreds. With the wrong
answers of every size on validation rows known, the cheapest choice within a bound on
all wrong answers is found by Lagrange's method: for a price p of a kernel, each region
takes the size that minimises (wrong answers) + p * (kernels spent on its rows), and the
largest p that keeps the bound wins.
"""

from dataclasses import replace

import numpy as np

from treesvm.compression.chain import choose_chain
from treesvm.compression.compressed_machine import CompressedMachine
from treesvm.compression.free_vectors import fit_network
from treesvm.compression.machine_compression import (
    Problem,
    chain_targets,
    compress_machines,
    drawn_within,
    restricted,
    targets_of,
)
from treesvm.compression.terms import KernelTerms
from treesvm.compression.tree_builder import chain
from treesvm.machines.scaling import identity_scaling
from treesvm.machines.voting import predicted_codes

_GROWTH = 1.4  # one size after the other
# A chain of more than this share of the vectors saves too little to be worth its fit.
_LONGEST_SHARE, _SHORT = 0.25, 30
_SPREAD = 30  # the longest chain has so many times the vectors of the shortest
# Vectors of networks, few or shares of the machine's.
_FREE_COUNTS = (1, 2, 4, 8)
_FREE_SHARES = (1 / 40, 1 / 25, 1 / 16, 1 / 10, 1 / 6, 1 / 4)
_MOST_FREE = 200  # vectors of a network, whose fit takes a time that grows with them
_HEIGHTS = (4, 8, 14)
_HIGHEST_TREE = 24  # beyond so many kernels, a tree's splits have run out of rows


def sizes_up_to(most, least=1):
    """Sizes from `least` on, each 1.4 times the one before, and `most` itself."""
    sizes, size = [], float(least)
    while size < most:
        sizes.append(int(size))
        size = max(size + 1, size * _GROWTH)
    return [*sizes, int(most)]


def sized_machines(machine, source, X, options, most, rng, *, has_trees):
    """Return `CompressedMachine` of several sizes for the rows of one region.

    Chains share one choice of vectors, so that a size costs no more than a fit. The
    last one is the whole machine, if `most` kernels allow it.

    Parameters
    ----------
    machine : KernelMachine
    source : Source
        Of the machine.
    X : rows of the region, as the machine sees them
    options : CompressionOptions
    most : int or None
        Most kernels for a row.
    rng : numpy Generator
    has_trees : bool
        Whether a single machine also gets trees, which cost more to grow; the leaves of
        a decomposition have been split already.
    """
    n_vectors = machine.n_vectors
    if n_vectors == 0:
        return [whole_machine(machine, source)]
    X = drawn_within(X, n_vectors, options, rng)
    cap = n_vectors if most is None else min(most, n_vectors)
    found = _chains(source, X, options, cap)
    if has_trees and len(source.pairs) == 1:
        found += _trees(source, X, options, min(cap, _HIGHEST_TREE), rng)
    if cap == n_vectors:
        found.append(whole_machine(machine, source))
    return found


def free_machines(machine, source, X, codes, options, most, rng):
    """Yield (`CompressedMachine`, its scaling) with free vectors, the smallest first.

    Their scores are fitted to the classes of the rows and, as much, to the machine's
    answers: where labels are noise, the machine is smoother than they are. There are
    none unless kernel is RBF and rows and vectors are dense.

    Parameters
    ----------
    machine, source, options, most, rng
        As in `sized_machines`.
    X : rows of the region, as the machine sees them
    codes : ndarray of shape (n_rows,)
        Their classes; rows of classes that the machine does not know are left out.
    """
    known = np.unique(source.pairs[source.pairs >= 0])
    kept = np.flatnonzero(np.isin(codes, known))
    kept = drawn_within(kept, machine.n_vectors, options, rng)
    is_dense = isinstance(X, np.ndarray) and isinstance(machine.vectors, np.ndarray)
    is_known = is_dense and machine.kernel.has_free_vectors
    if not is_known or machine.n_vectors == 0 or len(kept) < 2:
        return
    rows = np.asarray(X[kept], np.float64)
    answers = predicted_codes(source.decide(rows), source.pairs, source.n_classes)
    shares = np.eye(source.n_classes)[:, known]
    targets = (shares[codes[kept]] + shares[answers]) / 2
    sizes = _free_sizes(machine.n_vectors, most)
    columns = choose_chain(source.terms.matrix(rows), targets, sizes[-1])
    columns = columns if len(columns) else np.zeros(1, np.intp)
    for size in [size for size in sizes if size < len(columns)] + [len(columns)]:
        start = source.terms.vectors[columns[:size]]
        network = fit_network(rows, targets, start, machine.kernel.gamma)
        yield network_machine(network, source, known, len(kept))


def _free_sizes(n_vectors, most):
    """Sizes of networks, ascending."""
    cap = min(_MOST_FREE, n_vectors if most is None else most)
    shares = [round(share * n_vectors) for share in _FREE_SHARES]
    counts = [
        count for count in _FREE_COUNTS if count < shares[0] or count > shares[-1]
    ]
    sizes = {min(cap, size) for size in [*shares, *counts] if 0 < size < n_vectors}
    return sorted(sizes) or [1]


def network_machine(network, source, known, n_rows):
    """Return a network as a chain whose machines are differences of its scores.

    Parameters
    ----------
    network : Network
    source : Source
    known : ndarray of int
        The class of each of its scores.
    n_rows : int
        Rows that it was fitted on.

    Returns
    -------
    machine : CompressedMachine
    scaling : LeafScaling
        Of the rows, as the network weights their features.
    """
    signs = np.zeros((len(known), len(source.pairs)))
    machines = np.arange(len(source.pairs))
    positive, negative = source.pairs.T
    signs[np.searchsorted(known, positive), machines] = 1.0
    is_pair = negative >= 0
    signs[np.searchsorted(known, negative[is_pair]), machines[is_pair]] = -1.0
    tree = _every_term(network.weights @ signs, network.biases @ signs, n_rows)
    terms = KernelTerms(source.terms.kernel, network.vectors)
    scaling = identity_scaling(len(network.factor))._replace(factor=network.factor)
    return CompressedMachine(terms, (tree,), source.pairs, source.n_classes), scaling


def _chains(source, X, options, cap):
    """Chains of growing length."""
    decisions = source.decide(X)
    lower, upper = targets_of(source, decisions, options.loss)
    problem = Problem(source.terms.matrix(X), lower, upper, source.biases)
    longest = min(cap, len(decisions) - 1, max(_SHORT, int(_LONGEST_SHARE * cap)))
    longest = max(1, longest)
    columns = choose_chain(problem.K, chain_targets(lower, upper), longest)
    rows = np.arange(len(decisions))
    longest = max(1, len(columns))
    sizes = sizes_up_to(longest, max(1, longest // _SPREAD))
    return [
        restricted(source, [problem.chain_tree(rows, columns[:size], options)])
        for size in sizes
    ]


def _trees(source, X, options, cap, rng):
    """Trees of growing height, for sources with a single machine."""
    heights = [height for height in _HEIGHTS if height < cap] + [cap]
    return [
        compress_machines(
            source, X, replace(options, max_height=height, split_rows=30), rng
        )
        for height in heights
    ]


def whole_machine(machine, source):
    """The machine itself as one long chain, with its own coefficients."""
    return restricted(
        source, [_every_term(machine.coefficient_matrix, machine.biases, 0)]
    )


def _every_term(coefficients, offsets, n_rows):
    """A chain in which term k is that of node k."""
    return chain(range(len(coefficients)), coefficients, offsets, n_rows)


def choose_sizes(tables, allowed):
    """Return the number of the chosen size for every region.

    Parameters
    ----------
    tables : list of (costs, wrong, n_rows)
        For each region the kernels that its machines evaluate for a row, the wrong
        answers of each on validation rows, and how many validation rows it has.
    allowed : float
        Bound on the sum of wrong answers. If no price keeps it, the choice with the
        fewest wrong answers is returned.
    """

    def choice(price):
        # Regions without validation rows count as one row: they must choose too.
        return [
            int((wrong + price * max(n_rows, 1) * costs).argmin())
            for costs, wrong, n_rows in tables
        ]

    def n_wrong(chosen):
        return sum(
            int(wrong[k]) for (_, wrong, _), k in zip(tables, chosen, strict=True)
        )

    best = choice(1e-9)
    low, high = -9.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        chosen = choice(10.0**middle)
        if n_wrong(chosen) <= allowed:
            best, low = chosen, middle
        else:
            high = middle
    return best
