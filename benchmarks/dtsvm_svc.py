"""The points of the grid that one SVM of all rows is run with."""

from benchmarks.dtsvm_problems import CS, GAMMAS

# (C, gamma) near the best of the grid, so that a sample of it is not without one.
GOOD_POINTS = {
    "pendigits": [(10.0, 1.0), (10.0, 10.0)],
    "letter": [(10.0, 10.0), (100.0, 10.0)],
    "shuttle": [(1e4, 10.0), (1e5, 10.0)],
}


def points_of(name):
    """Every γ once, with C going round, and what is known to be good."""
    sampled = [(CS[3 * k % len(CS)], gamma) for k, gamma in enumerate(GAMMAS)]
    return list(dict.fromkeys(GOOD_POINTS.get(name, []) + sampled))
