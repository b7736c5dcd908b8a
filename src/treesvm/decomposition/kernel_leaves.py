"""Kernel machines in the impure leaves of an oblique tree.

The hybrid of Fehr et al. (2007) and Sun et al. (2007), named in section 1 of the H-LSVM
paper: hyperplanes decide where they can, a kernel machine where they cannot.
"""

import numpy as np

from treesvm.decomposition.checkpointing import NOTHING_KEPT
from treesvm.decomposition.decomposition import (
    Decomposition,
    MachineOptions,
    part_numbers,
    train_parts,
)
from treesvm.kernels.kernel import resolve_kernel
from treesvm.trees.leaf_rows import rows_by_leaf

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
        kernel=resolve_kernel("rbf", gamma=gamma, degree=3, coef0=0.0, X=None),
        C=C,
        multi_class="ovo",
        leaf_scaling="minmax",
        tol=_TOL,
        max_iter=None,
        max_bytes=_MAX_BYTES,
    )
