"""Errors of conversions say what they were converting."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

# What messages of scikit-learn and of this library speak of.
_SUBJECTS = re.compile(
    r"\b(X|y|sample_weight|class_weight|n_samples|samples?|features?|columns?"
    r"|arrays?|matrix|sparse|labels?|rows)\b"
)
_MOST_WORDS = 300  # some messages hold all of the data


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Put a name before a ValueError or TypeError that speaks of nothing.

    NumPy says "could not convert string to float" and leaves it to the reader to find
    out whether that was in the rows, the labels or the weights.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        text = " ".join(str(error).split())
        if _SUBJECTS.search(text):
            raise
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(f"{name}: {text[:_MOST_WORDS]}") from error
