"""A sensible gamma for kernel machines that see all rows at once.

With scikit-learn's "scale" a machine is often far from its best.  A comparison should
not win by that, so a few widths are judged on a sample before the fit.
"""

import numpy as np
from scipy import sparse
from sklearn.svm import SVC, SVR

from treesvm.datasets.label_task import CLASSIFICATION, REGRESSION
from treesvm.reporting.time_budget import class_first_order

_SAMPLE_ROWS = 3_000
_FACTORS = (0.25, 1.0, 4.0, 16.0, 64.0)  # of "scale"
C = 10.0


def chosen_gamma(X, y, seed=0, task=CLASSIFICATION):
    """Return the best of five gammas, judged on a third of at most 3,000 rows.

    Parameters
    ----------
    X, y : rows and labels
        The training rows; nothing else is looked at.
    seed : int
        Of the sample.
    task : {"classification", "regression"}
    """
    machine = SVC
    if task == REGRESSION:
        machine, y = SVR, (y - y.mean()) / max(y.std(), 1e-300)
    rows = class_first_order(y, seed)[:_SAMPLE_ROWS]
    n_least = 2 if task == REGRESSION else 2 * len(np.unique(y))
    n_train = max(len(rows) * 2 // 3, n_least)
    train, judge = rows[:n_train], rows[n_train:]
    variance = _variance(X[train])
    scale = 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    if len(judge) == 0:
        return scale
    scores = [
        machine(C=C, gamma=scale * factor)
        .fit(X[train], y[train])
        .score(X[judge], y[judge])
        for factor in _FACTORS
    ]
    return scale * _FACTORS[int(np.argmax(scores))]


def _variance(X):
    """Return the variance of all values, without filling up sparse rows."""
    if not sparse.issparse(X):
        return float(X.var())
    return float(X.multiply(X).mean() - X.mean() ** 2)
