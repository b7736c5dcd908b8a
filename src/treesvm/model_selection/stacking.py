"""Which candidates join a committee, and with what weight: by rows held out.

Several machines that see the rows differently (another kernel, scaling, width) make
different mistakes.  Their answers to rows that none of them was trained on are added
with non-negative weights,

    classes:  min over w >= 0 of  the log loss of softmax(sum_m w_m a_m e_m),
    numbers:  min over w >= 0 of  the mean square of  y - sum_m w_m f_m,

plus a small ridge, which spreads weight over candidates that are equally good (Wolpert,
"Stacked generalization", Neural Networks 5, 1992; Breiman, "Stacked regressions",
Machine Learning 24, 1996, on why weights are not negative).  Both problems are convex.
The heaviest few stay, since each costs its kernels at every prediction.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize, minimize_scalar, nnls
from scipy.special import log_softmax

from treesvm.decomposition.calibration import doubting_log_loss, fit_calibration
from treesvm.decomposition.weighted_committee import WeightedCommittee

MOST_MEMBERS = 4
_RIDGE = 0.01
_RIDGE_ROWS = 10.0  # and so many divided by the number of rows
_LEAST_SHARE = 0.05  # in the answers; a member below is not worth its kernels
_SLOPES = (-7.0, 6.0)  # natural logarithms
_SLOPE_ROWS = 3000  # enough for one number


class HeldOut(NamedTuple):
    """Rows that did not train, and what is known of them."""

    target: np.ndarray  # class codes or numbers
    weight: np.ndarray
    masses: np.ndarray | None = None  # (n, n_classes) of the part of each row
    is_certain: np.ndarray | None = None  # whether that part has one class


def slope_and_log_loss(evidence, codes, weight):
    """Return the factor of evidence with the least log loss, and that loss."""
    step = max(1, len(codes) // _SLOPE_ROWS)
    some, own, mass = evidence[::step], codes[::step], weight[::step]

    def loss(log_slope):
        log_p = log_softmax(np.exp(log_slope) * some, axis=1)
        return doubting_log_loss(log_p, own, mass)

    found = minimize_scalar(
        loss, bounds=_SLOPES, method="bounded", options={"xatol": 0.01}
    )
    return float(np.exp(found.x)), float(found.fun)


def class_weights(evidence, codes, weight):
    """Return weights, not negative, of calibrated evidence of shape (m, n, classes)."""
    n_candidates, n_rows, _ = evidence.shape
    rows, mass = np.arange(n_rows), weight / weight.sum()
    ridge = _RIDGE + _RIDGE_ROWS / n_rows
    own = evidence[:, rows, codes] @ mass  # of the right classes

    def loss(w):
        log_p = log_softmax(np.tensordot(w, evidence, 1), axis=1)
        expected = np.einsum("mnc,nc,n->m", evidence, np.exp(log_p), mass)
        value = -(mass @ log_p[rows, codes]) + ridge * (w @ w) / 2
        return value, expected - own + ridge * w

    start = np.full(n_candidates, 1.0 / n_candidates)
    bounds = [(0.0, None)] * n_candidates
    exact = {"ftol": 1e-12, "gtol": 1e-7}  # flat directions end at zero
    return minimize(
        loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options=exact
    ).x


def number_weights(predicted, target, weight):
    """Return weights, not negative, of predictions of shape (m, n)."""
    root = np.sqrt(weight / weight.sum())
    n_candidates = len(predicted)
    ridge = np.sqrt(_RIDGE + _RIDGE_ROWS / len(target)) * _spread(target, root)
    system = np.vstack([(predicted * root).T, ridge * np.eye(n_candidates)])
    goal = np.append(target * root, np.full(n_candidates, ridge / n_candidates))
    return nnls(system, goal)[0]


def _spread(target, root):
    """Return the root mean square of the target."""
    return max(float(np.linalg.norm(target * root)), np.finfo(float).tiny)


def joined_classes(evidence, held, shares):
    """Return the places of members among candidates, and their `WeightedCommittee`.

    Parameters
    ----------
    evidence : ndarray of shape (n_candidates, n, n_classes)
        Zeros where the part has one class.
    held : HeldOut
    shares : ndarray of shape (n_classes,)
        Of the classes among all training rows.
    """
    mixed = ~held.is_certain
    codes, weight = held.target[mixed], held.weight[mixed]
    if not mixed.any():
        return [0], WeightedCommittee(np.ones(1), np.ones(1), 0.0, shares)
    slopes = np.array(
        [slope_and_log_loss(e[mixed], codes, weight)[0] for e in evidence]
    )
    scaled = evidence * slopes[:, None, None]
    chosen, weights = _heaviest(
        lambda places: class_weights(scaled[np.ix_(places, mixed)], codes, weight),
        scaled[:, mixed].std(axis=(1, 2)),
    )
    total = weights.sum()
    joint = np.tensordot(weights, scaled[chosen], 1)
    one = fit_calibration(
        joint, held.masses, held.is_certain, held.target, held.weight, shares
    )
    steepness = one.slope * total * slopes[chosen]
    return chosen, WeightedCommittee(weights / total, steepness, one.offset, shares)


def joined_numbers(predicted, held):
    """Return the places of the members among the candidates, and their weights."""
    return _heaviest(
        lambda places: number_weights(predicted[places], held.target, held.weight),
        np.sqrt(np.mean(predicted**2, axis=1)),
    )


def _heaviest(weights_of, sizes):
    """Return places and weights of the candidates that move the answers most.

    Parameters
    ----------
    weights_of : callable
        From places of candidates to their weights.
    sizes : ndarray
        How large the answers of each candidate are.
    """
    moved = weights_of(np.arange(len(sizes))) * sizes
    order = np.argsort(-moved, kind="stable")[:MOST_MEMBERS]
    places = order[moved[order] >= _LEAST_SHARE * moved.sum()]
    if len(places) == 0 or moved.sum() <= 0:
        return [0], np.ones(1)  # nothing helps: the best candidate alone
    weights = weights_of(places)
    order = np.argsort(-weights * sizes[places], kind="stable")
    order = order[weights[order] > 0]
    if len(order) == 0:
        return [0], np.ones(1)
    return places[order].tolist(), weights[order]
