"""Answers for Dask collections: lazy, block by block.

A small model goes to the blocks. A model that would take much of a worker's memory does
not: its leaves are dealt out to the workers, the rows are shuffled to the leaves, and
their scores are shuffled back.
"""

import copy
import pickle
from itertools import pairwise
from typing import NamedTuple

import dask.array as da
import numpy as np
from dask import delayed
from distributed import get_client
from scipy import sparse

from treesvm.decomposition.committee import Committee
from treesvm.decomposition.decomposition import Decomposition
from treesvm.distributed.clusters import cluster_size
from treesvm.distributed.collections import feature_blocks, meta_of
from treesvm.distributed.packing import (
    Layout,
    NumberedRows,
    as_rows,
    as_table,
    empty_table,
)
from treesvm.distributed.shuffling import packed_parts, shuffled
from treesvm.distributed.worker_memory import give_back
from treesvm.inputs.training_rows import INPUT, checked_rows
from treesvm.machines.kernel_machine import KernelMachine

_MODEL_SHARE = 0.1  # of a worker's memory that a model may take to go to the blocks
_MOST_BYTES = 256 * 2**20  # a larger model is too much to send to every worker
_UNPACKED_SIZE = 3  # of a piece in use, and its rows, beside its bytes


def lazy_answers(model, X, method, client=None):
    """Return a Dask array of what ``model.method`` says to a Dask collection.

    Parameters
    ----------
    model : fitted DTSVMClassifier or HLSVMClassifier
    X : Dask array or DataFrame
    method : {"predict", "decision_function", "predict_proba"}
    client : distributed.Client, optional
        The current one by default; without any, rows are answered where they are.
    """
    blocks = feature_blocks(X)
    if is_dealt_out(model, _current(client)):
        layout = _layout_of(X, model)
        scored = _scored_by_leaves(_current(client), model, blocks, layout)
        committee = delayed(_committee(model), traverse=False)
        done = [
            delayed(Committee.answers)(committee, method, said, model.classes_)
            for said in scored
        ]
    else:
        there = delayed(model, traverse=False)
        done = [delayed(_answered)(block, there, method) for block in blocks]
    sizes = X.chunks[0] if isinstance(X, da.Array) else (np.nan,) * len(blocks)
    tail, dtype = _shape_of(model, method)
    arrays = [
        da.from_delayed(block, (n, *tail), dtype=dtype)
        for block, n in zip(done, sizes, strict=True)
    ]
    unknown = any(np.isnan(n) for n in sizes)
    return da.concatenate(arrays, axis=0, allow_unknown_chunksizes=unknown)


def is_dealt_out(model, client):
    """Whether a model is too large to be sent to every block's worker."""
    members = _members(model)
    if client is None or all(len(member.parts) == 1 for member in members):
        return False
    limit = min(_MODEL_SHARE * cluster_size(client).smallest_memory, _MOST_BYTES)
    sizes = [part_bytes(part) for member in members for part in member.parts]
    return sum(sizes) > limit


def part_bytes(part):
    """Return about how much memory the machine of a part takes."""
    machine = part.machine
    if not isinstance(machine, KernelMachine):  # one class, or few vectors
        return 200
    vectors = machine.vectors
    held = vectors.data.nbytes * 2 if sparse.issparse(vectors) else vectors.nbytes
    return held + machine.coefficients.nbytes + machine.support.nbytes + 4000


def _current(client):
    if client is not None:
        return client
    try:
        return get_client()
    except ValueError:
        return None


def _members(model):
    """Return the decompositions of a model; trees of majorities have none."""
    return getattr(model, "decompositions_", [])


def _shape_of(model, method):
    """Return the shape of an answer behind the rows, and its dtype."""
    if method == "predict":
        return (), model.classes_.dtype
    is_single = method == "decision_function" and len(model.classes_) == 2
    return (() if is_single else (len(model.classes_),)), np.dtype(np.float64)


def _answered(X, model, method):
    """Answer one block with the whole model."""
    if X.shape[0] == 0:
        tail, dtype = _shape_of(model, method)
        return np.empty((0, *tail), dtype)
    return getattr(model, method)(X)


def _committee(model):
    """Return how scores of the members become answers."""
    best = getattr(model, "best_estimator_", model)
    has_own = hasattr(best, "committee")  # compressed machines answer as they are
    return best.committee() if has_own else Committee(len(model.classes_))


def _shell(model):
    """Return the model without its machines and trees: labels and checks only."""
    shell = copy.copy(getattr(model, "best_estimator_", model))
    for name in ("decompositions_", "trees_"):
        vars(shell).pop(name, None)
    return shell


def _layout_of(X, model):
    meta = meta_of(X)
    dtypes = [np.dtype(d) for d in np.atleast_1d(getattr(meta, "dtypes", X.dtype))]
    common = np.result_type(*dtypes)
    dtype = common if common in INPUT["dtype"] else np.dtype(INPUT["dtype"][0])
    return Layout(model.n_features_in_, dtype.str, sparse.issparse(meta), False)


class _Piece(NamedTuple):
    """Some neighbouring parts of a decomposition, with the number of the first.

    It travels and waits as bytes: a leaf is a dozen small arrays, which take twice as
    much memory as their contents, and Dask neither counts nor spills what a task that
    waits for its rows holds.
    """

    first: int
    parts: list
    n_classes: int
    of_evidence: bool  # what the committee wants instead of scores


def _scored_by_leaves(client, model, blocks, layout):
    """Return of each block what the members say, from rows that went to the leaves."""
    shell = delayed(_shell(model), traverse=False)
    of_evidence = _committee(model).of_evidence
    members = [
        _member_scores(client, member, blocks, layout, shell, of_evidence)
        for member in _members(model)
    ]
    return [list(said) for said in zip(*members, strict=True)]


def _member_scores(client, member, blocks, layout, shell, of_evidence):
    """Shuffle rows to the leaves of one decomposition, and their scores back."""
    piece_of, pieces = _dealt_out(client, member, of_evidence)
    partition = delayed(member.partition, traverse=False)
    tables = [
        delayed(_query)(block, shell, partition, piece_of, number, layout)
        for number, block in enumerate(blocks)
    ]
    asked = shuffled(client, tables, len(pieces), empty_table(layout))
    back = Layout(member.n_classes, "<f8", False, False)
    said = [
        delayed(_answer_piece)(table, piece, layout)
        for table, piece in zip(asked, pieces, strict=True)
    ]
    returned = shuffled(client, said, len(blocks), empty_table(back))
    return [delayed(_said_in_order)(table, back) for table in returned]


def _dealt_out(client, member, of_evidence=False):
    """Return the piece of each part, and delayed pieces of about equal size."""
    sizes = np.array([part_bytes(part) for part in member.parts])
    piece_of = packed_parts(sizes, _UNPACKED_SIZE, cluster_size(client).n_threads)
    firsts = np.searchsorted(piece_of, np.arange(piece_of[-1] + 2))
    # In the graph and not scattered: a lost worker loses nothing, and answers that are
    # computed later do not depend on anything that might be gone by then.
    pieces = [
        _Piece(int(a), member.parts[a:b], member.n_classes, of_evidence)
        for a, b in pairwise(firsts)
    ]
    pieces = [delayed(pickle.dumps(piece, protocol=5)) for piece in pieces]
    return delayed(piece_of, traverse=False), pieces


def _query(X, shell, partition, piece_of, number, layout):
    """Return the rows of a block with the piece that answers each.

    The number of the block travels as the code, so that its scores find back.
    """
    if X.shape[0]:
        X = checked_rows(shell, X, reset=False)
    else:
        X = np.empty((0, layout.n_features)) if not sparse.issparse(X) else X
    X = sparse.csr_matrix(X) if layout.is_sparse else X
    X = X.astype(layout.dtype, copy=False)
    leaf = partition.apply(X)
    code = np.full(len(leaf), number, np.int64)
    rows = NumberedRows(X, code, None, np.arange(len(leaf), dtype=np.int64))
    return as_table(rows, piece_of[leaf], leaf)


def _answer_piece(table, packed_piece, layout):
    """Return the scores of the rows that came to a piece, addressed to their blocks."""
    rows, leaf, _ = as_rows(table, layout)
    # Bytes that this client packed, on the way that Dask sends tasks, which are pickled
    # themselves; model files never come here.
    piece = pickle.loads(packed_piece)
    some = Decomposition(None, piece.parts, piece.n_classes)
    scores = some.said_in(rows.X, leaf - piece.first, 1, piece.of_evidence)
    answered = NumberedRows(scores, rows.codes, None, rows.numbers)
    del rows, piece, some
    give_back()
    return as_table(answered, answered.codes, leaf)


def _said_in_order(table, layout):
    """Return scores and parts, in the order of a block's rows."""
    rows, leaf, _ = as_rows(table, layout)
    return rows.X, leaf
