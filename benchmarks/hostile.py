"""Files from strangers: damaged and malicious model files and data files.

models  damaged model files, most with valid checksums, opened under limits
others  damaged and large data files, see `benchmarks.hostile_data`
"""

import importlib
import importlib.util

from benchmarks.hostile_models import models_case


def _data_cases():
    """The cases of `benchmarks.hostile_data`, where that is present."""
    if importlib.util.find_spec("benchmarks.hostile_data") is None:
        return {}
    return importlib.import_module("benchmarks.hostile_data").HOSTILE_CASES


CASES = {"models": models_case, **_data_cases()}
