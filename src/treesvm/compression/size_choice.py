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
from treesvm.compression.machine_compression import (
    Problem,
    chain_targets,
    compress_machines,
    restricted,
    rows_within,
    targets_of,
)
from treesvm.compression.tree_builder import BOTH, TreeBuilder

_GROWTH = 1.4  # one size after the other
# A chain of more than this share of the vectors saves too little to be worth its fit.
_LONGEST_SHARE, _SHORT = 0.25, 30
_SPREAD = 30  # the longest chain has so many times the vectors of the shortest
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
        return [_whole(machine, source)]
    n_used = rows_within(X.shape[0], n_vectors, options)
    if n_used < X.shape[0]:
        X = X[np.sort(rng.choice(X.shape[0], n_used, replace=False))]
    cap = n_vectors if most is None else min(most, n_vectors)
    found = _chains(source, X, options, cap)
    if has_trees and len(source.pairs) == 1:
        found += _trees(source, X, options, min(cap, _HIGHEST_TREE), rng)
    if cap == n_vectors:
        found.append(_whole(machine, source))
    return found


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


def _whole(machine, source):
    """The machine itself as one long chain, with its own coefficients."""
    n_vectors, n_machines = machine.n_vectors, machine.n_machines
    dense = np.zeros((max(1, n_vectors), n_machines))
    for k in range(len(machine.machine_ids)):
        own = slice(machine.class_starts[k], machine.class_starts[k + 1])
        dense[own, machine.machine_ids[k]] = machine.coefficients[own]
    builder = TreeBuilder(n_machines)
    for k in range(n_vectors):
        builder.add(k, 0)
        builder.link(k - 1, BOTH, k)
    builder.end(n_vectors - 1, dense, machine.biases)
    return restricted(source, [builder.finish()])


def choose_sizes(tables, allowed):
    """Return the number of the chosen size for every region.

    Parameters
    ----------
    tables : list of (machines, wrong, n_rows)
        For each region its machines, the wrong answers of each on validation rows, and
        how many validation rows it has.
    allowed : float
        Bound on the sum of wrong answers. If no price keeps it, the choice with the
        fewest wrong answers is returned.
    """
    costs = [
        np.array([machine.n_evaluations for machine in machines], float)
        for machines, _, _ in tables
    ]

    def choice(price):
        # Regions without validation rows count as one row: they must choose too.
        return [
            int((wrong + price * max(n_rows, 1) * cost).argmin())
            for (_, wrong, n_rows), cost in zip(tables, costs, strict=True)
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
