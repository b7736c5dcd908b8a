"""The terms of a sum that a support vector tree chooses from.

A term maps a row to a number: the kernel value with one vector, or the answer of one
weak learner. Rows are a dense array, a CSR matrix, rows of a Gram matrix, or a 1-D
array of objects that a kernel function understands. Terms know three things: how many
there are, their matrix for some rows, and the values of a single term.
"""

from dataclasses import dataclass

import numpy as np

from treesvm.kernels.families import Kernel


@dataclass(frozen=True, eq=False)
class KernelTerms:
    """Kernel values with given vectors.

    Attributes
    ----------
    kernel : Kernel
    vectors : ndarray, CSR matrix or 1-D object array
        For a precomputed kernel, the columns of the Gram matrix (1-D integers).
    """

    kernel: Kernel
    vectors: object

    @property
    def n_terms(self):
        return self.vectors.shape[0]

    def matrix(self, X):
        """Return the values of all terms for the rows, (n, n_terms) float64."""
        if self.n_terms == 0 or X.shape[0] == 0:
            return np.zeros((X.shape[0], self.n_terms))
        stored = self.vectors, self.vectors  # of a Gram matrix, their numbers
        return np.ascontiguousarray(self.kernel.stored_block(X, *stored, np.float64))

    def values(self, X, column):
        """Return the values of one term for the rows, (n,)."""
        return self.subset(np.array([column])).matrix(X)[:, 0]

    def subset(self, columns):
        """Return some of the terms, in the order given."""
        return KernelTerms(self.kernel, self.vectors[columns])

    def evaluations(self, path):
        """What evaluating the terms of a path costs: its distinct vectors."""
        return len(set(path))


@dataclass(frozen=True, eq=False)
class LearnerTerms:
    """Answers of weak learners.

    A learner gives `width` numbers for a row (its votes for `width` classes); each is a
    term, and a learner that was asked once is not asked again.

    Attributes
    ----------
    answer : callable
        Maps (learner, X) to an array of shape (n,) or (n, width).
    learners : list
    columns : ndarray of shape (n_terms,)
        Position ``learner * width + number`` of each term.
    width : int
    """

    answer: object
    learners: list
    columns: np.ndarray
    width: int = 1

    @property
    def n_terms(self):
        return len(self.columns)

    def matrix(self, X):
        """Return the values of all terms for the rows, (n, n_terms) float64."""
        out = np.empty((X.shape[0], self.n_terms))
        asked = self.columns // self.width
        for learner in np.unique(asked):
            votes = np.asarray(self.answer(self.learners[learner], X), np.float64)
            places = np.flatnonzero(asked == learner)
            votes = votes.reshape(X.shape[0], self.width)
            out[:, places] = votes[:, self.columns[places] % self.width]
        return out

    def values(self, X, column):
        """Return the values of one term for the rows, (n,)."""
        return self.subset(np.array([column])).matrix(X)[:, 0]

    def subset(self, columns):
        """Return some of the terms, in the order given."""
        chosen = self.columns[columns]
        return LearnerTerms(self.answer, self.learners, chosen, self.width)

    def evaluations(self, path):
        """What evaluating the terms of a path costs: its distinct learners."""
        return len(set((self.columns[path] // self.width).tolist()))
