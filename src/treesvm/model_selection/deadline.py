"""How long a search may go on."""

import time

import numpy as np


class Deadline:
    """The time that is left, without end if there is no limit.

    `has_ended_work` says whether anything that asked was told to stop.

    Parameters
    ----------
    seconds : float or None
    """

    def __init__(self, seconds=None):
        self._start, self._seconds = time.monotonic(), seconds
        self.has_ended_work = False

    def earlier(self, share):
        """Return a deadline after a share of this one's time, from the same start."""
        made = Deadline(None if self._seconds is None else share * self._seconds)
        made._start = self._start
        return made

    def has_less_than(self, seconds):
        """Whether less time is left than this; ask if work is left."""
        left = np.inf if self._seconds is None else self._seconds - self.elapsed
        self.has_ended_work |= left < seconds
        return left < seconds

    @property
    def elapsed(self):
        """Seconds since the start."""
        return time.monotonic() - self._start

    def is_over(self, share=1.0):
        """Whether so large a share of the time has passed; ask if work is left."""
        is_over = self._seconds is not None and self.elapsed >= share * self._seconds
        self.has_ended_work |= is_over
        return is_over
