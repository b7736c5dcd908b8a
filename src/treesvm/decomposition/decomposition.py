"""A partition of the space with an answer in every part: a trained DTSVM.

A part whose rows have one class answers with its label, every other part with a kernel
machine.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from treesvm.decomposition.calibration import probabilities
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
    partition : TreeParts, RandomPartition or WholeSpace
    parts : list of Part
    n_classes : int or None
        None where parts are regressors.
    """

    partition: Any
    parts: list[Part]
    n_classes: Any

    def apply(self, X, n_jobs: int | None = None) -> np.ndarray:
        """Return the part of every row."""
        return self.partition.apply(X, n_jobs=n_jobs)

    def scores(self, X, n_jobs: int | None = None) -> np.ndarray:
        """Return one score for each class, shape (n, n_classes)."""
        return self.scores_in(X, self.apply(X, n_jobs), n_jobs)

    def scores_in(self, X, numbers, n_jobs: int | None = None) -> np.ndarray:
        """Return the scores of rows whose part numbers are known."""
        out = np.empty((X.shape[0], self.n_classes))

        def answer(k, rows):
            part = self.parts[k]
            if part.machine is None:
                out[rows] = certain_scores(part.code, self.n_classes)
                return
            for chunk in row_chunks(len(rows), len(part.machine.pairs)):
                own = rows[chunk]
                out[own] = part.scores(X[own])

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


def trees_of(members):
    """Return the trees of the members whose partition is one."""
    partitions = [member.partition for member in members]
    return [partition.tree for partition in partitions if hasattr(partition, "tree")]


def places_of(partition, X, n_jobs=None):
    """Return the leaf of every row, or its part where there is no tree."""
    tree = getattr(partition, "tree", None)
    return partition.apply(X, n_jobs) if tree is None else tree.apply(X, n_jobs=n_jobs)


def joint_scores(members, X, n_jobs=None):
    """Return the scores of one or of several decompositions together."""
    return joined([member.scores(X, n_jobs) for member in members])


def joined(member_scores):
    """Return the vote of several members, of one its scores themselves."""
    return member_scores[0] if len(member_scores) == 1 else vote(member_scores)


def vote(member_scores):
    """Join the scores of several members: votes, then the sum of their scores.

    The sum is squeezed into (-1/3, 1/3), so that it only breaks ties between votes.
    """
    votes = np.zeros_like(member_scores[0])
    total = np.zeros_like(member_scores[0])
    rows = np.arange(len(votes))
    for scores in member_scores:
        votes[rows, scores.argmax(axis=1)] += 1.0
        total += scores
    joined = votes + total / (3 * (np.abs(total) + 1))
    if joined.shape[1] == 2:  # one decision value, the lead of the second class
        lead = joined[:, 1] - joined[:, 0]
        return np.stack([-lead, lead], axis=1)
    return joined


def answers(method, scores, classes, scale=None):
    """Return what a method of a classifier makes of the scores of some rows.

    Parameters
    ----------
    method : {"predict", "decision_function", "predict_proba"}
    scores : ndarray of shape (n_rows, n_classes)
    classes : ndarray of shape (n_classes,)
    scale : float, optional
        Of the probabilities.
    """
    if method == "predict":
        return classes[scores.argmax(axis=1)]
    if method == "predict_proba":
        return probabilities(scores, scale)
    return scores[:, 1] if len(classes) == 2 else scores
