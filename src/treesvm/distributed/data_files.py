"""Data files larger than memory as Dask arrays.

Parquet needs nothing of this: ``dask.dataframe.read_parquet(path)`` is a collection
already. Text is spooled first, so that it is parsed once and not in every pass.
"""

from typing import Any

import dask.array as da
import numpy as np
from dask import delayed
from scipy import sparse

from treesvm.datasets.spooling import Spool


def mapped_array(array: Any, chunk_rows: int = 250_000) -> Any:
    """Return a memory-mapped array as a Dask array whose blocks workers read.

    ``dask.array.from_array`` would send the rows themselves with the graph.

    Parameters
    ----------
    array : np.memmap
        Of rows in C order, such as ``np.load(path, mmap_mode="r")``. The workers must
        see its file.
    chunk_rows : int
        Rows in memory at a time.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from treesvm.distributed import mapped_array
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "X.npy")
    ...     np.save(path, np.arange(6.0).reshape(3, 2))
    ...     X = mapped_array(np.load(path, mmap_mode="r"), chunk_rows=2)
    ...     X.chunks, X.compute().tolist()
    (((2, 1), (2,)), [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    """
    if not isinstance(array, np.memmap) or not array.flags.c_contiguous:
        raise ValueError(
            f"array is a {type(array).__name__}; give one that is memory-mapped in C "
            "order, such as np.load(path, mmap_mode='r')."
        )
    blocks = []
    for start in range(0, len(array), chunk_rows):
        shape = (min(chunk_rows, len(array) - start), *array.shape[1:])
        # A view keeps the file of the whole array, but not where it begins there.
        skipped = array[start:].__array_interface__["data"][0]
        skipped -= array.__array_interface__["data"][0]
        block = delayed(_read_mapped)(
            str(array.filename), array.dtype.str, array.offset + skipped, shape
        )
        blocks.append(da.from_delayed(block, shape, dtype=array.dtype))
    return da.concatenate(blocks, axis=0)


def _read_mapped(filename, dtype, offset, shape):
    """Read some rows of a file into memory."""
    count = int(np.prod(shape))
    return np.fromfile(filename, dtype, count, offset=offset).reshape(shape)


def spooled_arrays(spool: Spool) -> tuple[Any, Any]:
    """Return (X, y) of a `treesvm.datasets.spooling.Spool` as Dask arrays.

    The workers must see the folder of the spool.

    Parameters
    ----------
    spool : Spool
        What `treesvm.datasets.spooling.spool_file` wrote.

    Returns
    -------
    X : dask array of shape (n_rows, n_features)
    y : dask array of shape (n_rows,)

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
