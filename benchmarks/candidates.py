"""Support-vector candidates: the paper's tables, rank tests, speed, LASVM.

small    Tables 4 and 6 of Ryu and Lee (2020) on ten small sets
a9a      the same, with the paper's parameters
ijcnn1   the same, with the paper's parameters
verdict  rank tests over the stored results of these, TRSD beside random rows
covtype  selection after the tree is grown, 484,176 rows
cbd      CBD's neighbours on 50,000 rows of covtype
lasvm    one epoch on ijcnn1 beside KernelSVC
..._rivals
         CBD and LASVM beside DTSVM, on sets of its benchmark
stream   LASVM's first pass over 200,000 rows of covtype
"""

from functools import partial

from benchmarks.candidate_rivals import SETS, rivals_case
from benchmarks.candidates_problems import LARGE, SMALL
from benchmarks.candidates_speed import (
    cbd_case,
    covtype_case,
    lasvm_case,
    stream_case,
)
from benchmarks.candidates_tables import tables_case
from benchmarks.candidates_verdict import verdict_case

CASES = {
    "small": partial(tables_case, case="small", names=SMALL),
    **{name: partial(tables_case, case=name, names=(name,)) for name in LARGE},
    "verdict": verdict_case,
    "covtype": covtype_case,
    "cbd": cbd_case,
    "lasvm": lasvm_case,
    **{f"{name}_rivals": partial(rivals_case, name=name) for name in SETS},
    "stream": stream_case,
}
