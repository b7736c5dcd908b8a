"""Which binary machines there are, from the classes that occur.

`treesvm.machines.layout` numbers the machines of a set of classes in a fixed order.
A file therefore holds the classes only; pairs and machine numbers are made again from
them, and cannot be wrong.
"""

from typing import NamedTuple

import numpy as np

LAYOUTS = ("ovo", "ovr", "regression")


class Layout(NamedTuple):
    """The fields of a `KernelMachine` that follow from its classes."""

    pairs: np.ndarray
    machine_ids: np.ndarray


def machine_layout(present, layout):
    """Return pairs and machine numbers for the classes `present`, ascending."""
    n = len(present)
    if layout == "regression":
        return Layout(np.array([[1, 0]]), np.zeros((1, 1), np.intp))
    if n == 2:
        pairs = np.array([[present[1], present[0]]], dtype=np.intp)
        return Layout(pairs, np.zeros((2, 1), np.intp))
    if layout == "ovr":
        pairs = np.stack([present, np.full(n, -1)], axis=1).astype(np.intp)
        return Layout(pairs, np.tile(np.arange(n), (n, 1)))
    first, second = np.triu_indices(n, 1)
    pairs = np.stack([present[first], present[second]], axis=1).astype(np.intp)
    number = np.zeros((n, n), np.intp)
    number[first, second] = number[second, first] = np.arange(len(first))
    others = ~np.eye(n, dtype=bool)
    return Layout(pairs, number[others].reshape(n, n - 1))


def machine_counts(n_present, layout):
    """How many machines there are, and how many of them a class takes part in.

    Parameters
    ----------
    n_present : ndarray of int64
        Classes that occur, for each set of machines.

    Returns
    -------
    n_machines, width : ndarray of int64
    """
    n = np.asarray(n_present, dtype=np.int64)
    if layout == "regression":
        return np.ones_like(n), np.ones_like(n)
    pairs = n * (n - 1) // 2
    if layout == "ovr":
        return np.where(n == 2, 1, n), np.where(n == 2, 1, n)
    return pairs, n - 1


def layout_of(machines):
    """The layout that a list of `KernelMachine` has in common."""
    if any(len(machine.class_starts) == 2 for machine in machines):
        return "regression"
    is_ovr = any((machine.pairs[:, 1] < 0).any() for machine in machines)
    return "ovr" if is_ovr else "ovo"


def present_classes(machine, layout):
    """The classes that occur in a machine, ascending; none in a regressor."""
    if layout == "regression":
        return np.zeros(0, np.intp)
    classes = np.unique(machine.pairs)
    return classes[classes >= 0]
