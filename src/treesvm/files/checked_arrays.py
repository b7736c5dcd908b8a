"""Arrays on their way into and out of a file, by name.

A reader hands out each array once, after checking what every user of it relies on:
dtype, shape, finite numbers, values in range. It also keeps the account of what the
objects made from the arrays will cost, because a small array can describe many objects.
"""

import copy
from itertools import pairwise

import numpy as np

from treesvm.files.failures import ModelFileError, require

_CHUNK = 2**20  # numbers looked at together, so that checking needs no memory
# Beyond these, squared distances or sums of kernels overflow, and answers would be NaN.
# `fit` takes values up to 1e15; float32 rounds them.
_LARGEST = {"vectors": 1e16, "coefficients": 1e200}


class ArrayReader:
    """The arrays of a file, each to be taken once.

    Parameters
    ----------
    arrays : dict of ndarray
    max_bytes : int
        Most that arrays and the objects made of them may take.
    """

    def __init__(self, arrays, max_bytes):
        self._arrays, self._prefix = dict(arrays), ""
        self._max_bytes = max_bytes
        # In a list, because readers of the same file have one account.
        self._spent = [sum(array.nbytes for array in arrays.values())]

    def within(self, prefix):
        """Return the reader of those arrays whose names begin with `prefix`."""
        inner = copy.copy(self)
        inner._prefix = self._prefix + prefix
        return inner

    def take(self, name, dtypes, shape, *, low=None, high=None, is_finite=True):
        """Return the array `name` after checking it.

        Parameters
        ----------
        name : str
        dtypes : str
            Allowed dtypes in NumPy's short form, such as "f4 f8".
        shape : tuple
            Numbers, or None where any will do.
        low, high : number, optional
            Smallest and largest value allowed.
        is_finite : bool
            Whether NaN and infinity are refused.
        """
        name, array = self._popped(name)
        kind = f"{array.dtype.kind}{array.dtype.itemsize}"
        require(kind in dtypes.split(), f"array {name!r} holds {array.dtype}")
        fits = array.ndim == len(shape) and all(
            want is None or want == n
            for want, n in zip(shape, array.shape, strict=True)
        )
        wanted = " × ".join("any" if n is None else str(n) for n in shape)
        require(fits, f"array {name!r} has shape {array.shape} instead of {wanted}")
        if array.dtype.kind == "f" and is_finite:
            _check_finite(array, name)
        _check_range(array, name, low, high)
        return array

    def take_pieces(self, name, dtypes, sizes, *, width=None, **bounds):
        """Return pieces of the given sizes of an array; `width` is that of its rows."""
        shape = (None,) if width is None else (None, width)
        array = self.take(name, dtypes, shape, **bounds)
        return pieces_of(array, sizes, f"the pieces of array {name!r}")

    def take_text(self, name):
        """Return a one-dimensional array of text made of valid characters."""
        name, array = self._popped(name)
        require(
            array.dtype.kind == "U" and array.ndim == 1,
            f"array {name!r} holds {array.dtype}, not text",
        )
        require(is_valid_text(array), f"array {name!r} holds invalid characters")
        return array

    def dtype_of(self, name):
        """The dtype of an array that is still to be taken."""
        name = self._prefix + name
        require(name in self._arrays, f"array {name!r} is missing")
        return self._arrays[name].dtype

    def _popped(self, name):
        """Return the full name of an array and the array, which is gone then."""
        name = self._prefix + name
        require(name in self._arrays, f"array {name!r} is missing")
        return name, self._arrays.pop(name)

    def charge(self, n_bytes):
        """Book memory for objects before they are made."""
        self._spent[0] += n_bytes
        if self._spent[0] > self._max_bytes:
            raise ModelFileError(
                f"the model would take more than max_bytes={self._max_bytes}; if you "
                "trust the file, load it with a larger max_bytes"
            )

    def finish(self):
        """Refuse arrays that belong to nothing."""
        require(not self._arrays, f"array {min(self._arrays, default='')!r} is unknown")


def edges_of(sizes, total, what):
    """Return where pieces of the given sizes begin and end in an array of `total`."""
    # Floats cannot overflow, and sums below 2^53 are exact in them.
    require(
        float(np.sum(sizes, dtype=np.float64)) == total,
        f"the sizes of {what} do not add up to {total}",
    )
    edges = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(np.asarray(sizes).astype(np.int64), out=edges[1:])
    return edges


def pieces_of(array, sizes, what):
    """Return the pieces of an array, one after the other, that have these sizes."""
    edges = edges_of(sizes, len(array), what).tolist()
    return [array[first:last] for first, last in pairwise(edges)]


def is_valid_text(array):
    """Whether every character of an array of text is one that can be written."""
    codes = np.ascontiguousarray(array).view(np.uint32)
    is_surrogate = (codes >= 0xD800) & (codes <= 0xDFFF)
    return not (is_surrogate | (codes > 0x10FFFF)).any()


def _check_finite(array, name):
    """Refuse NaN, infinity, and what would become one of them in an answer."""
    flat = array.ravel("K")
    largest = min(_LARGEST.get(part, np.inf) for part in name.split("."))
    for start in range(0, len(flat), _CHUNK):
        part = flat[start : start + _CHUNK]
        require(np.isfinite(part).all(), f"array {name!r} holds NaN or infinity")
        require(
            (np.abs(part) <= largest).all(),
            f"array {name!r} holds a number beyond {largest:.0e}",
        )


def _check_range(array, name, low, high):
    if array.size == 0:
        return
    if low is not None:
        least = array.min()
        require(least >= low, f"array {name!r} holds {least}, below {low}")
    if high is not None:
        most = array.max()
        require(most <= high, f"array {name!r} holds {most}, above {high}")
