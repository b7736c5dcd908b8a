"""Arrays of many machines, end to end, and where each begins and ends."""

from typing import NamedTuple

import numpy as np


class FlatArray(NamedTuple):
    """Pieces of one kind; equal pieces are kept once."""

    data: np.ndarray  # (n_numbers,)
    begins: np.ndarray  # (n_pieces,)
    ends: np.ndarray  # (n_pieces,)


def flattened(records):
    """Return {name: FlatArray} of records {name: array} or None, a piece for each.

    Arrays keep their type, one for all pieces of a name.
    """
    names = next((list(record) for record in records if record is not None), [])
    return {name: _joined([r and r[name] for r in records]) for name in names}


def _joined(pieces):
    kept, places, length = [], {}, 0
    begins = np.zeros(len(pieces), np.int64)
    ends = np.zeros(len(pieces), np.int64)
    for number, piece in enumerate(pieces):
        if piece is None:
            continue
        piece = np.ascontiguousarray(piece).ravel()
        key = piece.tobytes()
        if key not in places:
            places[key] = length
            kept.append(piece)
            length += len(piece)
        begins[number] = places[key]
        ends[number] = places[key] + len(piece)
    return FlatArray(np.concatenate(kept), begins, ends)
