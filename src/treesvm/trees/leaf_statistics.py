"""What the leaves of a classification tree hold: rows, classes, purity."""

from typing import NamedTuple

import numpy as np


class LeafStatistics(NamedTuple):
    """One entry for each leaf, in the order of `Tree.leaves()`."""

    leaf: np.ndarray  # node number
    n_rows: np.ndarray
    n_classes: np.ndarray  # classes that occur
    majority: np.ndarray  # code of the heaviest class, the smallest code among equals

    @property
    def is_pure(self):
        """Whether the leaf holds one class."""
        return self.n_classes <= 1

    @property
    def pure_share(self):
        """Share of the training rows that lie in one-class leaves."""
        return float(self.n_rows[self.is_pure].sum() / self.n_rows.sum())


def leaf_statistics(tree):
    """Return rows, classes and majority of each leaf.

    Parameters
    ----------
    tree : Tree
        A classification tree; `value` holds class weights.

    Returns
    -------
    LeafStatistics
    """
    leaves = tree.leaves()
    value = tree.value[leaves]
    return LeafStatistics(
        leaf=leaves,
        n_rows=tree.n_rows[leaves],
        n_classes=np.count_nonzero(value > 0.0, axis=1),
        majority=value.argmax(axis=1),
    )
