"""What a compressed machine should say about a row, as intervals.

values  the machine's own decision value: ranks and margins are kept
margin  the value where it lies between the margins; beyond a margin, anything beyond it
        will do (the machine's own squared hinge loss, with its answers for labels)
"""

import numpy as np


def value_targets(decisions):
    """Intervals of length zero."""
    return decisions, decisions


def margin_targets(decisions):
    """Intervals that are open beyond the margins -1 and 1."""
    lower = np.where(decisions <= -1.0, -np.inf, np.minimum(decisions, 1.0))
    upper = np.where(decisions >= 1.0, np.inf, np.maximum(decisions, -1.0))
    return lower, upper


TARGETS = {"values": value_targets, "margin": margin_targets}
