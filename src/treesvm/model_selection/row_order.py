"""Whether the order of rows says something, and pieces of rows that respect it.

Rows of a sensor or of a log come in the order of time, and those of one hour resemble
each other. Held out at random, they are answered by their neighbours: a search then
prefers machines that know single rows by heart, and rows of another day are answered
badly. Where the order tells, stretches of it are held out.
"""

import numpy as np
from scipy.stats import rankdata

from treesvm.model_selection.search_fold import LeafTask

_FEWEST_ROWS, _PROBED_ROWS = 30, 1000
_PIECES = 3
_OF_A_SIZE = 30
_ERRORS = 3.0  # standard errors by which stretches have to be harder to answer
_MANY_CLASSES = 100  # whose machines would take longer than the probe is worth


def pieces_in_order(rows, n_pieces):
    """Return the piece of each row: a stretch of the rows of each class.

    So that pieces have rows of all classes, even of a table sorted by class. Of
    numbers, `_OF_A_SIZE` rows of about the same size are a class.
    """
    codes = rows.target
    if rows.n_classes is None:
        codes = rankdata(codes, "ordinal") // _OF_A_SIZE
    pieces = np.empty(len(codes), int)
    for code in np.unique(codes):
        own = np.flatnonzero(codes == code)
        pieces[own] = np.arange(len(own)) * n_pieces // len(own)
    return pieces


def order_matters(rows, theta, options, seed):
    """Whether stretches of rows are harder to answer than rows drawn from everywhere.

    One machine answers pieces in order and pieces of the same sizes that are drawn; the
    difference of each row's loss is larger than chance would make it. If rows are in
    no order, pieces in order are drawn, too.

    Parameters
    ----------
    rows : Rows
    theta : Theta
    options : MachineOptions
    seed : int
    """
    n_rows = len(rows.target)
    if n_rows < _FEWEST_ROWS or (rows.n_classes or 0) > _MANY_CLASSES:
        return False
    some = rows.take(np.arange(n_rows)[:: -(-n_rows // _PROBED_ROWS)])
    ordered = pieces_in_order(some, _PIECES)
    drawn = np.random.default_rng([seed, 17]).permutation(ordered)
    more = _losses(some, ordered, theta, options) - _losses(some, drawn, theta, options)
    spread = more.std() / np.sqrt(len(more))
    return bool(more.mean() > _ERRORS * spread)


def _losses(rows, pieces, theta, options):
    """Return each row's loss by a machine of the other pieces."""
    losses = np.zeros(len(pieces))
    for piece in range(_PIECES):
        held = np.flatnonzero(pieces == piece)
        task = LeafTask(rows, np.flatnonzero(pieces != piece), held)
        (answer,) = task.evaluate([theta], options)
        gap = answer.predicted - rows.target[held]
        losses[held] = gap**2 if rows.n_classes is None else gap != 0
    return losses
