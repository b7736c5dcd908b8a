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


def local_steepness(values, derivatives, x, weight, power, most_bins, prior_rows):
    """The steepness between one feature's knots, from derivatives at its rows."""
    n_gaps = len(values) - 1
    n_bins = min(n_gaps, most_bins)

    def gap_of(one):
        return min(sum(v <= one for v in values) - 1, n_gaps - 1)

    def bin_of(gap):
        return gap * n_bins // n_gaps

    mean = sum(d**2 for d in derivatives) / len(derivatives)
    found = []
    for gap in range(n_gaps):
        own = [
            d**2
            for d, one in zip(derivatives, x, strict=True)
            if bin_of(gap_of(one)) == bin_of(gap)
        ]
        drawn = (sum(own) + prior_rows * mean) / (len(own) + prior_rows)
        found.append((weight * (drawn / mean) ** 0.5) ** (1 / power))
    return np.array(found)
