"""Support vector trees: the paper's table, cost curves, building, DTSVM, single rows.

table   Table 1 of the paper on eleven sets, ours and CPSP beside it
curve   accuracy against kernel evaluations, four sets
build   time for 5,000 rows x 2,000 support vectors, memory for 50,000 rows
letter  DTSVM compressed, 26 classes
covtype DTSVM compressed, half a million rows
single  prediction time of one row against the machine that was compressed
"""

from benchmarks.svtree_curve import curve_case
from benchmarks.svtree_dtsvm import covtype_case, letter_case
from benchmarks.svtree_speed import build_case, single_case
from benchmarks.svtree_table import table_case

CASES = {
    "table": table_case,
    "curve": curve_case,
    "build": build_case,
    "letter": letter_case,
    "covtype": covtype_case,
    "single": single_case,
}
