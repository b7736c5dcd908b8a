"""Thresholds in single precision that send single-precision numbers the same way."""

import numpy as np


def rounded_down(threshold):
    """Return the largest float32 that is not above each float64 threshold.

    For a float32 number x, ``x <= rounded_down(t)`` says what ``x <= t`` says, also on
    the cut itself.
    """
    with np.errstate(over="ignore"):
        near = threshold.astype(np.float32)
    below = np.nextafter(near, np.float32(-np.inf))
    return np.where(near > threshold, below, near)
