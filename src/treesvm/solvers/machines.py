"""The binary machines of a multi-class problem, laid out for one Gram matrix.

Rows are sorted by class, so that each machine's rows are one or two ranges of the
shared Gram matrix.  The coefficients of all machines lie end to end in one array;
machine m owns ``starts[m]:starts[m + 1]``.
"""

from itertools import combinations
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
    bounds = np.searchsorted(codes[order], np.arange(n_classes + 1))
    present = [c for c in range(n_classes) if bounds[c] < bounds[c + 1]]
    if len(present) == 2:
        pairs = [(present[1], present[0])]
    elif multi_class == "ovo":
        pairs = list(combinations(present, 2))
    else:
        pairs = [(c, -1) for c in present]
    rows, signs, starts = [], [], [0]
    for positive, negative in pairs:
        members = _member_rows(bounds, positive, negative)
        rows.append(members)
        own = (members >= bounds[positive]) & (members < bounds[positive + 1])
        signs.append(np.where(own, 1.0, -1.0))
        starts.append(starts[-1] + len(members))
    pairs = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    starts = np.array(starts)
    blocks = _blocks(bounds, present, pairs, starts)
    return Machines(
        order,
        np.concatenate(rows) if rows else np.zeros(0, np.intp),
        np.concatenate(signs) if signs else np.zeros(0),
        starts,
        pairs,
        n_classes,
        blocks,
    )


def _member_rows(bounds, positive, negative):
    """Sorted rows of a machine, in ascending order."""
    if negative < 0:
        return np.arange(bounds[0], bounds[-1])
    low, high = sorted((positive, negative))
    return np.concatenate(
        [
            np.arange(bounds[low], bounds[low + 1]),
            np.arange(bounds[high], bounds[high + 1]),
        ]
    )


def _blocks(bounds, present, pairs, starts):
    """For every class, where its rows' coefficients lie in each of its machines."""
    blocks = []
    for c in present:
        rows = slice(int(bounds[c]), int(bounds[c + 1]))
        size = rows.stop - rows.start
        machines, firsts = [], []
        for m, (positive, negative) in enumerate(pairs):
            if negative >= 0 and c not in (positive, negative):
                continue
            machines.append(m)
            offset = rows.start - bounds[0] if negative < 0 else 0
            if negative >= 0 and c == max(positive, negative):
                low = min(positive, negative)
                offset = bounds[low + 1] - bounds[low]
            firsts.append(starts[m] + offset)
        index = np.arange(size)[:, None] + np.array(firsts, dtype=np.intp)
        blocks.append(Block(rows, np.array(machines, dtype=np.intp), index))
    return blocks


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
