"""DTSVM on half a million rows, beside LightGBM, and on wide sparse ones.

covtype     C = 10, γ = 3 on 484,176 rows: accuracy and time beside LightGBM
growth      fit time against the number of rows
memory      peak of a covtype fit in a process of its own
sparse      sector and news, wide and sparse

Members that average are in ``kernels``, searches in ``league``, answers in ``latency``;
the paper's own tables: ``python -m benchmarks.papers dtsvm``.
"""

from benchmarks.dtsvm_covtype import fixed_case, growth_case, memory_case
from benchmarks.dtsvm_sparse import sparse_case

CASES = {
    "covtype": fixed_case,
    "growth": growth_case,
    "memory": memory_case,
    "sparse": sparse_case,
}
