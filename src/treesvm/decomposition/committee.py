"""Members that answer together: how the scores of their parts become one answer.

The scores of a part's machine compare rows of that part.  With a `Calibration` they
compare across parts too: what a machine says is shifted by how frequent the classes are
in its part, beside all rows.  The shift never turns an answer of a member; where there
is one part, there is none, and the scores are the machine's own.

Several members vote, softly (the mean of their probabilities) or hard (one vote each,
ties broken by the sum of their scores, as in the paper).  Soft votes are made of the
members' evidence: with more than two classes scores are mostly votes of pairs, which do
not tell close calls from clear ones.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_softmax, logsumexp

from treesvm.decomposition.calibration import (
    Calibration,
    answer_on_top,
    drawn_shares,
    part_masses,
)


class PartShares(NamedTuple):
    """What a committee knows of the parts of a member."""

    log_ratio: np.ndarray  # (n_parts, n_classes), of the classes' shares to all rows'
    is_certain: np.ndarray  # (n_parts,), whether the part knows one class only


class Committee(NamedTuple):
    """How the scores of members become answers; it holds no machines.

    Attributes
    ----------
    n_classes : int
    calibration : Calibration or None
        None where scores stay as the machines say them.
    voting : {"soft", "hard"}
    shares : list of PartShares
        One for each member; empty where the calibration knows no shares.
    """

    n_classes: int
    calibration: Calibration | None = None
    voting: str = "hard"
    shares: Any = ()

    @property
    def of_evidence(self) -> bool:
        """Whether members say evidence instead of scores."""
        made = self.calibration
        return made is not None and made.of_evidence and self.voting == "soft"

    def scores(self, said):
        """Return one score for each class; two classes: minus and plus one value.

        Parameters
        ----------
        said : list of (scores or evidence, part numbers)
            Of each member, see `Decomposition.says`.
        """
        if self.calibration is None or (self.voting == "hard" and len(said) > 1):
            return joined([scores for scores, _ in said])
        if len(said) > 1:
            return _two_sided(self._mean(said))
        return _two_sided(self._comparable(said[0]), 2.0)

    def log_probabilities(self, said):
        """Return log probabilities; the largest is the answer of `scores`."""
        log_p = self._mean(said)
        if self.voting == "hard" and len(said) > 1:
            votes = joined([scores for scores, _ in said])
            log_p = log_softmax(answer_on_top(log_p, votes.argmax(axis=1)), axis=1)
        return log_p

    def answers(self, method, said, classes):
        """Return what a method of a classifier makes of what the members said.

        Parameters
        ----------
        method : {"predict", "decision_function", "predict_proba"}
        said : list of (scores, part numbers)
        classes : ndarray of shape (n_classes,)
        """
        if method == "predict_proba":
            return np.exp(self.log_probabilities(said))
        scores = self.scores(said)
        if method == "predict":
            return classes[scores.argmax(axis=1)]
        return scores[:, 1] if len(classes) == 2 else scores

    def _mean(self, said):
        """Return the logarithm of the mean of the members' probabilities."""
        every = [self._member_log_p(k, *own) for k, own in enumerate(said)]
        if len(every) == 1:
            return every[0]
        return logsumexp(every, axis=0) - np.log(len(every))

    def _member_log_p(self, k, scores, numbers):
        made = self.calibration
        logits = made.slope * scores
        if self.shares:
            log_ratio, is_certain = (table[numbers] for table in self.shares[k])
            log_shares = log_ratio + np.log(made.shares)
            logits[is_certain] = 0.0
            offset = np.where(is_certain, 1.0, made.offset)[:, None]
            logits += offset * log_shares
        log_p = log_softmax(logits, axis=1)
        return log_softmax(answer_on_top(log_p, scores.argmax(axis=1)), axis=1)

    def _comparable(self, own):
        """Return the scores of an only member in units of its machines."""
        scores, numbers = own
        if not self.shares:
            return scores
        made = self.calibration
        log_ratio, is_certain = (table[numbers] for table in self.shares[0])
        found = scores + made.offset / made.slope * log_ratio
        certain = log_ratio + (1.0 - made.offset) * np.log(made.shares)
        found[is_certain] = certain[is_certain] / made.slope
        return answer_on_top(found, scores.argmax(axis=1))


def committee_of(members, calibration=None, voting="hard"):
    """Return the committee of members."""
    shares = []
    if calibration is not None and calibration.shares is not None:
        shares = [_part_shares(member, calibration.shares) for member in members]
    return Committee(members[0].n_classes, calibration, voting, shares)


def _part_shares(member, shares):
    """Return what is known of the parts; an only part differs from nothing."""
    is_certain = np.array([part.machine is None for part in member.parts])
    masses = part_masses(member, shares)
    log_ratio = np.log(drawn_shares(masses, shares)) - np.log(shares)
    if len(member.parts) == 1 or member.tree is None:
        log_ratio[~is_certain] = 0.0
    return PartShares(log_ratio, is_certain)


def joint_scores(members, X, n_jobs=None):
    """Return the scores of members as they say them, by hard votes if several."""
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
    return _two_sided(votes + total / (3 * (np.abs(total) + 1)))


def _two_sided(scores, divisor=1.0):
    """Return scores; of two classes, minus and plus the lead of the second."""
    if scores.shape[1] != 2:
        return scores
    lead = (scores[:, 1] - scores[:, 0]) / divisor
    return np.stack([-lead, lead], axis=1)
