"""DTSVM beside SVC, LightGBM and the paper's baselines.

covtype     C = 10, γ = 3 on 484,176 rows: accuracy and time beside LightGBM
covtype_others
            leaf scaling off, other methods
voting      randomised decompositions that vote, and how much they differ
search      all 63 θ and the ceilings, raced, on covtype
growth      fit time against the number of rows
memory      peak of a covtype fit in a process of its own
batch       batch prediction on covtype
rows        single rows through the predictor
pendigits, letter, shuttle, poker, adult, kdd99_10pct
            the paper's protocol, beside SVC's grid on all rows
..._rivals  LightGBM, Nyström, CART, LinearSVC, RDSVM, bagging, CBD and LASVM on these
sparse      sector and news, wide and sparse

The paper's own tables: ``python -m benchmarks.papers dtsvm``.
"""

from functools import partial

from benchmarks.dtsvm_covtype import (
    fixed_case,
    growth_case,
    memory_case,
    others_case,
    search_case,
    voting_case,
)
from benchmarks.dtsvm_prediction import batch_case, rows_case
from benchmarks.dtsvm_problems import SETS
from benchmarks.dtsvm_sets import rivals_case, set_case
from benchmarks.dtsvm_sparse import sparse_case

CASES = {
    "covtype": fixed_case,
    "covtype_others": others_case,
    "voting": voting_case,
    "search": search_case,
    "growth": growth_case,
    "memory": memory_case,
    "batch": batch_case,
    "rows": rows_case,
    **{name: partial(set_case, name=name) for name in SETS},
    **{f"{name}_rivals": partial(rivals_case, name=name) for name in SETS},
    "sparse": sparse_case,
}
