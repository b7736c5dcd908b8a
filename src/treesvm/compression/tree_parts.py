"""The parts of a compressed model: one for the whole space, or one for each leaf."""

from dataclasses import replace

import numpy as np

from treesvm.compression.machine_compression import (
    compress_machines,
    machine_source,
    rows_within,
)
from treesvm.compression.terms import KernelTerms
from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.part import Part
from treesvm.decomposition.parts_loop import each_part
from treesvm.partitions.whole_space import WholeSpace
from treesvm.trees.leaf_rows import rows_by_leaf

_MOST_ROW_TERMS = 2000  # rows of D that may become vectors


def whole_member(source, X, options, rng, vectors):
    """Compress one machine that answers everywhere."""
    source = with_row_terms(source, X, options, rng) if vectors == "rows" else source
    machine = compress_machines(source, X, options, rng)
    part = Part(0, machine, None, int(X.shape[0]), source.n_classes, 0.0)
    return Decomposition(WholeSpace(), [part], source.n_classes)


def with_row_terms(source, X, options, rng):
    """Let nodes hold any row of D, not only support vectors.

    At most 2,000 rows, and no more than leave room for as many rows of D.
    """
    n_rows = X.shape[0]
    most = min(_MOST_ROW_TERMS, rows_within(n_rows, n_rows, options))
    chosen = np.arange(n_rows)
    if n_rows > most:
        chosen = np.sort(rng.choice(n_rows, most, replace=False))
    kernel = source.terms.kernel
    vectors = chosen if kernel.is_precomputed else X[chosen]
    return replace(source, terms=KernelTerms(kernel, vectors))


def part_members(members, X, options, seed, n_jobs, verbose):
    """Compress every part of a model's decompositions on the rows that fall into it."""
    made = []
    for number, member in enumerate(members):

        def compress(part, rows, k, number=number):
            rng = np.random.default_rng([seed, number, k])
            return compressed_part(part, X[rows], options, rng)

        parts = map_parts(compress, member, X, n_jobs, verbose)
        made.append(replace(member, parts=parts))
    return made


def map_parts(work, member, X, n_jobs, verbose):
    """Call ``work(part, its rows of X, its number)`` for every part, in threads."""
    groups = rows_by_leaf(member.apply(X), len(member.parts))
    return each_part(
        lambda k: work(member.parts[k], groups.rows(k), k),
        groups.sizes,
        n_jobs=n_jobs,
        verbose=verbose,
        done="compressed",
    )


def compressed_part(part, X, options, rng):
    """Compress one part; without rows of D its own support vectors are D."""
    if part.machine is None:
        return part
    rows = part.seen(X) if X.shape[0] else part.machine.vectors
    machine = compress_machines(machine_source(part.machine), rows, options, rng)
    return part._replace(machine=machine)


def evaluations(member, X):
    """Return the distinct terms that every row costs in one member."""
    groups = rows_by_leaf(member.apply(X), len(member.parts))
    out = np.zeros(X.shape[0], np.int64)
    for k in np.flatnonzero(groups.sizes):
        part, rows = member.parts[k], groups.rows(k)
        if part.machine is not None:
            out[rows] = part.machine.evaluations(part.seen(X[rows]))
    return out
