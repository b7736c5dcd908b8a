"""Whether labels are classes or numbers to be predicted, found from the labels."""

import numpy as np

from treesvm.inputs.array_types import Array

CLASSIFICATION, REGRESSION = "classification", "regression"
_MAX_FRACTIONS = 10  # different labels with fractions that may still be classes
_MAX_WHOLE = 50  # different whole numbers that are classes in any case
_MAX_SHARE = 0.05  # different labels for a row; classes occur more often
_MAX_TEXTS = 0.5  # different texts for a row that may still be classes


def task_of(y: Array) -> tuple[str, str]:
    """Return the task that labels stand for, and the reason in words.

    Regression: more than 10 different numbers, some of them not whole; or more than 50
    different numbers that are more than 5 % of the rows.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Labels, numbers or text.

    Returns
    -------
    task : {"classification", "regression"}
    reason : str

    Examples
    --------
    >>> import numpy as np
    >>> from treesvm.datasets import task_of
    >>> task_of(np.linspace(0, 1, 100))[0]
    'regression'
    >>> task_of(np.array(["yes", "no", "yes"]))[0]
    'classification'
    """
    numbers = _as_numbers(y)
    if numbers is None:
        return CLASSIFICATION, "the labels are text"
    n_different = len(np.unique(numbers))
    said = f"{n_different:,} different numbers in {len(y):,} rows"
    if n_different == 1:
        return CLASSIFICATION, "all labels are the same number"
    if n_different > _MAX_FRACTIONS and np.any(numbers % 1.0 != 0.0):
        return REGRESSION, f"the labels are {said}, with fractions"
    if n_different > max(_MAX_WHOLE, _MAX_SHARE * len(y)):
        return REGRESSION, f"the labels are {said}"
    return CLASSIFICATION, f"the labels are {said}"


def as_target(y: Array, task: str) -> Array:
    """Return labels as numbers for regression; fractions as text for classification.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Labels, numbers or text.
    task : {"classification", "regression"}
        What they stand for.

    Returns
    -------
    ndarray of shape (n_rows,)

    Raises
    ------
    ValueError
        If a label is no number where one is wanted, or most texts occur once.

    Examples
    --------
    >>> import numpy as np
    >>> from treesvm.datasets import as_target
    >>> as_target(np.array(["1.5", "2"]), "regression").tolist()
    [1.5, 2.0]
    """
    if task == CLASSIFICATION:
        _check_classes(y)
        is_real = y.dtype.kind == "f" and np.any(y % 1.0 != 0.0)
        return y.astype(str) if is_real else y
    numbers = _as_numbers(y)
    if numbers is None:
        bad = next(label for label in y.tolist() if _as_numbers([label]) is None)
        raise ValueError(
            f"the label {bad!r} is no number, which regression wants; name another "
            "label column, or classify."
        )
    return numbers


def _check_classes(y):
    """Refuse texts of which most occur once: no class, but a name or a comment."""
    n_different = len(set(y.tolist())) if y.dtype.kind in "OU" else 0
    if n_different > max(_MAX_WHOLE, _MAX_TEXTS * len(y)):
        raise ValueError(
            f"the labels are {n_different:,} different texts in {len(y):,} rows, such "
            f"as {y.tolist()[0]!r}, and classes occur more often; name another label "
            "column, or write numbers without signs between thousands."
        )


def _as_numbers(labels):
    """Return labels as finite numbers, None if one of them is none."""
    try:
        numbers = np.asarray(labels).astype(np.float64)
    except (TypeError, ValueError):
        return None
    return numbers if np.isfinite(numbers).all() else None
