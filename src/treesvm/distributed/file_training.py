"""Learn from a data file that does not fit one memory."""

import tempfile
import time
from typing import NamedTuple

from treesvm.datasets.spooling import spool_file
from treesvm.datasets.table_model import TableModel
from treesvm.distributed.data_files import spooled_arrays
from treesvm.distributed.dtsvm import DaskDTSVMClassifier
from treesvm.distributed.dtsvm_cv import DaskDTSVMClassifierCV
from treesvm.distributed.hlsvm import DaskHLSVMClassifier

_ON_DASK = (DaskDTSVMClassifierCV, DaskDTSVMClassifier, DaskHLSVMClassifier)


class FileFit(NamedTuple):
    """A model of a file, and what it took."""

    model: TableModel
    n_rows: int
    seconds: float  # of training, without reading


def on_dask(estimator, client=None):
    """Return the estimator on Dask for an ordinary one.

    Raises
    ------
    ValueError
        If there is none.
    """
    for cls in _ON_DASK:
        if type(estimator) is cls._default:
            return cls(estimator, client=client)
    known = ", ".join(cls._default.__name__ for cls in _ON_DASK)
    raise ValueError(
        f"{type(estimator).__name__} is not made for clusters; these are: {known}."
    )


def fit_file(
    path, estimator, *, client=None, folder=None, label_name=None, **spool_options
):
    """Train an estimator on all rows of a data file, on a Dask cluster.

    Parameters
    ----------
    path : str or Path
        LIBSVM text, CSV, TSV (these also packed), Parquet or npz.
    estimator : DTSVMClassifier, DTSVMClassifierCV or HLSVMClassifier
    client : distributed.Client, optional
        The current one by default.
    folder : str or Path, optional
        Where the encoded blocks are written for the time of the training; all workers
        must see it. By default this machine's folder for temporary files.
    label_name : str, optional
        Of the label column, to be remembered.
    spool_options
        Of `treesvm.datasets.spooling.spool_file`.

    Returns
    -------
    FileFit
    """
    fitter = on_dask(estimator, client)
    with tempfile.TemporaryDirectory(dir=folder, prefix="treesvm-") as blocks:
        spool = spool_file(path, blocks, **spool_options)
        start = time.perf_counter()
        model = fitter.fit(*spooled_arrays(spool)).model_
        seconds = time.perf_counter() - start
    source = {"label": label_name, "zero_based": spool.zero_based}
    parts = {"encoder": spool.encoder.spec, "source": source}
    return FileFit(
        TableModel.from_model_file(parts, model), sum(spool.lengths), seconds
    )
