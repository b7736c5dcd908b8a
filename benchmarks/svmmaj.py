"""SVM-Maj and SVM-partitioned trees: a fair comparison, speed.

fair     20 random halves of the same sets, with standard errors
search   47 values of lambda with 5 folds against separate cold fits
steps    plain, doubled and conjugate steps of majorization
covtype  a tree on 100,000 rows against one LinearSVC
"""

from benchmarks.svmmaj_accuracy import fair_case
from benchmarks.svmmaj_speed import covtype_case, search_case, steps_case

CASES = {
    "fair": fair_case,
    "search": search_case,
    "steps": steps_case,
    "covtype": covtype_case,
}
