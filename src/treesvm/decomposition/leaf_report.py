"""One line for each leaf of a decomposed model."""

import numpy as np

from treesvm.decomposition.explanations import leading_features

_NAMES = (
    "tree",
    "leaf",
    "rows",
    "classes",
    "answer",
    "kernel",
    "C",
    "gamma",
    "support_vectors",
    "converged",
    "gap",
    "seconds",
    "features",
)


def leaf_report(members, classes, names, C):
    """Return a dict of columns that pandas takes, with a place for every leaf.

    Parameters
    ----------
    members : list of Decomposition
        Whose partitions are trees.
    classes : ndarray
        Labels by class code.
    names : sequence
        Of the features.
    C : float
        Of all machines.
    """
    rows = []
    for number, member in enumerate(members):
        tree = getattr(member.partition, "tree", None)
        places = range(len(member.parts)) if tree is None else tree.leaves()
        for leaf, part in zip(places, member.parts, strict=True):
            machine = part.machine
            gap = 0.0 if machine is None else machine.records["gap"].max()
            kernel = getattr(machine, "kernel", None)
            rows.append(
                (
                    number,
                    int(leaf),
                    part.n_rows,
                    part.n_classes,
                    classes[part.code],
                    "" if kernel is None else kernel.name,
                    np.nan if kernel is None else C,
                    getattr(kernel, "gamma", np.nan),
                    part.n_vectors,
                    part.converged,
                    float(gap),
                    part.seconds,
                    leading_features(part, len(names), names),
                )
            )
    columns = zip(*rows, strict=True)
    return {
        name: np.array(column) for name, column in zip(_NAMES, columns, strict=True)
    }
