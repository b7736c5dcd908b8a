"""What a sparse matrix says about itself, checked once where it comes in.

SciPy believes the indices of a matrix, and reads or writes outside its arrays where
they are wrong: the process dies, or goes on with other numbers.
"""

import numpy as np


def check_structure(X):
    """Raise a ValueError if indices of a sparse `X` are outside of its shape."""
    if X.ndim != 2:  # scikit-learn words this one
        return
    if X.format == "coo":
        _check_range("row", X.row, X.shape[0])
        _check_range("col", X.col, X.shape[1])
    elif X.format in ("csr", "csc", "bsr"):
        block = X.blocksize if X.format == "bsr" else (1, 1)
        is_by_column = X.format == "csc"
        n_lines, width = X.shape[::-1] if is_by_column else X.shape
        _check_starts(X, n_lines // block[0])
        _check_range("indices", X.indices, width // block[1])


def _check_range(name, numbers, size):
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < size):
        bad = numbers.min() if numbers.min() < 0 else numbers.max()
        raise ValueError(
            f"X is a sparse matrix whose {name} hold {bad}, outside of 0 to "
            f"{size - 1}; build it anew from its rows and columns."
        )


def _check_starts(X, n_lines):
    """Check that the lines of compressed rows, columns or blocks follow each other."""
    starts = X.indptr
    fits = (
        len(starts) == n_lines + 1
        and starts[0] == 0
        and (np.diff(starts) >= 0).all()
        and starts[-1] <= min(len(X.indices), len(X.data))
    )
    if not fits:
        raise ValueError(
            f"X is a sparse matrix whose indptr {starts[:3]}… does not divide its "
            f"{len(X.indices)} entries into {n_lines} lines; build it anew from its "
            "rows and columns."
        )
