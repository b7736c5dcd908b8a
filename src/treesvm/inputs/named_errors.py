"""Errors of conversions say what they were converting."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

# What messages of scikit-learn and of this library speak of.
_SUBJECTS = re.compile(
    r"\b(X|y|sample_weight|class_weight|n_samples|samples?|features?|columns?"
    r"|matrix|sparse|labels?|rows)\b"
)
_MOST_WORDS = 300  # some messages hold all of the data


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Put a name before an error of a conversion that speaks of nothing.

    NumPy says "could not convert string to float" and leaves it to the reader to find
    out whether that was in the rows, the labels or the weights. Whole numbers that no
    float holds become a ValueError, too.
    """
    try:
        yield
    except (ValueError, TypeError, OverflowError) as error:
        text = " ".join(str(error).split())
        if _SUBJECTS.search(text) and not isinstance(error, OverflowError):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: {text[:_MOST_WORDS]}") from error
