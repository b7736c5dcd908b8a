"""Slow obvious twins of the maps of features."""

import numpy as np


def levels(values, heights, x):
    """Interpolate, and go on outside with the slope of the whole range."""
    span = values[-1] - values[0]
    found = []
    for one in x:
        if one <= values[0]:
            found.append((one - values[0]) / span)
        elif one >= values[-1]:
            found.append(1 + (one - values[-1]) / span)
        else:
            k = max(i for i, v in enumerate(values) if v <= one)
            share = (one - values[k]) / (values[k + 1] - values[k])
            found.append(heights[k] + share * (heights[k + 1] - heights[k]))
    return np.array(found)
