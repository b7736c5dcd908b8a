"""Whether leaves are trained in threads of this process, or sent away by joblib.

Threads share the rows. Under ``joblib.parallel_config(backend="dask")`` the rows of
each leaf travel with its task to a worker of the cluster.
"""

from joblib.parallel import get_active_backend


def sends_leaves_away():
    """Whether joblib's active backend is a Dask cluster."""
    backend, _ = get_active_backend()
    return type(backend).__module__ == "joblib._dask"
