"""Examples in docstrings are tests; those of an extra need it."""

import importlib.util

collect_ignore_glob = []
if importlib.util.find_spec("distributed") is None:
    collect_ignore_glob.append("treesvm/distributed/*")
