"""A partition of the space with an answer in every part: a trained DTSVM.

A part whose rows have one class answers with its label, every other part with a kernel
machine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from treesvm.decomposition.part import Part, certain_scores
from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.machines.voting import row_chunks
from treesvm.trees.leaf_rows import rows_by_leaf

_TASKS_OF_A_WORKER = 8  # enough to even out, few enough to cost nothing
_ROWS_OF_A_WORKER = 4096  # fewer are answered before a second thread has started


@dataclass(frozen=True, eq=False)
class Decomposition:
    """A partition and its parts, in the order of their numbers.

    Attributes
    ----------
    partition : TreeParts, RandomPartition, WholeSpace or a user's own
    parts : list of Part
    n_classes : int or None
        None where parts are regressors.
    """

    partition: Any
    parts: list[Part]
    n_classes: Any

    @property
    def tree(self) -> Any:
        """The tree of the partition, None where it is none."""
        return getattr(self.partition, "tree", None)

    def places(self, X, n_jobs: int | None = None) -> np.ndarray:
        """Return the leaf of every row, or its part where there is no tree."""
        if self.tree is None:
            return self.apply(X, n_jobs)
        return self.tree.apply(X, n_jobs=n_jobs)

    def apply(self, X, n_jobs: int | None = None) -> np.ndarray:
        """Return the part of every row."""
        return self.partition.apply(X, n_jobs=n_jobs)

    def row_router(self) -> Callable[[np.ndarray], int]:
        """Return a function from a 1-D row to its part."""
        own = getattr(self.partition, "row_router", None)  # faster, where there is one
        return own() if own is not None else lambda x: int(self.apply(x[None])[0])

    def count_in(self, unit: float) -> None:
        """Turn a regressor of targets divided by `unit` into one of the targets."""
        self.parts[:] = [part.in_units(unit) for part in self.parts]
        if self.tree is not None:
            self.tree.value[...] *= unit

    def training_parts(self, X) -> np.ndarray:
        """Return the part that each of all training rows has trained."""
        deal = getattr(self.partition, "deal", None)  # of random parts
        return self.apply(X) if deal is None else deal(X.shape[0])

    def scores(self, X, n_jobs: int | None = None) -> np.ndarray:
        """Return one score for each class, shape (n, n_classes)."""
        return self.says(X, n_jobs)[0]

    def says(
        self, X, n_jobs: int | None = None, of_evidence: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores of rows, or the evidence, and the part of each."""
        numbers = self.apply(X, n_jobs)
        return self.said_in(X, numbers, n_jobs, of_evidence), numbers

    def said_in(
        self, X, numbers, n_jobs: int | None = None, of_evidence: bool = False
    ) -> np.ndarray:
        """Return the same of rows whose part numbers are known."""
        of_rows = Part.evidence if of_evidence else Part.scores
        return self._by_class(X, numbers, n_jobs, of_rows, self._certain)

    def evidence_in(self, X, numbers, n_jobs: int | None = None) -> np.ndarray:
        """Return what probabilities are made of; zeros in parts with one class."""
        return self._by_class(X, numbers, n_jobs, Part.evidence, lambda part: 0.0)

    def _certain(self, part):
        return certain_scores(part.code, self.n_classes)

    def _by_class(self, X, numbers, n_jobs, of_rows, of_certain):
        """Return a number for each row and class; parts may lack a machine."""
        out = np.empty((X.shape[0], self.n_classes))

        def answer(k, rows):
            part = self.parts[k]
            if part.machine is None:
                out[rows] = of_certain(part)
                return
            for chunk in row_chunks(len(rows), len(part.machine.pairs)):
                own = rows[chunk]
                out[own] = of_rows(part, X[own])

        self._each_occupied(answer, numbers, n_jobs)
        return out

    def values(self, X, n_jobs: int | None = None) -> np.ndarray:
        """Return what the parts' regressors say, shape (n,)."""
        out = np.empty(X.shape[0])

        def answer(k, rows):
            out[rows] = self.parts[k].values(X[rows])

        self._each_occupied(answer, self.apply(X, n_jobs), n_jobs)
        return out

    def _each_occupied(self, answer, numbers, n_jobs):
        """Call ``answer(number, rows)`` for every part that has rows, in threads."""
        if len(numbers) == 1:
            answer(numbers[0], np.zeros(1, np.intp))
            return
        groups = rows_by_leaf(numbers, len(self.parts))
        occupied = np.flatnonzero(groups.sizes)
        n_workers = min(
            effective_n_jobs(n_jobs),
            max(1, len(occupied)),
            1 + len(numbers) // _ROWS_OF_A_WORKER,
        )
        n_tasks = min(len(occupied), _TASKS_OF_A_WORKER * n_workers)

        def answer_some(chosen):
            for k in chosen:
                answer(k, groups.rows(k))

        # The products of a part are small: threads of BLAS would wait for each other.
        with one_blas_thread(len(occupied) > 1):
            if n_workers == 1:
                answer_some(occupied)
                return
            Parallel(n_jobs=n_workers, require="sharedmem")(
                delayed(answer_some)(occupied[task::n_tasks]) for task in range(n_tasks)
            )


def support_rows(members, X):
    """Return the numbers of all rows that are support vectors somewhere, ascending.

    Parameters
    ----------
    members : list of Decomposition
    X : ndarray or CSR matrix
        The rows that have trained them.
    """
    is_vector = np.zeros(X.shape[0], bool)
    for member in members:
        groups = rows_by_leaf(member.training_parts(X), len(member.parts))
        for k, part in enumerate(member.parts):
            if part.machine is not None and groups.sizes[k] == part.n_rows:
                is_vector[groups.rows(k)[part.machine.support]] = True
    return np.flatnonzero(is_vector)


def trees_of(members):
    """Return the trees of the members whose partition is one."""
    return [member.tree for member in members if member.tree is not None]
