"""Votes of pairs of classes, and of members, in ONNX; see `treesvm.machines.voting`."""

import numpy as np

from treesvm.export.plan import LEAD
from treesvm.machines.voting import PAIR_SLOPE


def side_arrays(pairs, n_classes):
    """Return the arrays that `voted_scores` takes, by name."""
    sides = np.zeros((len(pairs), n_classes))
    numbers = np.arange(len(pairs))
    is_ovr = pairs[0, 1] < 0
    sides[numbers, pairs[:, 0]] = 1.0
    if not is_ovr:
        sides[numbers, pairs[:, 1]] = -1.0
    return {
        "sides": sides,
        "base": (sides < 0).sum(axis=0).astype(np.float64),  # votes if all were lost
        "has": sides.any(axis=0).astype(np.int64),
        "is_ovr": np.array([is_ovr], np.int64),
    }


def voted_scores(g, values, sides, base, has, is_ovr):
    """Return one score for each class from the values of binary machines."""
    sums = g.MatMul(values, sides)
    scores = g.Add(votes(g, values, sides, base), _squeezed(g, sums))
    scores = g.Where(g.cast(is_ovr, np.bool_), sums, scores)
    return _known_only(g, scores, has)


def pair_evidence(g, values, sides, has, is_ovr):
    """Return what probabilities are made of; see `voting.class_evidence`."""
    odds = g.Mul(g.constant(PAIR_SLOPE), values)
    one, zero = g.constant(1.0), g.constant(0.0)
    doubt = g.Log(g.Add(one, g.Exp(g.Neg(g.Abs(odds)))))
    lost = g.Add(doubt, g.Max(g.Neg(odds), zero))
    won = g.Add(doubt, g.Max(odds, zero))
    total = g.Sub(g.MatMul(won, g.Min(sides, zero)), g.MatMul(lost, g.Max(sides, zero)))
    count = g.ReduceSum(g.Abs(sides), g.ints(0), keepdims=0)
    scores = g.Div(total, g.Max(count, one))
    scores = g.Where(g.cast(is_ovr, np.bool_), g.MatMul(values, sides), scores)
    return _known_only(g, scores, has)


def _known_only(g, scores, has):
    """Return scores in which a class without machine is never the answer."""
    has = g.cast(has, np.bool_)
    known = g.Where(has, scores, g.constant(np.inf))
    lowest = g.ReduceMin(known, g.ints(1), keepdims=1)
    return g.Where(has, scores, g.Sub(lowest, g.constant(1.0)))


def votes(g, values, sides, base):
    """Return the votes for each class; a value of zero votes for the negative side."""
    won = g.cast(g.Greater(values, g.constant(0.0)), np.float64)
    return g.Add(g.MatMul(won, sides), base)


def _squeezed(g, sums):
    """Return sums within (-1/3, 1/3), which break ties between votes only."""
    size = g.Add(g.Abs(sums), g.constant(1.0))
    return g.Div(sums, g.Mul(g.constant(3.0), size))


def joined(g, every, n_classes):
    """Return the votes of several members, of one its scores themselves."""
    if len(every) == 1:
        return every[0]
    every = stacked(g, every)
    given = winner(g, every, n_classes)
    total = g.ReduceSum(every, g.ints(0), keepdims=0)
    scores = g.Add(g.ReduceSum(given, g.ints(0), keepdims=0), _squeezed(g, total))
    if n_classes > 2:
        return scores
    lead = g.MatMul(scores, g.constant([[-1.0], [1.0]]))
    return g.Concat(g.Neg(lead), lead, axis=1)


def stacked(g, every):
    """Return what members say as one tensor, (n_members, n_rows, n_classes)."""
    return g.Concat(*(g.Unsqueeze(scores, g.ints(0)) for scores in every), axis=0)


def on_top(g, values, scores, n_classes):
    """Return values of which the largest is where that of the scores is."""
    best, code = (g.ArgMax(x, axis=1) for x in (values, scores))
    is_code = g.Equal(code, g.ints(*range(n_classes)))
    is_behind = g.And(is_code, g.Not(g.Equal(best, code)))
    top = g.Add(g.ReduceMax(values, g.ints(1)), g.constant(LEAD))
    return g.Where(is_behind, top, values)


def winner(g, scores, n_classes):
    """Return one at the largest of the last axis, the first among equals, else zero."""
    best = g.ArgMax(scores, axis=-1)
    return g.cast(g.Equal(best, g.ints(*range(n_classes))), np.float64)
