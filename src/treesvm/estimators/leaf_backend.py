"""Whether leaves are trained in threads of this process, or sent away by joblib.

Threads share the rows. Under ``joblib.parallel_config(backend="dask")`` the rows of
each leaf travel with its task to a worker of the cluster.
"""

import numpy as np
from joblib.parallel import get_active_backend


def sends_leaves_away():
    """Whether joblib's active backend is a Dask cluster."""
    backend, _ = get_active_backend()
    return type(backend).__module__ == "joblib._dask"


def cut_out(X, codes, weight, rows, more):
    """Return the rows of one leaf alone, and where its own and its extra rows are.

    Parameters
    ----------
    rows, more : ndarray
        Own rows, and rows from across the borders (or None), ascending.
    """
    if more is None or len(more) == 0:
        every, more = rows, None
    else:
        every = np.union1d(rows, more)
        more = np.searchsorted(every, more)
    own = np.searchsorted(every, rows)
    return X[every], codes[every], weight[every], own, more
