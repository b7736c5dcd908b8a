"""What kernel machines cost at prediction and in memory, in support vectors.

Chang, Guo, Lin and Lu (2010), sections 3.3 and 3.5.  Both measures have two readings.
"Summed" counts a vector once for every binary machine it has a coefficient in; that is
the paper's reading.  "Distinct" counts it once: the true cost where kernel values are
shared between machines.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from treesvm.inputs.array_types import MatrixLike
from treesvm.inputs.training_rows import plain_rows
from treesvm.trees.leaf_rows import rows_by_leaf


class SupportVectorCost(NamedTuple):
    """Support vectors of a model and of its predictions.

    Attributes
    ----------
    nesv : float
        Met by a row on average, summed over the binary machines.
    nesv_distinct : float
        Met by a row on average, each counted once.
    tnsv : int
        Of the whole model, summed over the binary machines.
    tnsv_distinct : int
        Of the whole model, each counted once.
    one_class_share : float
        Of the training rows, those in leaves with one class.
    """

    nesv: float
    nesv_distinct: float
    tnsv: int
    tnsv_distinct: int
    one_class_share: float


def support_vector_cost(model: Any, X: MatrixLike) -> SupportVectorCost:
    """Count the support vectors of a fitted model and those that the rows of X meet.

    Parameters
    ----------
    model : fitted estimator
        DTSVMClassifier, RDSVMClassifier, BaggedSVC, KernelSVC, KernelSVR,
        LASVMClassifier, a CandidateSVC around one of them, or sklearn's SVC or SVR.
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Rows to be predicted; with one machine for the whole space they do not matter.

    Returns
    -------
    SupportVectorCost
        A row that falls into a one-class leaf meets none.  Over several voting members
        the counts are added up.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import DTSVMClassifier
    >>> from treesvm.metrics import support_vector_cost
    >>> X, y = make_moons(1000, noise=0.2, random_state=0)
    >>> model = DTSVMClassifier(max_leaf_size=300, random_state=0).fit(X, y)
    >>> cost = support_vector_cost(model, X)
    >>> cost.nesv_distinct < cost.tnsv_distinct == model.n_support_vectors_
    True
    """
    check_is_fitted(model)
    model = getattr(model, "estimator_", model)  # of a CandidateSVC
    is_compressed = hasattr(model, "kernel_evaluations")
    if hasattr(model, "decompositions_") and not is_compressed:
        return _joined([_member_cost(m, X) for m in model.decompositions_])
    if hasattr(model, "dual_coef_") and hasattr(model, "support_"):
        summed, distinct = _machine_counts(model)
        return SupportVectorCost(float(summed), float(distinct), summed, distinct, 0.0)
    raise ValueError(
        f"{type(model).__name__} has no support vectors to count; use a kernel machine "
        "or a decomposition of kernel machines; a compressed model has a method "
        "kernel_evaluations."
    )


def _machine_counts(model):
    """Summed and distinct support vectors of an SVC or SVR, ours or scikit-learn's."""
    coef = model.dual_coef_
    stored = coef.data if sparse.issparse(coef) else coef
    return int(np.count_nonzero(stored)), len(model.support_)


def _member_cost(member, X):
    """Cost of one decomposition."""
    machines = [part.machine for part in member.parts]
    summed, distinct = np.array(
        [(0, 0) if m is None else (m.n_coefficients, m.n_vectors) for m in machines]
    ).T
    met = rows_by_leaf(member.apply(plain_rows(X)), len(machines)).sizes
    n_rows = np.array([part.n_rows for part in member.parts])
    is_pure = np.array([m is None for m in machines])
    return SupportVectorCost(
        float(met @ summed / max(met.sum(), 1)),
        float(met @ distinct / max(met.sum(), 1)),
        int(summed.sum()),
        int(distinct.sum()),
        float(n_rows[is_pure].sum() / n_rows.sum()),
    )


def _joined(costs):
    """Add up the members' vectors; the share of one-class rows is their mean."""
    *counts, one_class_shares = zip(*costs, strict=True)
    return SupportVectorCost(*map(sum, counts), float(np.mean(one_class_shares)))
