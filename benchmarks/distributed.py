"""Fits beyond one process: on Dask, larger than memory, checkpointed and killed."""

from benchmarks.distributed_checkpoints import kills_case, overhead_case
from benchmarks.distributed_covtype import covtype_case
from benchmarks.distributed_hosts import hosts_case
from benchmarks.distributed_large import large_case

CASES = {
    "covtype": covtype_case,
    "checkpoints": overhead_case,
    "kills": kills_case,
    "large": large_case,
    "hosts": hosts_case,
}
