"""One line for each leaf of a decomposed model."""

import numpy as np

from treesvm.decomposition.explanations import leading_features

_NAMES = (
    "tree",
    "leaf",
    "rows",
    "classes",
    "answer",
    "support_vectors",
    "converged",
    "gap",
    "seconds",
    "features",
)


def leaf_report(members, classes, names):
    """Return a dict of columns that pandas takes, with a place for every leaf.

    Parameters
    ----------
    members : list of Decomposition
        Whose partitions are trees.
    classes : ndarray
        Labels by class code.
    names : sequence
        Of the features.
    """
    rows = []
    for number, member in enumerate(members):
        tree = getattr(member.partition, "tree", None)
        places = range(len(member.parts)) if tree is None else tree.leaves()
        for leaf, part in zip(places, member.parts, strict=True):
            machine = part.machine
            gap = 0.0 if machine is None else machine.records["gap"].max()
            rows.append(
                (
                    number,
                    int(leaf),
                    part.n_rows,
                    part.n_classes,
                    classes[part.code],
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
