"""Data files larger than memory as Dask arrays.

Arrays on disk need nothing of this: ``dask.array.from_array(np.load(path,
mmap_mode="r"), chunks=...)`` and ``dask.dataframe.read_parquet(path)`` are collections
already. Text is spooled first, so that it is parsed once and not in every pass.
"""

import dask.array as da
import numpy as np
from dask import delayed
from scipy import sparse


def spooled_arrays(spool):
    """Return (X, y) of a `treesvm.datasets.spooling.Spool` as Dask arrays.

    The workers must see the folder of the spool.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from treesvm.datasets.spooling import spool_file
    >>> from treesvm.distributed import spooled_arrays
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tiny.svm")
    ...     _ = path.write_text("1 1:0.5 2:1\\n-1 2:3\\n")
    ...     X, y = spooled_arrays(spool_file(path, folder))
    ...     X.compute().tolist(), y.compute().tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [1, -1])
    """
    width = spool.encoder.n_features
    meta = np.empty((0, width))
    if spool.is_sparse:
        meta = sparse.csr_matrix((0, width))
    features, labels = [], []
    for number, n_rows in enumerate(spool.lengths):
        block = delayed(spool.block)(number)
        features.append(da.from_delayed(block[0], (n_rows, width), meta=meta))
        labels.append(
            da.from_delayed(block[1], (n_rows,), meta=spool.labels[:0].copy())
        )
    return da.concatenate(features, axis=0), da.concatenate(labels)
