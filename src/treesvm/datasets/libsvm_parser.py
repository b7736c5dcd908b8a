"""Parse a block of LIBSVM text into the arrays of a CSR matrix.

One line is one row: ``label index:value index:value ... # comment``, with ascending
indices.  A number whose digits fit 2^53 and whose power of ten is at most 22 is exact
in one multiplication or division of doubles (Clinger 1990); all others are left to
Python's own, correctly rounded `float`, by their place in the text.
"""

import numpy as np

from treesvm.kernels.compiling import compiled

# What stopped the parser; 0 is a block without mistakes.
BAD_LABEL, NO_LABEL_END, BAD_INDEX, NO_COLON, BAD_VALUE = 1, 2, 3, 4, 5
LARGE_INDEX, NOT_ASCENDING, INDEX_ZERO = 6, 7, 8

MAX_INDEX = 2**31 - 2  # column numbers are int32

_TAB, _NEWLINE, _RETURN, _SPACE, _HASH, _COLON = 9, 10, 13, 32, 35, 58
_EXACT_INTEGER = 2**53
_POWERS = 10.0 ** np.arange(23)  # each of them exact in a double
_HARD = 2  # a number for Python's float


@compiled
def parse_block(text, least_index, labels, indptr, indices, values, hard, place):
    """Fill the arrays from `text`, whole lines of bytes; return the mistake or 0.

    `hard` receives (entry, start, end) of numbers to be parsed elsewhere, entry -1 - i
    being the label of row i.  `place` receives what was done: rows, entries, hard
    numbers, lines, and the byte of a mistake.
    """
    i, n_rows, n_entries, n_hard, n_lines = 0, 0, 0, 0, 0
    mistake = 0
    while i < len(text) and mistake == 0:
        i = _skip_blanks(text, i)
        if i < len(text) and text[i] != _NEWLINE and text[i] != _HASH:
            kind, number, end = _number(text, i)
            if kind == 0:
                mistake = BAD_LABEL
            elif not _is_gap(text, end):
                mistake, i = NO_LABEL_END, end
            else:
                labels[n_rows] = number
                if kind == _HARD:
                    hard[n_hard, 0], hard[n_hard, 1] = -1 - n_rows, i
                    hard[n_hard, 2] = end
                    n_hard += 1
                mistake, i, n_entries, n_hard = _parse_features(
                    text, end, least_index, indices, values, hard, n_entries, n_hard
                )
                n_rows += 1
                indptr[n_rows] = n_entries
        if mistake == 0:
            while i < len(text) and text[i] != _NEWLINE:  # a comment
                i += 1
            i += 1
            n_lines += 1
    place[0], place[1], place[2] = n_rows, n_entries, n_hard
    place[3], place[4] = n_lines, i
    return mistake


@compiled
def _parse_features(text, i, least_index, indices, values, hard, n_entries, n_hard):
    """Parse the features of a row; return (mistake, place, entries, hard numbers)."""
    previous = -1
    while True:
        i = _skip_blanks(text, i)
        if i >= len(text) or text[i] == _NEWLINE or text[i] == _HASH:
            return 0, i, n_entries, n_hard
        start, index = i, 0
        while i < len(text) and 48 <= text[i] <= 57 and index <= MAX_INDEX:
            index = 10 * index + (text[i] - 48)
            i += 1
        if i == start:
            return BAD_INDEX, start, n_entries, n_hard
        if index > MAX_INDEX:
            return LARGE_INDEX, start, n_entries, n_hard
        if i >= len(text) or text[i] != _COLON:
            return NO_COLON, i, n_entries, n_hard
        if index < least_index:
            return INDEX_ZERO, start, n_entries, n_hard
        if index <= previous:
            return NOT_ASCENDING, start, n_entries, n_hard
        kind, number, end = _number(text, i + 1)
        if kind == 0 or not _is_gap(text, end):
            return BAD_VALUE, i + 1, n_entries, n_hard
        if kind == _HARD:
            hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2] = n_entries, i + 1, end
            n_hard += 1
        indices[n_entries], values[n_entries] = index - least_index, number
        previous = index
        n_entries += 1
        i = end


@compiled
def _number(text, i):
    """Parse a decimal number; return (0 none, 1 exact or _HARD, the number, end)."""
    n, is_negative = len(text), False
    if i < n and (text[i] == 45 or text[i] == 43):
        is_negative = text[i] == 45
        i += 1
    mantissa, n_digits, power = np.int64(0), 0, 0
    is_behind_point = False
    while i < n:
        digit = np.int64(text[i]) - 48
        if 0 <= digit <= 9:
            n_digits += 1
            # Digits beyond 2^53 only have to keep it above: the number is hard.
            if mantissa < _EXACT_INTEGER:
                mantissa = 10 * mantissa + digit
                power -= is_behind_point
        elif text[i] == 46 and not is_behind_point:
            is_behind_point = True
        else:
            break
        i += 1
    if n_digits == 0:
        return 0, 0.0, i
    if i < n and (text[i] == 101 or text[i] == 69):
        i, exponent = _exponent(text, i + 1)
        if i < 0:
            return 0, 0.0, -i
        power += exponent
    if mantissa >= _EXACT_INTEGER or power > 22 or power < -22:
        return _HARD, 0.0, i
    number = float(mantissa)
    number = number / _POWERS[-power] if power < 0 else number * _POWERS[power]
    return 1, -number if is_negative else number, i


@compiled
def _exponent(text, i):
    """Parse the digits behind an e; return (end, exponent), a negative end if none."""
    is_negative = False
    if i < len(text) and (text[i] == 45 or text[i] == 43):
        is_negative = text[i] == 45
        i += 1
    start, exponent = i, 0
    while i < len(text) and 48 <= text[i] <= 57:
        exponent = min(10 * exponent + (np.int64(text[i]) - 48), 99_999)
        i += 1
    if i == start:
        return -i, 0
    return i, -exponent if is_negative else exponent


@compiled
def _skip_blanks(text, i):
    """Return the next place that is no blank inside a line."""
    while i < len(text) and (
        text[i] == _SPACE or text[i] == _TAB or text[i] == _RETURN
    ):
        i += 1
    return i


@compiled
def _is_gap(text, i):
    """Whether a number may end here."""
    if i >= len(text):
        return True
    return text[i] in (_SPACE, _TAB, _RETURN, _NEWLINE, _HASH)
