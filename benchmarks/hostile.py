"""What strangers send: model files, data files, arrays and tables.

models  damaged model files, most with valid checksums, opened under limits
forms   every estimator × forms of rows in fit × forms of rows in predict
arrays  generated rows, labels, weights and parameters over all estimators
tables  generated data frames for the front doors
others  damaged and large data files, see `benchmarks.hostile_data`
"""

from benchmarks.hostile_arrays import arrays_case
from benchmarks.hostile_data import HOSTILE_CASES
from benchmarks.hostile_forms import forms_case
from benchmarks.hostile_models import models_case
from benchmarks.hostile_tables import tables_case

CASES = {
    "models": models_case,
    "forms": forms_case,
    "arrays": arrays_case,
    "tables": tables_case,
    **HOSTILE_CASES,
}
