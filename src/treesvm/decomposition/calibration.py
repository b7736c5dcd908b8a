"""Probabilities from decision scores, with few parameters.

The margin of a part's machine says nothing about how frequent the classes are there.
The probability of class c for a row in part k is

    p_c  proportional to  exp(slope * s_c + offset * log share_kc),

where s are the scores of the part's machine (zero in a part with one class, whose
offset is one) and share_kc are the shares of the classes among the part's training
rows, drawn to those of all rows by a few rows.  Slope and offset are shared by all
parts and fitted by the log loss of rows that did not train the machines that judge
them.

A machine of the whole space has the slope alone: a sigmoid or softmax of ``slope *
scores`` keeps the order of the classes, so that the most probable is the predicted one.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax

from treesvm.machines.leave_one_out import left_out_decisions
from treesvm.trees.leaf_rows import rows_by_leaf

LOG_LOSS_SHARE = 0.3  # of the log loss, beside the share of wrong answers
_DRAWN_ROWS = 2.0  # that the shares of all rows count for
_BOUNDS = ((-7.0, 7.0), (0.0, 2.0))  # of the slope's logarithm, and of the offset
_LEAST_SHARE = 1e-9  # of a class that held-out rows alone have
_LEAD = 1e-9  # of the answer, where it would not be ahead
_JUDGED_ROWS = 1000  # enough for two numbers
_OF_A_PART = 250  # of them, twice as many of an only part; rows of a part are alike
_OF_MANY_PARTS = 100  # where each of several members judges as many


class Calibration(NamedTuple):
    """Two numbers, and the shares of the classes among all training rows.

    Without shares, parts are all alike: probabilities follow from scores alone.
    """

    slope: float
    offset: float = 0.0
    shares: np.ndarray | None = None  # (n_classes,)
    of_evidence: bool = False  # instead of scores, see `Part.evidence`

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
        log_shares = np.log(drawn_shares(masses, self.shares))
        plain = np.where(is_certain[:, None], 0.0, self.slope * scores)
        offset = np.where(is_certain, 1.0, self.offset)[:, None]
        return log_softmax(plain + offset * log_shares, axis=1)


def drawn_shares(masses, shares):
    """Return the shares of classes in parts, drawn to those of all rows."""
    total = masses.sum(axis=1, keepdims=True) + _DRAWN_ROWS
    return (masses + _DRAWN_ROWS * shares) / total


def part_masses(member, shares):
    """Return the class weights of every part, shape (n_parts, n_classes).

    Where no tree has counted them, those of all rows, in each part as many as it has;
    a part with one class has that only.
    """
    if member.tree is not None:
        return member.tree.value[member.tree.leaves()]
    masses = np.tile(shares, (len(member.parts), 1))
    for k, part in enumerate(member.parts):
        if part.machine is None:
            masses[k] = np.arange(len(shares)) == part.code
    return masses * np.array([part.n_rows for part in member.parts])[:, None]


def doubting_log_loss(log_p, codes, weight):
    """Return the log loss as if about one label in all rows could be wrong.

    Where held-out rows are all answered rightly, no slope is too steep for them; the
    doubt, as in Platt's "Probabilistic outputs for support vector machines" (1999),
    keeps probabilities of the next rows from being those of certainty.
    """
    n_rows, n_classes = log_p.shape
    doubt = 1.0 / (weight.sum() / weight.min() + 2.0)  # a weight of two is two rows
    right = log_p[np.arange(n_rows), codes]
    others = (log_p.sum(axis=1) - right) / (n_classes - 1)
    return -np.average((1.0 - doubt) * right + doubt * others, weights=weight)


def answer_on_top(scores, codes):
    """Let the classes `codes` have the largest score, by a little where they had not.

    `scores` are changed and returned.
    """
    rows = np.arange(len(scores))
    top = scores.max(axis=1)
    behind = np.flatnonzero(scores[rows, codes] < top)
    behind = np.union1d(behind, np.flatnonzero(scores.argmax(axis=1) != codes))
    scores[behind, codes[behind]] = top[behind] + _LEAD
    return scores


def fit_calibration(
    scores,
    masses,
    is_certain,
    codes,
    weight,
    shares,
    keeps_answers=False,
    slack=1.0,
):
    """Return the calibration that minimises the log loss of held-out rows.

    Parameters
    ----------
    scores, masses, is_certain
        See `Calibration.log_probabilities`.
    codes, weight : ndarray of shape (n,)
    shares : ndarray of shape (n_classes,)
    keeps_answers : bool
        Whether the class of the largest score stays the most probable whatever the
        offset.  If it does not, an offset is taken only where it costs right answers
        within chance, and less than it gains in log loss.
    slack : float
        Standard errors that count as chance.
    """
    rows, said = np.arange(len(codes)), scores.argmax(axis=1)

    def log_p(slope, offset):
        made = Calibration(float(slope), float(offset), shares)
        found = made.log_probabilities(scores, masses, is_certain)
        if keeps_answers:
            found = log_softmax(answer_on_top(found, said), axis=1)
        return found

    def loss_of(parameters):
        found = log_p(np.exp(parameters[0]), parameters[1])
        return doubting_log_loss(found, codes, weight)

    def wrong_and_log_loss(slope, offset):
        found = log_p(slope, offset)
        wrong = np.average(found.argmax(axis=1) != codes, weights=weight)
        return wrong, -np.average(found[rows, codes], weights=weight)

    best = None
    for start in ((0.0, 0.3), (1.0, 0.0)):
        found = minimize(loss_of, start, bounds=_BOUNDS, method="L-BFGS-B")
        best = found if best is None or found.fun < best.fun else best
    slope, offset = float(np.exp(best.x[0])), float(best.x[1])
    if keeps_answers:
        return Calibration(slope, offset, shares)
    plain = minimize_scalar(
        lambda s: loss_of((s, 0.0)), bounds=_BOUNDS[0], method="bounded"
    )
    plain = float(np.exp(plain.x))
    wrong, log_loss = wrong_and_log_loss(slope, offset)
    least, without = wrong_and_log_loss(plain, 0.0)
    chance = np.sqrt(least * (1.0 - least) / len(codes)) + 1.0 / len(codes)
    gain = LOG_LOSS_SHARE * (without - log_loss)
    if wrong - least <= min(slack * chance, gain):
        return Calibration(slope, offset, shares)
    return Calibration(plain, 0.0, shares)


def calibrate(members, rows, C, seed, *, loss="hinge", voting="hard"):
    """Return the calibration of members, from what they say of rows left out.

    Parameters
    ----------
    members : list of Decomposition
    rows : Rows
        That have trained them.
    C : float
    seed : int
    loss : {"hinge", "squared"}
    voting : {"soft", "hard"}
    """
    groups = {}

    def rows_of(number, k):
        if number not in groups:
            member = members[number]
            parts = member.training_parts(rows.X)
            groups[number] = rows_by_leaf(parts, len(member.parts))
        return rows.take(groups[number].rows(k))

    tree = members[0].tree
    mass = np.bincount(rows.target, weights=rows.weight, minlength=rows.n_classes)
    mass = mass if tree is None else tree.value[0]
    how = {"loss": loss, "voting": voting}
    return calibration_by_parts(members, rows_of, mass, C, seed, **how)


def calibration_by_parts(
    members, rows_of, mass, C, seed, *, loss="hinge", voting="hard"
):
    """Return the calibration of members whose rows may be elsewhere.

    Parameters
    ----------
    members : list of Decomposition
    rows_of : callable
        ``rows_of(member number, part number)`` returns the `Rows` of a part.
    mass : ndarray of shape (n_classes,)
        Weights of the classes: those that a tree has counted, if there is one.
    C : float
    seed : int
    loss : {"hinge", "squared"}
    voting : {"soft", "hard"}
        Several members that average more than two classes are calibrated by their
        evidence: it tells close calls from clear ones where votes of pairs do not.
    """
    of_evidence = says_evidence(members, voting)
    mass = np.maximum(mass, _LEAST_SHARE * mass.sum())
    shares, judged = mass / mass.sum(), []
    parts = judged_parts(members, seed, voting)
    most = 2 * _OF_A_PART if len(parts) == 1 else _most_of_a_part(of_evidence)
    for number, k in parts:
        masses = part_masses(members[number], shares)[k]
        rows, part = rows_of(number, k), members[number].parts[k]
        if len(rows.target) != part.n_rows:  # dealt by a partition of the user's own
            continue
        chosen = np.random.default_rng([seed, k]).permutation(len(rows.target))
        chosen = np.sort(chosen[:most])
        judged.append(_judged(part, rows, chosen, masses, C, loss, of_evidence))
    if not judged:  # one class in every part
        return Calibration(1.0, 0.0, shares, of_evidence)
    scores, masses, codes, weight = map(np.concatenate, zip(*judged, strict=True))
    no_certain = np.zeros(len(codes), bool)
    # The mean of members would carry an offset further than an answer of one of them.
    keeping = {"slack": 0.0} if of_evidence else {"keeps_answers": True}
    made = fit_calibration(scores, masses, no_certain, codes, weight, shares, **keeping)
    return made._replace(of_evidence=of_evidence)


def says_evidence(members, voting):
    """Whether members are calibrated by evidence; that of two classes is the score."""
    return voting == "soft" and len(members) > 1 and members[0].n_classes > 2


def _most_of_a_part(of_evidence):
    return _OF_MANY_PARTS if of_evidence else _OF_A_PART


def judged_parts(members, seed, voting="hard"):
    """Return (member, part) of those whose rows are left out, as many as it takes."""
    chosen, of_evidence = [], says_evidence(members, voting)
    wanted = _JUDGED_ROWS if of_evidence else _JUDGED_ROWS / len(members)
    for number, member in enumerate(members):
        mixed = [k for k, part in enumerate(member.parts) if part.machine is not None]
        n_judged = 0
        for k in np.random.default_rng([seed, number]).permutation(mixed):
            if n_judged >= wanted:
                break
            chosen.append((number, int(k)))
            n_judged += min(member.parts[k].n_rows, _most_of_a_part(of_evidence))
    return chosen


def _judged(part, rows, chosen, masses, C, loss, of_evidence):
    """Return what is said of some rows, left out; class masses, codes and weights."""
    some = rows.take(chosen)
    seen = part.seen(some.X)
    box = C * rows.weight
    values = left_out_decisions(part.machine, seen, chosen, box, loss)
    tiled = np.tile(masses, (len(chosen), 1))
    return part.said(values, of_evidence), tiled, some.target, some.weight


def has_probability(model):
    """`predict_proba` exists when it was asked for."""
    if not model.probability:
        raise AttributeError("predict_proba needs probability=True.")
    return True


def fit_scale(scores, codes, weight):
    """Return the slope that minimises the log loss of the held-out scores."""

    def loss(log_scale):
        log_p = log_softmax(np.exp(log_scale) * as_columns(scores), axis=1)
        return -np.average(log_p[np.arange(len(codes)), codes], weights=weight)

    return float(np.exp(minimize_scalar(loss, bounds=_BOUNDS[0], method="bounded").x))


def probabilities(scores, scale):
    """Class probabilities by the slope alone, shape (n, n_classes)."""
    return np.exp(log_softmax(scale * as_columns(scores), axis=1))


def as_columns(scores):
    """Return a column for each class; binary scores may be one column."""
    if scores.ndim == 1:
        return np.stack([np.zeros_like(scores), scores], axis=1)
    return scores


def winner_on_top(scores, codes):
    """Give the winner the largest score of its row, where votes were tied."""
    scores, rows = scores.copy(), np.arange(len(scores))
    best = scores.argmax(axis=1)
    top, own = scores[rows, best], scores[rows, codes]
    scores[rows, best], scores[rows, codes] = own, top
    return scores
