"""Fits and predictions on Dask clusters; needs the extra ``treesvm[dask]``."""

try:
    from treesvm.distributed.clusters import local_cluster
    from treesvm.distributed.data_files import mapped_array, spooled_arrays
    from treesvm.distributed.dtsvm import DaskDTSVMClassifier
    from treesvm.distributed.dtsvm_cv import DaskDTSVMClassifierCV
    from treesvm.distributed.hlsvm import DaskHLSVMClassifier
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] == "treesvm":
        raise
    raise ImportError(
        f"treesvm.distributed needs Dask ({error}); install it with: "
        "pip install 'treesvm[dask]'"
    ) from error

__all__ = [
    "DaskDTSVMClassifier",
    "DaskDTSVMClassifierCV",
    "DaskHLSVMClassifier",
    "local_cluster",
    "mapped_array",
    "spooled_arrays",
]
