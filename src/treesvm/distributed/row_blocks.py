"""Training rows of a Dask collection, block by block, with class codes and weights.

Nothing is gathered: the client knows how many rows each block has, which classes there
are and how much they weigh. Blocks that fit the cluster's memory are kept there; others
are read again in each pass.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from dask import delayed
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from treesvm.decomposition.checkpointing import checksum
from treesvm.distributed.collections import as_blocks, meta_of
from treesvm.distributed.label_counts import (
    checked_labels,
    checked_weight,
    summarise,
)
from treesvm.distributed.packing import Layout, NumberedRows, join_rows
from treesvm.inputs.named_errors import naming
from treesvm.inputs.row_access import canonical_rows
from treesvm.inputs.training_rows import (
    INPUT,
    check_boxes,
    check_unmasked,
    refuse_dates,
)

_KEPT_SHARE = 0.25  # of the cluster's memory that the rows may take to be kept there


class RowBlocks(NamedTuple):
    """Rows in the order of their numbers 0 … n_rows - 1, cut into blocks."""

    blocks: list  # of futures or delayed values: `NumberedRows`
    lengths: np.ndarray  # rows of each block
    layout: Layout
    classes: np.ndarray
    is_weighted: bool  # whether weights differ from each other
    n_left_out: int = 0  # rows of weight zero
    is_kept: bool = False  # whether all blocks are in the cluster's memory

    @property
    def n_rows(self):
        """How many rows there are in all."""
        return int(self.lengths.sum())

    def taken(self, numbers):
        """Return some of the rows of a whole collection; ``numbers[i]`` becomes i."""
        place = np.full(self.n_rows, -1, np.int64)
        place[numbers] = np.arange(len(numbers))
        edges = np.concatenate([[0], np.cumsum(self.lengths)])
        own = [place[a:b] for a, b in pairwise(edges)]
        blocks = [
            delayed(_renumbered)(block, places)
            for block, places in zip(self.blocks, own, strict=True)
        ]
        lengths = np.array([np.count_nonzero(places >= 0) for places in own])
        return self._replace(blocks=blocks, lengths=lengths)

    def sampled(self, numbers):
        """Return delayed `NumberedRows`: the given ones, or all if None, in order."""
        if numbers is None:
            return delayed(join_rows)(self.blocks)
        wanted = delayed(numbers)  # once in the graph, however many blocks there are
        return delayed(join_rows)(
            [delayed(_with_numbers)(block, wanted) for block in self.blocks]
        )

    def of_parts(self, client, partition, parts):
        """Return the rows of some parts in order, in memory here, and their parts."""
        partition = delayed(partition, traverse=False)
        tasks = [delayed(_in_parts)(block, partition, parts) for block in self.blocks]
        pairs = client.gather(client.compute(tasks))
        joined = join_rows([rows for rows, _ in pairs])
        numbers = np.concatenate([rows.numbers for rows, _ in pairs])
        part = np.concatenate([part for _, part in pairs])
        return joined, part[np.argsort(numbers, kind="stable")]

    def relabelled(self, new_code):
        """Return the rows with ``new_code[code]`` as code."""
        blocks = [delayed(_relabelled)(block, new_code) for block in self.blocks]
        return self._replace(blocks=blocks, classes=np.unique(new_code))

    def gathered_labels(self, client):
        """Return codes and weights of all rows, in memory here."""
        tasks = [delayed(_labels)(block) for block in self.blocks]
        codes, weights = np.empty(self.n_rows, np.int64), np.ones(self.n_rows)
        for own, weight, numbers in client.gather(client.compute(tasks)):
            codes[numbers] = own
            if weight is not None:
                weights[numbers] = weight
        return codes, weights

    def identity(self, client):
        """Texts that tell these rows from others, for checkpoints."""
        marks = client.gather(
            client.compute([delayed(_block_checksum)(block) for block in self.blocks])
        )
        return {
            "rows": f"{self.n_rows} × {self.layout.n_features}, {self.layout.dtype}",
            "the blocks' sizes": checksum(self.lengths.astype(np.int64)),
            "classes": checksum(np.asarray(self.classes).astype(str)),
            "features, labels and weights": checksum(np.array(marks, "S24")),
        }


def _renumbered(rows, places):
    """Keep the rows with a new place, under that number."""
    kept = np.flatnonzero(places >= 0)
    return rows.take(kept)._replace(numbers=places[kept])


def _with_numbers(rows, numbers):
    """Keep the rows whose number is among `numbers`, which ascend."""
    return rows.take(rows.places_among(numbers))


def _in_parts(rows, partition, parts):
    """Return the rows of a block that fall into some parts, and their parts."""
    part = partition.apply(rows.X)
    kept = np.flatnonzero(np.isin(part, parts))
    return rows.take(kept), part[kept]


def _relabelled(rows, new_code):
    return rows._replace(codes=new_code[rows.codes])


def _labels(rows):
    return rows.codes.astype(np.int32), rows.weight, rows.numbers


def _block_checksum(rows):
    weight = "" if rows.weight is None else checksum(rows.weight)
    texts = checksum(rows.X) + checksum(rows.codes) + checksum(rows.numbers) + weight
    return checksum(np.frombuffer(texts.encode(), np.uint8))


def read_rows(client, model, X, y, sample_weight, memory):
    """Check a collection; set ``classes_`` and the features of `model`.

    Parameters
    ----------
    client : distributed.Client
    model : estimator
    X, y, sample_weight : Dask arrays, DataFrames and Series; see `as_blocks`
    memory : float
        Bytes of the cluster.

    Returns
    -------
    RowBlocks
        Without rows of weight zero.
    """
    meta = meta_of(X)
    refuse_dates(meta)
    with naming("X"):
        meta = validate_data(model, meta, ensure_min_samples=0, **INPUT)
    triples = as_blocks(X, y, sample_weight)
    found = summarise(client, [(y, w) for _, y, w in triples], model.class_weight)
    check_boxes(model, found.largest)
    model.classes_ = found.classes
    layout = Layout(
        meta.shape[1], meta.dtype.str, sparse.issparse(meta), found.has_weight
    )
    starts = np.cumsum(found.kept_rows) - found.kept_rows
    blocks = [
        delayed(_encoded)(
            *triple, found.classes, found.factors, layout, int(n_rows), int(start)
        )
        for triple, n_rows, start in zip(triples, found.block_rows, starts, strict=True)
    ]
    is_kept = bool(found.kept_rows.sum() * layout.row_bytes <= _KEPT_SHARE * memory)
    if is_kept:
        blocks = client.compute(blocks)
    return RowBlocks(
        blocks,
        found.kept_rows,
        layout,
        found.classes,
        found.is_weighted,
        int(found.block_rows.sum() - found.kept_rows.sum()),
        is_kept,
    )


def _encoded(X, y, weight, classes, factors, layout, n_rows, start):
    """Return one block, numbered from `start`, without the rows of weight zero."""
    y = checked_labels(y)
    if X.shape[0] != len(y) or len(y) != n_rows:
        raise ValueError(
            f"a block of X has {X.shape[0]} rows where y has {len(y)}; cut both alike "
            "(rechunk or repartition)."
        )
    if sparse.issparse(X) != layout.is_sparse:
        raise ValueError(
            "some blocks of X are sparse and some (or their meta) are dense; make all "
            "of one kind, with meta= where the array is made."
        )
    check_unmasked("X", X)
    with naming("X"):
        X = check_array(
            canonical_rows(X), ensure_min_samples=0, input_name="X", **INPUT
        )
    if layout.is_sparse:
        X = sparse.csr_matrix(X)
    X = X.astype(layout.dtype, copy=False)
    codes = np.searchsorted(classes, y).astype(np.int64)
    numbers = np.arange(start, start + len(y), dtype=np.int64)
    if not layout.has_weight:
        return NumberedRows(X, codes, None, numbers)
    weight = np.ones(len(y)) if weight is None else checked_weight(weight, len(y))
    rows = NumberedRows(X, codes, weight * factors[codes], numbers)
    kept = np.flatnonzero(rows.weight > 0.0)
    return rows.take(kept)._replace(numbers=numbers[: len(kept)])
