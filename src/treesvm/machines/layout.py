"""The binary machines of a multi-class problem, laid out for one Gram matrix.

Rows are sorted by class, so that each machine's rows are one or two ranges of the
shared Gram matrix.  The coefficients of all machines lie end to end in one array;
machine m owns ``starts[m]:starts[m + 1]``.
"""

from typing import NamedTuple

import numpy as np


class Block(NamedTuple):
    """Rows of one class and the machines they take part in."""

    rows: slice  # of the sorted rows
    machines: np.ndarray
    coefficients: np.ndarray  # (n_rows, n_machines) positions in the joined array


class Machines(NamedTuple):
    """Binary machines over rows sorted by class.

    Attributes
    ----------
    order : ndarray of shape (n,)
        Sorted row -> row as given.
    rows : ndarray of shape (n_coefficients,)
        Sorted row of every coefficient.
    signs : ndarray of shape (n_coefficients,)
        +1 where the row belongs to the machine's first class, else -1.
    starts : ndarray of shape (n_machines + 1,)
    pairs : ndarray of shape (n_machines, 2)
        Classes of the positive and of the negative side; -1 stands for "all others".
    n_classes : int
    blocks : list of Block
    """

    order: np.ndarray
    rows: np.ndarray
    signs: np.ndarray
    starts: np.ndarray
    pairs: np.ndarray
    n_classes: int
    blocks: list

    @property
    def n_machines(self):
        return len(self.pairs)


def build_machines(codes, n_classes, multi_class):
    """Lay out the machines for class codes 0 .. n_classes - 1.

    Two classes are one machine with class 1 on its positive side.  With more,
    ``"ovo"`` has one for each pair (the lower class positive, as in LIBSVM) and
    ``"ovr"`` one for each class against the others.  Classes without rows get no
    machine of their own.
    """
    order = np.argsort(codes, kind="stable")
    counts = np.bincount(codes, minlength=n_classes)
    present = np.flatnonzero(counts)
    sizes = counts[present]
    firsts = np.concatenate([[0], np.cumsum(sizes)])  # sorted rows of each class
    if len(present) == 2 or multi_class == "ovo":
        layout = _pairs_of_classes(present, sizes, firsts)
    else:
        layout = _one_against_the_rest(present, sizes, firsts)
    return Machines(order, *layout[:-1], n_classes, layout[-1])


def _pairs_of_classes(present, sizes, firsts):
    """One machine for each pair; of two classes the higher one is positive."""
    n = len(present)
    low, high = np.triu_indices(n, 1)  # (0, 1), (0, 2), ... as combinations go
    lengths = np.stack([sizes[low], sizes[high]], axis=1)
    rows = _joined_ranges(
        np.stack([firsts[low], firsts[high]], axis=1).ravel(), lengths.ravel()
    )
    starts = np.concatenate([[0], np.cumsum(lengths.sum(axis=1))])
    side = [-1.0, 1.0] if n == 2 else [1.0, -1.0]
    signs = np.repeat(np.tile(side, len(low)), lengths.ravel())
    pairs = np.stack([present[low], present[high]], axis=1)
    blocks = []
    for k in range(n):
        others = np.delete(np.arange(n), k)
        first, second = np.minimum(others, k), np.maximum(others, k)
        machines = first * n - first * (first + 1) // 2 + second - first - 1
        # Rows of the lower class come first in a machine.
        begins = starts[machines] + np.where(others < k, sizes[others], 0)
        blocks.append(_block(firsts[k], sizes[k], machines, begins))
    return rows, signs, starts, pairs[:, ::-1] if n == 2 else pairs, blocks


def _one_against_the_rest(present, sizes, firsts):
    """One machine for each class, over all rows."""
    n, n_rows = len(present), int(firsts[-1])
    rows = np.tile(np.arange(n_rows), n)
    starts = n_rows * np.arange(n + 1)
    own = np.repeat(np.arange(n), sizes)
    signs = np.where(own == np.arange(n)[:, None], 1.0, -1.0).ravel()
    pairs = np.stack([present, np.full(n, -1)], axis=1)
    blocks = [
        _block(firsts[k], sizes[k], np.arange(n), starts[:-1] + firsts[k])
        for k in range(n)
    ]
    return rows, signs, starts, pairs, blocks


def _block(first, size, machines, begins):
    """Rows of one class, whose coefficients begin there in each of its machines."""
    index = np.arange(size)[:, None] + np.asarray(begins, dtype=np.intp)
    rows = slice(int(first), int(first + size))
    return Block(rows, np.asarray(machines, dtype=np.intp), index)


def _joined_ranges(firsts, lengths):
    """Join the ranges ``first, first + 1, ...`` of the given lengths."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(firsts - before, lengths) + np.arange(lengths.sum())


def coefficient_matrix(machines, beta):
    """Spread the joined coefficients to a dense (n_rows, n_machines) array."""
    n = len(machines.order)
    W = np.zeros((n, machines.n_machines))
    for block in machines.blocks:
        W[block.rows, block.machines] = beta[block.coefficients]
    return W


def decisions(machines, K, beta, biases):
    """Return the decision value of every row of `K` for every machine.

    Parameters
    ----------
    K : ndarray of shape (n_queries, n_rows), float64
        Kernel of the queries with the sorted rows.
    """
    out = np.tile(biases, (K.shape[0], 1))
    for block in machines.blocks:
        out[:, block.machines] += K[:, block.rows] @ beta[block.coefficients]
    return out
