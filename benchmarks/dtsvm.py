"""DTSVM on half a million rows, beside LightGBM, and on wide sparse ones.

covtype     C = 10, γ = 3 on 484,176 rows: accuracy and time beside LightGBM
voting      randomised decompositions that vote, and how much they differ
search      all 63 θ and the ceilings, raced, on covtype
growth      fit time against the number of rows
memory      peak of a covtype fit in a process of its own
batch       batch prediction on covtype
rows        single rows through the predictor
sparse      sector and news, wide and sparse

The paper's own tables: ``python -m benchmarks.papers dtsvm``.
"""

from benchmarks.dtsvm_covtype import (
    fixed_case,
    growth_case,
    memory_case,
    search_case,
    voting_case,
)
from benchmarks.dtsvm_prediction import batch_case, rows_case
from benchmarks.dtsvm_sparse import sparse_case

CASES = {
    "covtype": fixed_case,
    "voting": voting_case,
    "search": search_case,
    "growth": growth_case,
    "memory": memory_case,
    "batch": batch_case,
    "rows": rows_case,
    "sparse": sparse_case,
}
