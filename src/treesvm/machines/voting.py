"""From the decision values of binary machines to one score for each class."""

import numpy as np

from treesvm.kernels.compiling import compiled

_DECISION_BYTES = 64 * 2**20  # decision values held at once
# From the margin of a pair to its log odds. Steep enough that a class beaten by one
# other is hardly the answer, as in a vote; flat enough that close calls stay close.
PAIR_SLOPE = 5.0


def row_chunks(n_rows, n_machines):
    """Yield slices of rows whose decision values are few enough to hold.

    A thousand classes are half a million machines: four megabytes for each row.
    """
    step = max(1, _DECISION_BYTES // (8 * max(1, n_machines)))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def class_scores(decisions, pairs, n_classes):
    """Return one score for each class; the largest is the answer.

    One-against-one: votes, plus the summed decision values squeezed into (-1/3, 1/3),
    so that they break ties between votes and nothing else (scikit-learn's rule).
    One-against-the-rest: the decision values themselves.

    Parameters
    ----------
    decisions : ndarray of shape (n, n_machines)
    pairs : ndarray of shape (n_machines, 2)
        Positive and negative class of each machine; -1 for "all others".
    """
    if pairs[0, 1] >= 0:
        votes, confidence = votes_and_confidence(decisions, pairs, n_classes)
        _break_ties(votes, confidence, pairs, np.zeros(n_classes, np.bool_))
        return votes
    known, scores = pairs[:, 0], np.empty((len(decisions), n_classes))
    scores[:, known] = decisions
    if len(known) < n_classes:  # a class without machine is never the answer
        unknown = np.setdiff1d(np.arange(n_classes), known)
        scores[:, unknown] = decisions.min(axis=1, keepdims=True) - 1.0
    return scores


def votes_and_confidence(decisions, pairs, n_classes):
    """Count votes and sum decision values of one-against-one machines.

    A decision value of exactly zero votes for the machine's negative class.
    """
    votes = np.zeros((len(decisions), n_classes))
    confidence = np.zeros((len(decisions), n_classes))
    _count_votes(np.ascontiguousarray(decisions, np.float64), pairs, votes, confidence)
    return votes, confidence


@compiled
def _count_votes(decisions, pairs, votes, confidence):
    """Fill `votes` and `confidence`, zeros on entry."""
    for i in range(len(decisions)):
        for m in range(len(pairs)):
            value, positive, negative = decisions[i, m], pairs[m, 0], pairs[m, 1]
            winner = positive if value > 0.0 else negative
            votes[i, winner] += 1.0
            confidence[i, positive] += value
            confidence[i, negative] -= value


@compiled
def _break_ties(votes, confidence, pairs, has_machine):
    """Turn votes into scores; `has_machine` holds False on entry.

    A class without machine is never the answer.
    """
    for m in range(len(pairs)):
        has_machine[pairs[m, 0]] = has_machine[pairs[m, 1]] = True
    for i in range(len(votes)):
        lowest = np.inf
        for c in range(len(has_machine)):
            if has_machine[c]:
                votes[i, c] += confidence[i, c] / (3 * (abs(confidence[i, c]) + 1))
                lowest = min(lowest, votes[i, c])
        for c in range(len(has_machine)):
            if not has_machine[c]:
                votes[i, c] = lowest - 1.0


def predicted_codes(decisions, pairs, n_classes):
    """Return the class code with the largest score; two classes need no votes."""
    if len(pairs) == 1 and pairs[0, 1] >= 0:
        positive, negative = pairs[0]
        return np.where(decisions[:, 0] > 0, positive, negative)
    return class_scores(decisions, pairs, n_classes).argmax(axis=1)


def class_evidence(decisions, pairs, n_classes):
    """Return scores that probabilities are made of, one for each class.

    Two classes: minus and plus the decision value. One-against-one: the mean over a
    class's pairs of log sigmoid(5 d), the logarithm of a product of pair probabilities,
    which tells close calls from clear ones where votes do not. One-against-the-rest:
    the decision values.

    Parameters
    ----------
    decisions : ndarray of shape (n, n_machines)
    pairs : ndarray of shape (n_machines, 2)
        As in `class_scores`.
    """
    if n_classes == 2:
        lead = decisions[:, 0]
        return np.stack([-lead, lead], axis=1)
    if pairs[0, 1] < 0:
        return class_scores(decisions, pairs, n_classes)
    total, count = np.zeros((len(decisions), n_classes)), np.zeros(n_classes)
    _add_pairs(np.ascontiguousarray(decisions, np.float64), pairs, total, count)
    total /= np.maximum(count, 1.0)
    total[:, count == 0] = total.min(axis=1, keepdims=True) - 1.0
    return total


@compiled
def _add_pairs(decisions, pairs, total, count):
    """Fill `total` with sums of log probabilities, `count` with numbers of pairs."""
    for m in range(len(pairs)):
        count[pairs[m, 0]] += 1.0
        count[pairs[m, 1]] += 1.0
    for i in range(len(decisions)):
        for m in range(len(pairs)):
            odds = PAIR_SLOPE * decisions[i, m]
            # log(1 + exp(-|odds|)) is what the better side lacks to certainty.
            doubt = np.log1p(np.exp(-abs(odds)))
            total[i, pairs[m, 0]] -= doubt + max(-odds, 0.0)
            total[i, pairs[m, 1]] -= doubt + max(odds, 0.0)


def chunked_evidence(decide, n_rows, pairs, n_classes):
    """Return the evidence of many rows without holding all decision values."""
    found = np.empty((n_rows, n_classes))
    for chunk in row_chunks(n_rows, len(pairs)):
        found[chunk] = class_evidence(decide(chunk), pairs, n_classes)
    return found


def chunked_codes(decide, n_rows, pairs, n_classes):
    """Return the class codes of many rows without holding all decision values.

    Parameters
    ----------
    decide : callable
        From a slice of rows to their decision values.
    """
    codes = np.empty(n_rows, np.intp)
    for chunk in row_chunks(n_rows, len(pairs)):
        codes[chunk] = predicted_codes(decide(chunk), pairs, n_classes)
    return codes
