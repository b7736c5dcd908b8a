"""Kernel machines in the impure leaves of an oblique tree.

The hybrid of Fehr et al. (2007) and Sun et al. (2007), named in section 1 of the H-LSVM
paper: hyperplanes decide where they can, a kernel machine where they cannot.
"""

import numpy as np

from treesvm.decomposition.checkpointing import NOTHING_KEPT
from treesvm.decomposition.decomposition import (
    Decomposition,
    MachineOptions,
    certain_scores,
    part_numbers,
    train_parts,
)
from treesvm.kernels.kernel import Gaussian
from treesvm.trees.leaf_rows import rows_by_leaf
from treesvm.trees.oblique_predictor import leaf_of, packed

_TOL = 1e-3
_MAX_BYTES = 2**30  # of kernel values in one leaf; larger leaves use working sets


def train_kernel_leaves(
    tree, X, codes, weight, *, n_classes, C, gamma, n_jobs, store=NOTHING_KEPT
):
    """Train an RBF machine in every leaf that holds more than one class.

    Parameters
    ----------
    tree : Tree
    X, codes : training rows and class codes
    weight : ndarray of shape (n_rows,) or None
    n_classes : int
    C, gamma : float
        Of features rescaled to [0, 1] inside each leaf.
    n_jobs : int or None
    store : NoCheckpoint or a store with the same methods
        Of finished leaves.

    Returns
    -------
    Decomposition
    """
    options = kernel_leaf_options(C, gamma)
    weight = np.ones(len(codes)) if weight is None else weight
    groups = rows_by_leaf(part_numbers(tree, X, n_jobs), tree.n_leaves)
    parts = train_parts(
        X, codes, n_classes, weight, groups, options, n_jobs=n_jobs, store=store
    )
    return Decomposition(tree, parts, n_classes)


def kernel_leaf_options(C, gamma):
    """Return how the machine of a leaf is trained."""
    return MachineOptions(
        kernel=Gaussian(float(gamma)),
        C=C,
        multi_class="ovo",
        leaf_scaling="minmax",
        tol=_TOL,
        max_iter=None,
        max_bytes=_MAX_BYTES,
    )


class KernelLeafPredictor:
    """Compiled answers of a tree with kernel leaves, without validation.

    Parameters
    ----------
    decomposition : Decomposition
    classes : ndarray of shape (n_classes,)
    """

    def __init__(self, decomposition, classes):
        self._model, self._classes = decomposition, classes
        tree = decomposition.partition
        self._n_features, self._nodes = tree.n_features, packed(tree)
        self._part_of = tree.leaf_numbers.tolist()
        self._deciders = [
            None if part.machine is None else part.row_decider()
            for part in decomposition.parts
        ]

    def __call__(self, x):
        """Return the label of a 1-D row, or an array of labels for a 2-D array."""
        x = np.ascontiguousarray(x)
        codes = self._scores(x).argmax(axis=1)
        return self._classes[codes[0]] if x.ndim == 1 else self._classes[codes]

    def decision(self, x):
        """Return what `decision_function` returns: a number or array for 1-D rows."""
        x = np.ascontiguousarray(x)
        scores = self._scores(x)
        scores = scores[:, 1] if len(self._classes) == 2 else scores
        return scores[0] if x.ndim == 1 else scores

    def _scores(self, x):
        """Return class scores, one row for each row of x."""
        if x.shape[-1] != self._n_features:
            raise ValueError(
                f"the rows have {x.shape[-1]} features; the model was trained on "
                f"{self._n_features}."
            )
        if x.ndim == 2:
            return self._model.scores(x)
        k = self._part_of[leaf_of(x, *self._nodes)]
        part = self._model.parts[k]
        if part.machine is None:
            return certain_scores(part.code, self._model.n_classes)[None, :]
        values = self._deciders[k].of_array(x.astype(np.float64))
        return part.machine.scores(values[None, :])
