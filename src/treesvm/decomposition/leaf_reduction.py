"""The `reduce` step of decomposed machines: a selector in front of every leaf's SVM.

All leaves share the selector and its seed. As each leaf has rows of its own, the choice
in one says nothing about another, and the model does not depend on the threads.
"""

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state


def check_selector(selector):
    """Raise a ValueError unless `selector` is None or chooses rows."""
    if selector is not None and not hasattr(selector, "fit_resample"):
        raise ValueError(
            f"reduce={selector!r} has no fit_resample; use None, or a selector of "
            "treesvm.candidates, such as TRSD(0.3)."
        )


def seeded_selector(selector, random_state):
    """Return a copy of the selector with a seed; None stays None.

    A seed of its own is kept; else one is drawn from the estimator's `random_state`.
    """
    if selector is None:
        return None
    selector = clone(selector)
    if getattr(selector, "random_state", 0) is None:
        seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
        selector.set_params(random_state=seed)
    return selector


def kept_rows(selector, X, codes):
    """Return the rows of a leaf that train its machine, None for all of them."""
    if selector is None:
        return None
    selector = clone(selector)  # threads must not share what it notes
    selector.fit_resample(X, codes)
    return selector.sample_indices_
