"""The parts of a compressed model: one for the whole space, or one for each leaf."""

from dataclasses import replace

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import threadpool_limits

from treesvm.compression.machine_compression import (
    compress_machines,
    machine_source,
    rows_within,
)
from treesvm.compression.terms import KernelTerms
from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.part import Part
from treesvm.decomposition.progress import Progress
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


def leaf_members(model, X, options, seed, n_jobs, verbose):
    """Compress every leaf of a fitted DTSVM on the rows that fall into it."""
    members = []
    for number, member in enumerate(model.decompositions_):
        groups = rows_by_leaf(member.apply(X), len(member.parts))

        def compress(part, rows, k, X=X, number=number):
            rng = np.random.default_rng([seed, number, k])
            return compressed_part(part, X[rows], options, rng)

        parts = map_parts(compress, member.parts, groups, n_jobs, verbose)
        members.append(Decomposition(member.partition, parts, member.n_classes))
    return members


def map_parts(work, parts, groups, n_jobs, verbose):
    """Call ``work(part, its rows, its number)`` for every part, in threads."""
    progress = Progress(len(parts), "leaves", verbose)

    def step(k):
        made = work(parts[k], groups.rows(k), k)
        progress.step()
        return made

    n_workers = min(effective_n_jobs(n_jobs), len(parts))
    with threadpool_limits(1 if n_workers > 1 else None):
        made = Parallel(n_jobs=n_workers, require="sharedmem")(
            delayed(step)(k) for k in range(len(parts))
        )
    progress.close()
    return made


def compressed_part(part, X, options, rng):
    """Compress one leaf; without rows of D its own support vectors are D."""
    if part.machine is None:
        return part
    rows = part.seen(X) if X.shape[0] else part.machine.vectors
    machine = compress_machines(machine_source(part.machine), rows, options, rng)
    return part._replace(machine=machine.with_scaling(part.scaling), scaling=None)


def evaluations(member, X):
    """Return the distinct terms that every row costs in one member."""
    groups = rows_by_leaf(member.apply(X), len(member.parts))
    out = np.zeros(X.shape[0], np.int64)
    for k in np.flatnonzero(groups.sizes):
        if member.parts[k].machine is not None:
            rows = groups.rows(k)
            out[rows] = member.parts[k].machine.evaluations(X[rows])
    return out
