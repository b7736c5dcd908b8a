"""Progress of long fits on standard error, silent unless asked for."""

import sys
import time
from threading import Lock

_INTERVAL = 0.5  # seconds between lines, so that output never costs time


class Progress:
    """Counts steps and says how many are done and how long the rest will take.

    Parameters
    ----------
    total : int
        Steps in all.
    what : str
        Name of the steps, in plural.
    verbose : int
        0 says nothing.
    """

    def __init__(self, total, what, verbose=0):
        self._total, self._what, self._verbose = total, what, verbose
        self._done, self._start, self._last = 0, time.monotonic(), 0.0
        self._lock = Lock()

    def step(self, note=""):
        """Count one step; `note` is shown behind the counts."""
        self.step_many(1, note)

    def step_many(self, n_steps, note=""):
        """Count several steps that were done together."""
        with self._lock:
            self._done += n_steps
            now = time.monotonic()
            if not self._verbose or not self._done or now - self._last < _INTERVAL:
                return
            self._last = now
            left = (now - self._start) / self._done * (self._total - self._done)
            self._write(
                f"{self._done} of {self._total} {self._what}, {left:.0f} s left {note}"
            )

    def close(self):
        """End the line."""
        if self._verbose and self._last:
            took = time.monotonic() - self._start
            self._write(f"{self._done} of {self._total} {self._what} in {took:.1f} s")
            sys.stderr.write("\n")

    def _write(self, text):
        sys.stderr.write("\r" + text.ljust(78))
        sys.stderr.flush()
