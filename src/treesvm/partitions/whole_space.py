"""The partition that does not cut: one part for all rows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from treesvm.inputs.array_types import Array
from treesvm.inputs.estimator import Estimator


class WholeSpace(Estimator):
    """One part that holds the whole space: a plain machine.

    When not to use it: a machine of all rows costs the square of their number; above
    some ten thousand rows let a tree cut the space.

    Examples
    --------
    >>> import numpy as np
    >>> from treesvm.partitions import WholeSpace
    >>> WholeSpace().apply(np.zeros((3, 2))).tolist()
    [0, 0, 0]
    """

    n_parts = 1

    is_nested = True  # parts at a larger ceiling are unions of smaller ones

    def randomized(self) -> "WholeSpace":
        """Return the recipe of a committee's members: the same."""
        return self

    def grow(
        self,
        X: Any,
        target: Array | None,
        weight: Array | None,
        seed: int,
        *,
        max_leaf_size: int,
        n_classes: int | None = None,
    ) -> tuple[Any, Array]:
        """Return itself and the part of every row."""
        return self, self.apply(X)

    def apply(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """Return the part of every row, which is 0.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Any rows.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return np.zeros(X.shape[0], np.intp)

    def coarsen(self, max_leaf_size: int) -> tuple["WholeSpace", np.ndarray]:
        """Return itself: there is nothing coarser."""
        return self, np.zeros(1, np.intp)

    def row_router(self) -> Callable[[np.ndarray], int]:
        """Return a function from a row to part 0."""
        return _only_part


def _only_part(_):
    return 0
