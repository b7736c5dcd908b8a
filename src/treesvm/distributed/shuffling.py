"""Send rows to the parts of the space they belong to.

Rows that are in the workers' memory go from worker to worker as they are held, one
matrix for each block and part. Rows that are read again in every pass, and answers, go
through Dask's own shuffle, which writes to disk.
"""

import dask.dataframe as dd
import numpy as np
from dask import delayed

from treesvm.distributed.leaf_tasks import (
    as_piece,
    dealt_rows,
    joined_piece,
    routed_table,
)
from treesvm.distributed.packing import JUDGES, TRAINS, empty_table

_PART_BYTES = 48 * 2**20  # rows of one partition: a few of them fit any worker
_PARTS_PER_THREAD = 6  # enough to even out parts that take unequally long
_MOST_MATRICES = 10_000  # that are dealt out; each takes the scheduler a millisecond


def gathered_pieces(client, routing, sizes, training, judging=None, *, n_threads):
    """Return delayed `Piece`s in which all rows of a group are together.

    Parameters
    ----------
    client : distributed.Client
    routing : Routing
    sizes : ndarray of shape (n_groups,)
        Training rows of each group.
    training : RowBlocks
    judging : RowBlocks, optional
        Validation rows.
    n_threads : int
        Of the cluster.
    """
    where = delayed(routing, traverse=False)
    kinds = {TRAINS: training.blocks, JUDGES: [] if judging is None else judging.blocks}
    layout, is_open = training.layout, routing.is_open
    part_of = np.full(len(sizes), -1)
    part_of[is_open] = packed_parts(sizes[is_open], layout.row_bytes, n_threads)
    n_parts = int(part_of.max()) + 1
    n_matrices = n_parts * sum(map(len, kinds.values()))
    if training.is_kept and n_matrices <= _MOST_MATRICES:
        there = delayed(part_of, traverse=False)
        deal = delayed(dealt_rows, nout=n_parts)
        dealt = [
            [list(deal(block, where, there, n_parts)) for block in blocks]
            for blocks in kinds.values()
        ]
        join = delayed(joined_piece)
        return [
            join(*([own[k] for own in kind] for kind in dealt), where)
            for k in range(n_parts)
        ]
    tables = [
        delayed(routed_table)(block, where, role)
        for role, blocks in kinds.items()
        for block in blocks
    ]
    with client.as_current():
        # Which table holds which groups is left to Dask, which spreads them evenly if
        # there are many: nothing has to be sorted.
        frame = dd.from_delayed(tables, meta=empty_table(layout))
        parts = frame.shuffle("part", npartitions=n_parts, shuffle_method="p2p")
        return [delayed(as_piece)(table, layout, where) for table in parts.to_delayed()]


def shuffled(client, tables, n_parts, meta):
    """Return a delayed table for each part: the rows whose column "part" names it.

    Parameters
    ----------
    client : distributed.Client
    tables : list of delayed DataFrame
    n_parts : int
    meta : DataFrame
        A table without rows.
    """
    with client.as_current():
        frame = dd.from_delayed(tables, meta=meta)
        sorted_out = frame.set_index(
            "part",
            divisions=list(range(n_parts + 1)),
            sorted=False,
            shuffle_method="p2p",
        )
        return sorted_out.to_delayed()


def packed_parts(sizes, row_bytes, n_threads):
    """Cut groups, in their order, into parts of about equal size.

    Parameters
    ----------
    sizes : ndarray of shape (n_groups,)
        Rows of each group.
    row_bytes : int
    n_threads : int
        Of the cluster.

    Returns
    -------
    ndarray of shape (n_groups,)
        The part of each group: 0, 1, … without gaps, never descending.
    """
    total = int(sizes.sum())
    n_parts = max(_PARTS_PER_THREAD * n_threads, total * row_bytes // _PART_BYTES + 1)
    middle = np.cumsum(sizes) - sizes / 2.0
    part = (middle * n_parts / max(total, 1)).astype(np.int64)
    return np.unique(part, return_inverse=True)[1]
