"""How many threads may be asked for."""

MAX_JOBS = 4096
