"""Probabilities that compare across parts, with few parameters.

The margin of a part's machine says nothing about how frequent the classes are there.
The probability of class c for a row in part k is

    p_c  proportional to  exp(slope * s_c + offset * log share_kc),

where s are the scores of the part's machine (zero in a part with one class) and
share_kc are the shares of the classes among the part's training rows, drawn to those of
all rows by a few rows.  Slope and offset are shared by all parts and fitted by the log
loss of rows that did not train the machines.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

_DRAWN_ROWS = 2.0  # that the shares of all rows count for
_BOUNDS = ((-7.0, 7.0), (0.0, 2.0))  # of the slope's logarithm, and of the offset


class LeafCalibration(NamedTuple):
    """Two numbers, and the shares of the classes among all training rows."""

    slope: float
    offset: float
    shares: np.ndarray  # (n_classes,)

    def log_probabilities(self, scores, masses, is_certain):
        """Return log probabilities of rows.

        Parameters
        ----------
        scores : ndarray of shape (n, n_classes)
        masses : ndarray of shape (n, n_classes)
            Weights of the classes among the training rows of each row's part.
        is_certain : ndarray of bool, shape (n,)
            Whether the part knows one class only.
        """
        shares = drawn_shares(masses, self.shares)
        plain = np.where(is_certain[:, None], 0.0, self.slope * scores)
        offset = np.where(is_certain, 1.0, self.offset)[:, None]
        return log_softmax(plain + offset * np.log(shares), axis=1)


def drawn_shares(masses, shares):
    """Return the shares of classes in parts, drawn to those of all rows."""
    total = masses.sum(axis=1, keepdims=True) + _DRAWN_ROWS
    return (masses + _DRAWN_ROWS * shares) / total


def fit_leaf_calibration(scores, masses, is_certain, codes, weight, shares):
    """Return the calibration that minimises the log loss of held-out rows.

    An offset that costs right answers is not taken: without one, the most probable
    class is that of the largest score.
    """
    rows = np.arange(len(codes))

    def loss_of(parameters):
        made = LeafCalibration(float(np.exp(parameters[0])), parameters[1], shares)
        log_p = made.log_probabilities(scores, masses, is_certain)
        return -np.average(log_p[rows, codes], weights=weight)

    def wrong(made):
        said = made.log_probabilities(scores, masses, is_certain).argmax(axis=1)
        return float(np.average(said != codes, weights=weight))

    best = None
    for start in ((0.0, 0.3), (1.0, 0.0)):
        found = minimize(loss_of, start, bounds=_BOUNDS, method="L-BFGS-B")
        best = found if best is None or found.fun < best.fun else best
    made = LeafCalibration(float(np.exp(best.x[0])), float(best.x[1]), shares)
    found = minimize(
        lambda p: loss_of((p[0], 0.0)), [0.0], bounds=_BOUNDS[:1], method="L-BFGS-B"
    )
    plain = LeafCalibration(float(np.exp(found.x[0])), 0.0, shares)
    return made if wrong(made) <= wrong(plain) else plain


def part_masses(member, shares):
    """Return the class weights of every part, shape (n_parts, n_classes).

    Where no tree has counted them, those of all rows, in each part as many as it has.
    """
    tree = getattr(member.partition, "tree", None)
    if tree is not None:
        return tree.value[tree.leaves()]
    sizes = np.array([part.n_rows for part in member.parts], float)
    return sizes[:, None] * shares
