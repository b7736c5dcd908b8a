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
        scores, confidence = votes_and_confidence(decisions, pairs, n_classes)
        scores += confidence / (3 * (np.abs(confidence) + 1))
        _bar_classes_without_machine(scores, pairs)
        return scores
    known, scores = pairs[:, 0], np.empty((len(decisions), n_classes))
    scores[:, known] = decisions
    _bar_classes_without_machine(scores, known)
    return scores


def votes_and_confidence(decisions, pairs, n_classes):
    """Count votes and sum decision values of one-against-one machines.

    A decision value of exactly zero votes for the machine's negative class.
    """
    decisions = np.asarray(decisions, np.float64)
    wins = decisions > 0.0
    votes = _pair_sums(wins.astype(np.float64), -1.0, pairs, n_classes)
    votes += np.bincount(pairs[:, 1], minlength=n_classes)  # a win is one less for it
    return votes, _pair_sums(decisions, -1.0, pairs, n_classes)


def _pair_sums(values, sign, pairs, n_classes):
    """Sum the values of each class's machines, times `sign` where it is negative."""
    sums = np.zeros((len(values), n_classes))
    _add_pairs(np.ascontiguousarray(values), sign, pairs, sums)
    return sums


@compiled
def _add_pairs(values, sign, pairs, sums):
    """Add the value of each machine to the sums of its two classes."""
    for i in range(len(sums)):
        for m in range(len(pairs)):
            sums[i, pairs[m, 0]] += values[i, m]
            sums[i, pairs[m, 1]] += sign * values[i, m]


def _bar_classes_without_machine(scores, known):
    """Put classes without machine below all others: they are never the answer."""
    has_machine = np.zeros(scores.shape[1], bool)
    has_machine[known] = True
    if not has_machine.all():
        lowest = scores[:, has_machine].min(axis=1, keepdims=True)
        scores[:, ~has_machine] = lowest - 1.0


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
    odds = PAIR_SLOPE * np.asarray(decisions, np.float64)
    # log(1 + exp(-|odds|)) is what the better side lacks to certainty; the other side
    # lacks |odds| more.
    size = np.abs(odds)
    middle = np.log1p(np.exp(-size)) + size / 2.0
    evidence = _pair_sums(odds / 2.0, -1.0, pairs, n_classes)
    evidence -= _pair_sums(middle, 1.0, pairs, n_classes)
    evidence /= np.maximum(np.bincount(pairs.ravel(), minlength=n_classes), 1)
    _bar_classes_without_machine(evidence, pairs)
    return evidence


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
