"""Several decompositions of one model, its members, that answer together by votes."""

import numpy as np


def committee_scores(members, X, n_jobs=None):
    """Return one score for each class and row: the only member's own, or votes."""
    return vote([member.scores(X, n_jobs) for member in members])


def vote(member_scores):
    """Join the scores of several members: votes, then the sum of their scores.

    The sum is squeezed into (-1/3, 1/3), so that it only breaks ties between votes.
    The scores of one member stay as they are.
    """
    if len(member_scores) == 1:
        return member_scores[0]
    votes = np.zeros_like(member_scores[0])
    total = np.zeros_like(member_scores[0])
    rows = np.arange(len(votes))
    for scores in member_scores:
        votes[rows, scores.argmax(axis=1)] += 1.0
        total += scores
    joined = votes + total / (3 * (np.abs(total) + 1))
    if joined.shape[1] == 2:  # one decision value, the lead of the second class
        lead = joined[:, 1] - joined[:, 0]
        return np.stack([-lead, lead], axis=1)
    return joined
