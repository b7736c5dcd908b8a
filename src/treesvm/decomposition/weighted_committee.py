"""Probabilities of a committee whose members may have different thetas and trees.

The margin of a part's machine says nothing about how frequent the classes are there,
and margins of different machines have different units.  The probability of class c is

    p_c  proportional to  exp(sum over members m of  w_m (a_m e_mc + o log share_mc)),

where e are the evidence of the machine of the row's part in member m (zero in a part
with one class, where o counts as 1) and share_mc are the shares of the classes among
the training rows of that part, drawn to those of all rows by a few rows.  The weights w
sum to one; slopes a and offset o come from rows that did not train the machines.  Since
logarithms are added, the values that a feature adds to members add up in the same way.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax

from treesvm.decomposition.calibration import Calibration, part_masses


class WeightedCommittee(NamedTuple):
    """How the members are joined."""

    weights: np.ndarray  # (n_members,), summing to one
    slopes: np.ndarray  # (n_members,)
    offset: float
    shares: np.ndarray  # (n_classes,) among all training rows

    def log_probabilities(self, members, X, n_jobs=None):
        """Return the log probabilities of rows, shape (n, n_classes).

        Parameters
        ----------
        members : list of Decomposition
        X : ndarray or CSR matrix of shape (n, n_features)
        n_jobs : int, optional
        """
        total = 0.0
        for member, weight, slope in zip(
            members, self.weights, self.slopes, strict=True
        ):
            part = member.apply(X, n_jobs)
            evidence = member.evidence_in(X, part, n_jobs)
            masses = part_masses(member, self.shares)[part]
            is_certain = np.array([p.machine is None for p in member.parts])[part]
            one = Calibration(slope, self.offset, self.shares)
            total = total + weight * one.log_probabilities(evidence, masses, is_certain)
        return log_softmax(total, axis=1)
