"""What a machine would say of its own training rows, had it not been trained on them.

Leaving out a row without support changes nothing.  Where a support vector p is left out
and the others stay free or at their bounds, its decision value changes by

    f_without_p(x_p) = f(x_p) - beta_p S_p^2,

where beta_p is its signed coefficient and S_p its span: the distance, in the space of
the kernel, from p to the affine span of the free vectors (O. Chapelle, V. Vapnik, O.
Bousquet, S. Mukherjee, "Choosing multiple parameters for support vector machines",
Machine Learning 46 (2002) 131-159).  So no machine is trained a second time.

By least squares every vector is free, and the ridge of the equations is part of the
kernel matrix whose inverse tells spans; the formula is then exact.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

_AT_BOUND = 1.0 - 1e-6  # share of the box that counts as all of it
_RIDGE = 1e-8  # equal free vectors have a singular matrix
_MOST_FREE = 1000  # vectors that span; fewer make the distances a little larger


def left_out_decisions(machine, X, chosen, box, loss="hinge"):
    """Return the decision values of training rows by machines that leave them out.

    Parameters
    ----------
    machine : KernelMachine
    X : ndarray or CSR matrix of shape (n_chosen, n_features)
        The chosen rows, as the machine sees them.
    chosen : ndarray of shape (n_chosen,)
        Their numbers among the training rows, once each.
    box : ndarray of shape (n_rows,)
        C times the weight of every training row.
    loss : {"hinge", "squared"}

    Returns
    -------
    ndarray of shape (n_chosen, n_machines)
    """
    out = machine.decisions(X)
    place = np.full(machine.n_training_rows, -1)
    place[chosen] = np.arange(len(chosen))
    place = place[machine.support]  # of every vector among the chosen rows
    coefficients, bounds = machine.coefficient_matrix, box[machine.support]
    for m in range(machine.n_machines):
        own = np.flatnonzero(coefficients[:, m])
        asked = np.flatnonzero(place[own] >= 0)
        if len(asked) == 0:
            continue
        beta = coefficients[own, m]
        is_free, ridge = np.abs(beta) < _AT_BOUND * bounds[own], None
        if loss == "squared":
            is_free, ridge = np.ones(len(own), bool), 1.0 / bounds[own]
        squares = _squared_spans(machine, own, is_free, asked, ridge)
        out[place[own[asked]], m] -= beta[asked] * squares
    return out


def _squared_spans(machine, own, is_free, asked, ridge=None):
    """Return the squared span of the vectors ``own[asked]`` of one machine.

    With a ridge, by which the values at the vectors are off anyway, what is beyond it.
    """
    kernel, vectors = machine.kernel, machine.vectors[own]
    free = np.flatnonzero(is_free)
    if len(free) > _MOST_FREE:
        free = free[np.linspace(0, len(free) - 1, _MOST_FREE).astype(np.intp)]
    diagonal = kernel.diagonal(vectors[asked])
    if len(free) < 2:
        return diagonal
    K = _matrix(kernel, vectors[free])
    if ridge is not None:
        K[np.diag_indices_from(K)] += ridge[free]
    factor = cho_factor(K, overwrite_a=True)
    ones = cho_solve(factor, np.ones(len(free)))
    place = np.full(len(own), -1)
    place[free] = np.arange(len(free))
    place = place[asked]
    within = place >= 0
    squares = np.empty(len(asked))
    # The inverse's diagonal, with the constraint that coefficients of the span sum to 1
    unit = np.zeros((len(free), int(within.sum())))
    unit[place[within], np.arange(unit.shape[1])] = 1.0
    inverse = cho_solve(factor, unit)[place[within], np.arange(unit.shape[1])]
    squares[within] = 1.0 / (inverse - ones[place[within]] ** 2 / ones.sum())
    if ridge is not None:
        squares[within] -= ridge[asked[within]]
    if not within.all():
        facing = kernel.block(vectors[free], vectors[asked[~within]], np.float64)
        solved = cho_solve(factor, facing)
        missing = (1.0 - solved.sum(axis=0)) ** 2 / ones.sum()
        inside = np.einsum("ij,ij->j", facing, solved)
        squares[~within] = diagonal[~within] - inside + missing
    return np.clip(squares, 0.0, diagonal.max(initial=0.0) * 2.0)


def _matrix(kernel, vectors):
    """Return the kernel matrix of free vectors, a little away from singular."""
    K = kernel.block(vectors, vectors, np.float64)
    K[np.diag_indices_from(K)] += _RIDGE * max(1.0, K.diagonal().max())
    return K
