"""Send rows to the parts of the space they belong to, with Dask's own shuffle."""

import dask.dataframe as dd
import numpy as np

_PART_BYTES = 48 * 2**20  # rows of one partition: a few of them fit any worker
_PARTS_PER_THREAD = 6  # enough to even out parts that take unequally long


def gathered_groups(client, tables, n_parts, meta):
    """Return delayed tables in which all rows of one number in "part" are together.

    Which table holds which numbers is left to Dask, which spreads them evenly if there
    are many: nothing has to be sorted.
    """
    with client.as_current():
        frame = dd.from_delayed(tables, meta=meta)
        return frame.shuffle(
            "part", npartitions=n_parts, shuffle_method="p2p"
        ).to_delayed()


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


def number_of_parts(n_rows, row_bytes, n_threads):
    """Return how many parts rows are cut into."""
    return max(_PARTS_PER_THREAD * n_threads, n_rows * row_bytes // _PART_BYTES + 1)


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
    n_parts = number_of_parts(total, row_bytes, n_threads)
    middle = np.cumsum(sizes) - sizes / 2.0
    part = (middle * n_parts / max(total, 1)).astype(np.int64)
    return np.unique(part, return_inverse=True)[1]
