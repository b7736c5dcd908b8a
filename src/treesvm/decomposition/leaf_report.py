"""One line for each leaf of a decomposed model."""

import numpy as np

from treesvm.decomposition.explanations import leading_features


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
        tree = member.tree
        places = range(len(member.parts)) if tree is None else tree.leaves()
        for leaf, part in zip(places, member.parts, strict=True):
            machine = part.machine
            gap = 0.0 if machine is None else machine.records["gap"].max()
            kernel = getattr(machine, "kernel", None)
            rows.append(
                {
                    "tree": number,
                    "leaf": int(leaf),
                    "rows": part.n_rows,
                    "classes": part.n_classes,
                    "answer": classes[part.code],
                    "kernel": "" if kernel is None else kernel.name,
                    "C": np.nan if kernel is None else C,
                    "gamma": getattr(kernel, "gamma", np.nan),
                    "support_vectors": part.n_vectors,
                    "converged": part.converged,
                    "gap": float(gap),
                    "seconds": part.seconds,
                    "features": leading_features(part, len(names), names),
                }
            )
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
