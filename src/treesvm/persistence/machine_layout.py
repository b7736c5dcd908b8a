"""Which binary machines there are, from the classes that occur.

`treesvm.machines.layout` numbers the machines of a set of classes in a fixed order.
A file therefore holds the classes only; pairs and machine numbers are made again from
them, and cannot be wrong.
"""

import numpy as np

LAYOUTS = ("ovo", "ovr", "regression")


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
