"""Support-vector candidates: selectors beside random rows, speed, LASVM.

small    accuracy on a tenth to three tenths of the rows of ten small sets
a9a      the same, with the paper's parameters
ijcnn1   the same, with the paper's parameters
verdict  rank tests over the stored results of these, beside random rows
covtype  selection after the tree is grown, 484,176 rows
cbd      CBD's neighbours on 50,000 rows of covtype
lasvm    one epoch on ijcnn1 beside KernelSVC
stream   LASVM's first pass over 200,000 rows of covtype

The paper's own tables: ``python -m benchmarks.papers trsd``.
"""

from functools import partial

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
    "stream": stream_case,
}
