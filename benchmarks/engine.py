"""The kernel engine against LIBSVM and scikit-learn-intelex.

grid        63 points of (C, gamma) on leaves of 1,500 rows, solved to the end
search      the same grid with capped iterations, as a search uses it
fit         one fit on 20,000 rows, dense and sparse, one thread
threads     the same with two threads, against scikit-learn-intelex
mnist       60,000 rows, ten classes: fit, memory, batch prediction
cold_start  import and first fit without and with compiled functions on disk
roofline    what three inner loops reach of what this machine can do
"""

from benchmarks.engine_fits import fit_case, mnist_case, threads_case
from benchmarks.engine_grid import grid_case, search_case
from benchmarks.engine_roofline import roofline_case
from benchmarks.engine_start import cold_start_case

CASES = {
    "grid": grid_case,
    "search": search_case,
    "fit": fit_case,
    "threads": threads_case,
    "mnist": mnist_case,
    "cold_start": cold_start_case,
    "roofline": roofline_case,
}
