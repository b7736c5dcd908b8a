"""The binary machines of a multi-class problem, laid out for one Gram matrix.

Rows are sorted by class, so that each machine's rows are one or two ranges of the
shared Gram matrix.  The coefficients of all machines lie end to end in one array;
machine m owns ``starts[m]:starts[m + 1]``.
"""

from typing import NamedTuple

import numpy as np


class ClassLayout(NamedTuple):
    """Which binary machines there are for a set of classes, in a fixed order.

    Attributes
    ----------
    pairs : ndarray of shape (n_machines, 2)
        Classes of the positive and of the negative side; -1 stands for "all others".
    machine_ids : ndarray of shape (n_classes, n_machines of a class)
        Machines that each class takes part in, ascending.
    """

    pairs: np.ndarray
    machine_ids: np.ndarray


def class_layout(present, multi_class):
    """Lay out the machines of the classes `present`, ascending.

    Two classes are one machine with the higher class on its positive side.  With more,
    ``"ovo"`` has one for each pair (the lower class positive, as in LIBSVM) and
    ``"ovr"`` one for each class against the others.  ``"regression"`` is one machine
    over all rows.
    """
    present, n = np.asarray(present, np.intp), len(present)
    if multi_class == "regression":
        return ClassLayout(np.array([[1, 0]]), np.zeros((1, 1), np.intp))
    if n == 2:
        return ClassLayout(present[None, ::-1].copy(), np.zeros((2, 1), np.intp))
    if multi_class == "ovr":
        pairs = np.stack([present, np.full(n, -1)], axis=1)
        return ClassLayout(pairs, np.tile(np.arange(n), (n, 1)))
    low, high = np.triu_indices(n, 1)  # (0, 1), (0, 2), ... as combinations go
    number = np.zeros((n, n), np.intp)
    number[low, high] = number[high, low] = np.arange(len(low))
    pairs = np.stack([present[low], present[high]], axis=1)
    return ClassLayout(pairs, number[~np.eye(n, dtype=bool)].reshape(n, n - 1))


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
        +1 where the row belongs to the machine's first class, else -1; of regression
        the targets.
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
    """Lay out the machines of rows with class codes 0 .. n_classes - 1.

    Classes without rows get no machine of their own.
    """
    order = np.argsort(codes, kind="stable")
    counts = np.bincount(codes, minlength=n_classes)
    present = np.flatnonzero(counts)
    layout = class_layout(present, multi_class)
    is_pairwise = len(present) == 2 or multi_class == "ovo"
    fill = _rows_of_pairs if is_pairwise else _rows_of_all
    rows, signs, starts, blocks = fill(counts[present], layout.machine_ids)
    return Machines(order, rows, signs, starts, layout.pairs, n_classes, blocks)


def one_machine(targets):
    """Lay out one machine over all rows, whose targets are numbers."""
    n, layout = len(targets), class_layout([0], "regression")
    rows, starts = np.arange(n), np.array([0, n])
    blocks = [_block(0, n, layout.machine_ids[0], starts[:1])]
    return Machines(rows, rows, targets, starts, layout.pairs, 2, blocks)


def _rows_of_pairs(sizes, machine_ids):
    """Rows of two classes for each machine; of two classes the higher is positive."""
    n, firsts = len(sizes), _starts_of(sizes)
    low, high = np.triu_indices(n, 1)
    lengths = np.stack([sizes[low], sizes[high]], axis=1)
    rows = _joined_ranges(
        np.stack([firsts[low], firsts[high]], axis=1).ravel(), lengths.ravel()
    )
    starts = _starts_of(lengths.sum(axis=1))
    side = [-1.0, 1.0] if n == 2 else [1.0, -1.0]
    signs = np.repeat(np.tile(side, len(low)), lengths.ravel())
    blocks = []
    for k, machines in enumerate(machine_ids):
        others = np.delete(np.arange(n), k)
        # Rows of the lower class come first in a machine.
        begins = starts[machines] + np.where(others < k, sizes[others], 0)
        blocks.append(_block(firsts[k], sizes[k], machines, begins))
    return rows, signs, starts, blocks


def _rows_of_all(sizes, machine_ids):
    """All rows for each machine; its own class is positive."""
    n, firsts = len(sizes), _starts_of(sizes)
    n_rows = int(firsts[-1])
    rows = np.tile(np.arange(n_rows), n)
    starts = n_rows * np.arange(n + 1)
    own = np.repeat(np.arange(n), sizes)
    signs = np.where(own == np.arange(n)[:, None], 1.0, -1.0).ravel()
    blocks = [
        _block(firsts[k], sizes[k], machines, starts[:-1] + firsts[k])
        for k, machines in enumerate(machine_ids)
    ]
    return rows, signs, starts, blocks


def _starts_of(sizes):
    """Where things of these sizes begin when they stand one after the other."""
    return np.concatenate([[0], np.cumsum(sizes)])


def _block(first, size, machines, begins):
    """Rows of one class, whose coefficients begin there in each of its machines."""
    index = np.arange(size)[:, None] + np.asarray(begins, dtype=np.intp)
    rows = slice(int(first), int(first + size))
    return Block(rows, machines, index)


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
