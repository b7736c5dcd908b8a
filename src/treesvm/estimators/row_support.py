"""Which training rows support a decomposition, and the rows themselves."""

from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator

from treesvm.decomposition.decomposition import Decomposition, support_rows
from treesvm.inputs.array_types import Array


class RowSupport(BaseEstimator):
    """`support_` and `support_vectors_` after a fit in one memory."""

    support_: Array
    support_vectors_: Any

    def _note_support(self, members: Sequence[Decomposition], kept: Array, X: Any):
        """Set both; `kept` are the numbers of the rows X that have trained."""
        found = support_rows(members, X)
        self.support_, self.support_vectors_ = kept[found], X[found]

    def __getstate__(self) -> dict[str, Any]:
        """Leave the rows out of pickles: the parts hold them in their own scale."""
        state = super().__getstate__()
        return {k: v for k, v in state.items() if k != "support_vectors_"}
