"""A fit that fails or is interrupted leaves the estimator as it was."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Fit = TypeVar("Fit", bound=Callable[..., Any])


def all_or_nothing(fit: Fit) -> Fit:
    """Undo what `fit` has set when it does not come to its end.

    An unfitted estimator stays unfitted, a fitted one keeps its last model.
    """

    @wraps(fit)
    def whole_fit(self, *args, **kwargs):
        before = vars(self).copy()
        try:
            return fit(self, *args, **kwargs)
        except BaseException:  # Ctrl-C too
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Fit, whole_fit)
