"""The generalisation bound of DTSVM, as far as it can be computed.

Chang, Guo, Lin and Lu (2010), section 4.  Theorem 10 bounds the error of a tree with L
leaves, d features and n training rows, with probability 1 - delta, by

    c/n (T1 + T2 + log(1/delta)),    T1 = R log^2 n,    T2 = L log(d n L^2),
    R = sum_i (rho^2 beta_i^2 + |xi_i|^2) / gamma_i^2

with an unknown constant c.  T2 comes from the number of trees (Lemma 6), R from the
margins of the leaves (Lemmas 5 and 9).  With margins gamma_i = 1 and an RBF kernel,
where rho = 1, leaf i adds

    beta_i^2 = alpha' Q alpha,   |xi_i|^2 = sum of max(0, 1 - y f(x))^2 over its rows.

The theorem's logarithms are natural. The numbers of the paper's Tables 13 and 14 follow
others: there T1/R is log2 n, not log^2 n, on all five sets, and T2 is L log10(d n L^2)
on four of them (not on KDD-10%). Both readings are given: compare with the tables in
theirs.

A tree with one leaf is an SVM on all rows; its R is what the paper calls S, in its
equation (2).

With more than two classes every pair of classes (1A1), or every class against the
others (1AO), is a binary problem of its own over all leaves; R is the mean over these
problems.  A leaf in which a problem has one side only adds nothing to it.
"""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treesvm.inputs.array_types import ArrayLike, MatrixLike
from treesvm.inputs.training_rows import plain_rows
from treesvm.trees.leaf_rows import rows_by_leaf

_BLOCK = 2_000  # support vectors whose kernel rows are held at once


class DecompositionBound(NamedTuple):
    """The parts of the bound of Theorem 10 for one decomposition.

    Attributes
    ----------
    R : float
        Σ (ρ²β² + ‖ξ‖²) over the leaves; S, if there is one leaf.
    n_leaves : int
        L, the leaves of the tree.
    n_rows : int
        n, the training rows.
    n_features : int
        d, their columns.
    """

    R: float
    n_leaves: int
    n_rows: int
    n_features: int

    @property
    def R_per_leaf(self) -> float:
        return self.R / self.n_leaves

    @property
    def T1(self) -> float:
        """R log^2 n, as in the theorem."""
        return float(self.R * np.log(self.n_rows) ** 2)

    @property
    def T2(self) -> float:
        """L log(d n L^2), as in the theorem."""
        return float(self.n_leaves * np.log(self._tree_choices))

    @property
    def T1_tables(self) -> float:
        """R log2 n, as in the paper's Table 13."""
        return float(self.R * np.log2(self.n_rows))

    @property
    def T2_tables(self) -> float:
        """L log10(d n L^2), as in the paper's Table 13."""
        return float(self.n_leaves * np.log10(self._tree_choices))

    @property
    def _tree_choices(self):
        return self.n_features * self.n_rows * self.n_leaves**2

    def terms(self) -> dict[str, float]:
        """Return R, R/L and both readings of T1 and T2, by name, as a table's row."""
        return {
            "R": self.R,
            "R/L": self.R_per_leaf,
            "T1": self.T1,
            "T2": self.T2,
            "T1, tables' logarithm": self.T1_tables,
            "T2, tables' logarithm": self.T2_tables,
        }

    def value(self, delta: float = 0.05, c: float = 1.0) -> float:
        """Return c/n (T1 + T2 + log(1/delta)); the theory does not name c."""
        return c / self.n_rows * (self.T1 + self.T2 + np.log(1.0 / delta))


def decomposition_bound(model: Any, X: MatrixLike, y: ArrayLike) -> DecompositionBound:
    """Compute R, T1 and T2 of Theorem 10.

    Parameters
    ----------
    model : DTSVMClassifier
        Fitted, with an RBF kernel and one decomposition.
    X : array-like or sparse matrix of shape (n, d)
        The rows that trained it.
    y : array-like of shape (n,)
        Their labels.

    Returns
    -------
    DecompositionBound

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from treesvm import DTSVMClassifier
    >>> from treesvm.bounds import decomposition_bound
    >>> X, y = make_moons(600, noise=0.2, random_state=0)
    >>> model = DTSVMClassifier(kernel="rbf", max_leaf_size=200, random_state=0)
    >>> bound = decomposition_bound(model.fit(X, y), X, y)
    >>> bound.n_leaves == model.n_leaves_, bound.T1 > bound.R
    (True, True)
    """
    check_is_fitted(model)
    if len(model.decompositions_) != 1:
        raise ValueError(
            f"the model has {len(model.decompositions_)} decompositions that vote; the "
            "bound is one of a single tree: use n_estimators=1."
        )
    X = plain_rows(X)
    codes = np.searchsorted(model.classes_, np.asarray(y))
    member = model.decompositions_[0]
    terms = _problem_terms(member, X, codes, model.multi_class)
    (n, d), L = X.shape, len(member.parts)
    R = float(np.mean(list(terms.values())))
    return DecompositionBound(R, L, n, d)


def _problem_terms(member, X, codes, multi_class):
    """Sum over the leaves of rho^2 beta^2 + |xi|^2 for every binary problem."""
    n_classes = member.n_classes
    if n_classes == 2 or multi_class == "ovo":
        terms = dict.fromkeys(combinations(range(n_classes), 2), 0.0)
    else:
        terms = {(c,): 0.0 for c in range(n_classes)}
    groups = rows_by_leaf(member.apply(X), len(member.parts))
    for k, part in enumerate(member.parts):
        if part.machine is None:
            continue
        rows = groups.rows(k)
        found = part_terms(part, X[rows], codes[rows])
        for pair, value in zip(part.machine.pairs, found, strict=True):
            for problem in _problems_of(pair, terms):
                terms[problem] += value
    return terms


def _problems_of(pair, terms):
    """The binary problems that a leaf's machine answers.

    A leaf with two classes has one machine; one-against-others needs it twice, once
    from either side.
    """
    both = tuple(sorted(int(c) for c in pair))
    if both in terms:
        return [both]
    return [(c,) for c in both if c >= 0]


def part_terms(part, X, codes):
    """Return beta^2 + |xi|^2 of every binary machine of a part.

    Parameters
    ----------
    part : Part
        With a kernel for which rho = 1.
    X : ndarray or CSR matrix of shape (n, d)
        The part's training rows, as they were before leaf scaling.
    codes : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n_machines,)
    """
    machine = part.machine
    if not machine.kernel.is_normalised:
        raise ValueError(
            f"kernel={machine.kernel.name!r} has no rho known beforehand; the bound is "
            "computed for kernels of distances like 'rbf', where rho = 1."
        )
    values = part.decisions(X)
    terms = _squared_norms(machine)
    for m, (positive, negative) in enumerate(machine.pairs):
        others = codes != positive if negative < 0 else codes == negative
        sign = np.where(codes == positive, 1.0, np.where(others, -1.0, 0.0))
        slack = np.maximum(0.0, 1.0 - sign * values[:, m])
        terms[m] += slack[sign != 0] @ slack[sign != 0]
    return terms


def _squared_norms(machine):
    """beta^2 = c'Kc of every machine, from its coefficients c."""
    dense, norms = machine.coefficient_matrix, np.zeros(machine.n_machines)
    for start in range(0, len(dense), _BLOCK):
        own = slice(start, start + _BLOCK)
        K = machine.kernel.block(machine.vectors[own], machine.vectors, np.float64)
        norms += np.einsum("im,im->m", dense[own], K @ dense)
    return norms
